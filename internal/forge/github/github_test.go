package github_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/github"
)

const sha = "0123456789abcdef0123456789abcdef01234567"

// hub is a server that answers by its routes. The answer to a request without a route is 404.
type hub struct {
	*httptest.Server
	repo  *github.Repository
	asked []string
}

func serve(t *testing.T, routes map[string]http.HandlerFunc, change ...func(*github.Config)) *hub {
	t.Helper()
	h := &hub{}
	mux := http.NewServeMux()
	for pattern, f := range routes {
		mux.HandleFunc(pattern, f)
	}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked = append(h.asked, r.Method+" "+r.URL.RequestURI())
		if r.Header.Get("Authorization") != "Bearer t0p-secret" {
			t.Errorf("%s %s without credentials", r.Method, r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	c := github.Config{Repository: "acme/cloud", APIURL: h.URL, Token: func(context.Context) (string, error) { return "t0p-secret", nil }}
	for _, f := range change {
		f(&c)
	}
	h.repo = open(t, c)
	return h
}

func says(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// TestErrorsHaveAClass checks that each error has one of the five classes that callers know. Its
// text says where and why, and never contains the token.
func TestErrorsHaveAClass(t *testing.T) {
	for _, c := range []struct {
		code  int
		body  string
		class error
		says  string
	}{
		{401, `{"message":"Bad credentials"}`, forge.ErrRefused, "401: Bad credentials (is the token right"},
		{403, `{"message":"Resource not accessible by personal access token"}`, forge.ErrRefused, "have the permission?"},
		{404, `{"message":"Not Found"}`, forge.ErrNotFound, "may not see it"},
		{410, `{"message":"Issues are disabled"}`, forge.ErrNotFound, "Issues are disabled"},
		{422, `{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"},{"message":"Body is too long"}]}`, forge.ErrRefused, "title is missing_field; Body is too long"},
		{451, `{"message":"Blocked"}`, forge.ErrRefused, "Blocked"},
		{202, ``, forge.ErrUnavailable, "not computed the result"},
		{409, `{"message":"Conflict"}`, forge.ErrUnavailable, "Conflict"},
		{500, `oh`, forge.ErrUnavailable, "500"},
		{503, `<html>` + strings.Repeat("no ", 10_000), forge.ErrUnavailable, "503"},
		{200, `<html>a login page</html>`, forge.ErrUnavailable, "invalid character"},
		{200, `{"number":"seven"}`, forge.ErrUnavailable, "cannot unmarshal"},
		{200, `{"number":7`, forge.ErrUnavailable, "EOF"},
		{401, `{"message":"what is t0p-secret?"}`, forge.ErrRefused, "what is [redacted]?"},
	} {
		h := serve(t, map[string]http.HandlerFunc{"GET /repos/acme/cloud/pulls/7": says(c.code, c.body)})
		_, err := h.repo.Pull(t.Context(), 7)
		if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "acme/cloud: read #7") || strings.Contains(err.Error(), "t0p-secret") || len(err.Error()) > 600 {
			t.Errorf("%d %.80s: %v; want %v and %q", c.code, c.body, err, c.class, c.says)
		}
	}
	h := serve(t, nil)
	h.Close()
	if _, err := h.repo.Pull(t.Context(), 7); !errors.Is(err, forge.ErrUnavailable) {
		t.Errorf("nobody there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.repo.Pull(ctx, 7); !errors.Is(err, forge.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLimitsPassThrough(t *testing.T) {
	h := serve(t, map[string]http.HandlerFunc{"GET /repos/acme/cloud/pulls/7": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		says(429, `{"message":"You have exceeded a secondary rate limit"}`)(w, nil)
	}})
	for range 3 {
		_, err := h.repo.Pull(t.Context(), 7)
		var limited *forge.LimitedError
		if !errors.As(err, &limited) {
			t.Errorf("%v", err)
		}
	}
	if len(h.asked) != 1 {
		t.Errorf("asked %d times while limited", len(h.asked))
	}
}

func TestAllPagesAreRead(t *testing.T) {
	var h *hub
	page := func(w http.ResponseWriter, r *http.Request) {
		n := 1
		if page := r.URL.Query().Get("page"); page != "" {
			n, _ = strconv.Atoi(page)
		}
		if n < 3 {
			w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%d>; rel="next"`, h.URL, r.URL.Path, n+1))
		}
		// While the pages were read, one pull request moved from the first page to the second.
		fmt.Fprintf(w, `[{"number":%d,"state":"open","base":{"ref":"main"}},{"number":%d,"state":"open","base":{"ref":"main"}},{"number":90,"state":"open","base":{"ref":"other"}}]`, 10-n, 11-n)
	}
	h = serve(t, map[string]http.HandlerFunc{"GET /repos/acme/cloud/pulls": page})
	list, err := h.repo.OpenPulls(t.Context(), "main")
	var got []int
	for _, p := range list {
		got = append(got, p.Number)
	}
	if fmt.Sprint(got) != "[7 8 9 10]" || err != nil || len(h.asked) != 3 {
		t.Errorf("%v, %v after %q", got, err, h.asked)
	}
	if !strings.Contains(h.asked[0], "per_page=100") || !strings.Contains(h.asked[0], "base=main") || !strings.Contains(h.asked[0], "state=open") {
		t.Errorf("asked %q", h.asked[0])
	}
}

func TestEndlessPagesEnd(t *testing.T) {
	var h *hub
	h = serve(t, map[string]http.HandlerFunc{"GET /repos/acme/cloud/pulls": func(w http.ResponseWriter, r *http.Request) {
		n := 1
		if page := r.URL.Query().Get("page"); page != "" {
			n, _ = strconv.Atoi(page)
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%d>; rel="next"`, h.URL, r.URL.Path, n+1))
		io.WriteString(w, `[]`)
	}})
	if _, err := h.repo.OpenPulls(t.Context(), "main"); !errors.Is(err, forge.ErrTooMany) || !strings.Contains(err.Error(), "more than 100 pages") {
		t.Errorf("after %d pages: %v", len(h.asked), err)
	}
	// The link to the next page always leads to the same page.
	h = serve(t, map[string]http.HandlerFunc{"GET /repos/acme/cloud/pulls": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=2>; rel="next"`, h.URL, r.URL.Path))
		io.WriteString(w, `[]`)
	}})
	if _, err := h.repo.OpenPulls(t.Context(), "main"); err != nil || len(h.asked) != 2 {
		t.Errorf("after %d pages: %v", len(h.asked), err)
	}
}

func TestPullsAreTranslated(t *testing.T) {
	const base = `"base":{"ref":"main","repo":{"id":1}}`
	for text, want := range map[string]forge.Pull{
		`{"number":7,"state":"open","merge_commit_sha":"trial","head":{"sha":"h","repo":{"id":1}},` + base + `}`:                                  {Number: 7, Open: true},
		`{"number":7,"state":"open","head":{"sha":"h","repo":{"id":2}},` + base + `}`:                                                             {Number: 7, Open: true, Fork: true},
		`{"number":7,"state":"open","head":{"sha":"h","repo":null},` + base + `}`:                                                                 {Number: 7, Open: true, Fork: true},
		`{"number":7,"state":"closed","merge_commit_sha":"trial","head":{"sha":"h","repo":{"id":1}},` + base + `}`:                                {Number: 7},
		`{"number":7,"state":"closed","merged_at":"2026-01-01T00:00:00Z","merge_commit_sha":"m","head":{"sha":"h","repo":{"id":1}},` + base + `}`: {Number: 7, Merged: true, MergeCommit: "m"},
	} {
		h := serve(t, map[string]http.HandlerFunc{"GET /repos/acme/cloud/pulls/7": says(200, text)})
		want.Head, want.HeadRef, want.Base = "h", "refs/pull/7/head", "main"
		if got, err := h.repo.Pull(t.Context(), 7); !reflect.DeepEqual(got, want) || err != nil {
			t.Errorf("%s\n is %+v, %v\nwant %+v", text, got, err, want)
		}
	}
}

func TestWhichPullRequestMergedACommit(t *testing.T) {
	pull := func(number int, merged, base, commit string) string {
		return fmt.Sprintf(`{"number":%d,"state":"closed","merged_at":%s,"merge_commit_sha":%q,"base":{"ref":%q}}`, number, merged, commit, base)
	}
	for _, c := range []struct {
		list string
		want int
	}{
		{pull(1, `null`, "main", sha), 0},
		{pull(1, `"2026-01-01T00:00:00Z"`, "release", sha), 0},
		{pull(1, `"2026-01-01T00:00:00Z"`, "main", "other") + "," + pull(2, `"2026-01-02T00:00:00Z"`, "main", sha), 2},
		{pull(3, `"2026-01-02T00:00:00Z"`, "main", "x") + "," + pull(4, `"2026-01-01T00:00:00Z"`, "main", "y"), 4},
		{"", 0},
	} {
		h := serve(t, map[string]http.HandlerFunc{"GET /repos/acme/cloud/commits/" + sha + "/pulls": says(200, "["+c.list+"]")})
		got, err := h.repo.MergedBy(t.Context(), "main", sha)
		if got.Number != c.want || errors.Is(err, forge.ErrNotFound) != (c.want == 0) {
			t.Errorf("%s: #%d, %v; want #%d", c.list, got.Number, err, c.want)
		}
	}
	h := serve(t, map[string]http.HandlerFunc{"GET /repos/acme/cloud/commits/" + sha + "/pulls": says(422, `{"message":"No commit found for SHA"}`)})
	if _, err := h.repo.MergedBy(t.Context(), "main", sha); !errors.Is(err, forge.ErrNotFound) {
		t.Errorf("an unknown commit: %v", err)
	}
	if _, err := h.repo.MergedBy(t.Context(), "main", "main"); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("a branch: %v", err)
	}
}

func TestRights(t *testing.T) {
	for permission, want := range map[string]bool{"admin": true, "write": true, "maintain": true, "read": false, "triage": false, "none": false, "": false} {
		h := serve(t, map[string]http.HandlerFunc{"GET /repos/acme/cloud/collaborators/{login}/permission": says(200, `{"permission":"`+permission+`"}`)})
		if may, err := h.repo.MayWrite(t.Context(), forge.Person{Login: "bob"}, "main"); may != want || err != nil {
			t.Errorf("%q: %v, %v", permission, may, err)
		}
	}
	h := serve(t, map[string]http.HandlerFunc{
		"GET /repos/acme/cloud/collaborators/{login}/permission": func(w http.ResponseWriter, r *http.Request) {
			if r.PathValue("login") == "renovate[bot]" {
				says(200, `{"permission":"write"}`)(w, r)
				return
			}
			says(403, `{"message":"Must have push access"}`)(w, r)
		},
	})
	if may, err := h.repo.MayWrite(t.Context(), forge.Person{Login: "renovate[bot]"}, "main"); !may || err != nil {
		t.Errorf("a bot: %v, %v", may, err)
	}
	if may, err := h.repo.MayWrite(t.Context(), forge.Person{Login: "bob"}, "main"); may || !errors.Is(err, forge.ErrRefused) {
		t.Errorf("not allowed to ask: %v, %v", may, err)
	}
	asked := len(h.asked)
	for _, login := range []string{"", "../../../user", "a/b", "a?b", "a b", "a%2fb", "-a", "[bot]"} {
		if may, err := h.repo.MayWrite(t.Context(), forge.Person{Login: login}, "main"); may || err != nil || len(h.asked) != asked {
			t.Errorf("%q: %v, %v", login, may, err)
		}
	}
}

func TestWhoWeAre(t *testing.T) {
	list := says(200, `[{"id":1,"user":{"login":"Reeve"},"body":"ours?"},{"id":2,"user":{"login":"github-actions[bot]"}},{"id":3,"user":null},{"id":1,"user":{"login":"Reeve"}}]`)
	mine := func(h *hub) (ids []int64) {
		t.Helper()
		comments, err := h.repo.Comments(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range comments {
			if c.Mine {
				ids = append(ids, c.ID)
			}
		}
		return ids
	}
	routes := func(user http.HandlerFunc) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{
			"GET /user": user, "GET /repos/acme/cloud/issues/7/comments": list,
			"POST /repos/acme/cloud/issues/7/comments": says(201, `{"id":9,"user":{"login":"github-actions[bot]"}}`),
		}
	}
	h := serve(t, routes(says(200, `{"login":"reeve"}`)))
	if got := mine(h); fmt.Sprint(got) != "[1]" {
		t.Errorf("an account's: %v", got)
	}
	mine(h)
	users := 0
	for _, a := range h.asked {
		if a == "GET /user" {
			users++
		}
	}
	if users != 1 {
		t.Errorf("asked who we are %d times", users)
	}
	nobody := says(403, `{"message":"Resource not accessible by integration"}`)
	if got := mine(serve(t, routes(nobody))); fmt.Sprint(got) != "[2]" {
		t.Errorf("with the token of Actions: %v", got)
	}
	h = serve(t, routes(nobody), func(c *github.Config) { c.Login = "reeve" })
	if got := mine(h); fmt.Sprint(got) != "[1]" {
		t.Errorf("with a login that is set: %v", got)
	}
	if c, err := h.repo.Post(t.Context(), 7, "x"); !c.Mine || err != nil {
		t.Errorf("posted: %+v, %v", c, err)
	}
	if got := mine(h); fmt.Sprint(got) != "[2]" {
		t.Errorf("after posting as another than was thought: %v", got)
	}
	h = serve(t, routes(says(401, `{"message":"Bad credentials"}`)))
	if _, err := h.repo.Comments(t.Context(), 7); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("nobody: %v", err)
	}
}

func TestStatusesFit(t *testing.T) {
	var got map[string]string
	h := serve(t, map[string]http.HandlerFunc{"POST /repos/acme/cloud/statuses/" + sha: func(w http.ResponseWriter, r *http.Request) {
		got = nil
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		says(201, `{}`)(w, r)
	}})
	contexts := map[string]bool{}
	for _, name := range []string{"short", strings.Repeat("x", 255), strings.Repeat("x", 256), strings.Repeat("x", 257), "a 🙂", "a 🙃", "a\nb", "a\rb"} {
		if err := h.repo.SetStatus(t.Context(), sha, forge.Status{Context: name, State: forge.Pending, Description: strings.Repeat("🙂", 200)}); err != nil {
			t.Fatal(err)
		}
		if n := len([]rune(got["context"])); n > 255 || strings.ContainsFunc(got["context"], func(r rune) bool { return r > 0xffff || r < ' ' }) || contexts[got["context"]] {
			t.Errorf("%q became %q", name, got["context"])
		}
		if d := []rune(got["description"]); len(d) != 140 || got["state"] != "pending" {
			t.Errorf("the description became %q", got["description"])
		}
		if _, ok := got["target_url"]; ok {
			t.Error("an empty URL is sent")
		}
		contexts[got["context"]] = true
	}
	if !contexts["short"] || !contexts[strings.Repeat("x", 255)] {
		t.Errorf("what fits was changed: %v", contexts)
	}
}

func TestACommitThatIsFullOfStatusesIsLeftAlone(t *testing.T) {
	h := serve(t, map[string]http.HandlerFunc{"POST /repos/acme/cloud/statuses/{sha}": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "full") {
			says(422, `{"message":"Validation Failed","errors":[{"message":"This SHA and context has reached the maximum number of statuses."}]}`)(w, r)
			return
		}
		says(422, `{"message":"Validation Failed"}`)(w, r)
	}})
	for _, name := range []string{"full", "full", "other", "other"} {
		if err := h.repo.SetStatus(t.Context(), sha, forge.Status{Context: name, State: forge.Success}); !errors.Is(err, forge.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(h.asked) != 3 {
		t.Errorf("asked %q", h.asked)
	}
}

func TestChecksThatAreNotAllowed(t *testing.T) {
	h := serve(t, map[string]http.HandlerFunc{
		"GET /repos/acme/cloud/commits/{sha}/check-runs": says(200, `{"check_runs":[]}`),
		"POST /repos/acme/cloud/check-runs":              says(403, `{"message":"You must authenticate via a GitHub App."}`),
	})
	for range 2 {
		if err := h.repo.PutCheck(t.Context(), forge.Check{Name: "c", Commit: sha, State: forge.Success}); !errors.Is(err, forge.ErrUnsupported) {
			t.Errorf("%v", err)
		}
	}
	if len(h.asked) != 2 {
		t.Errorf("asked again: %q", h.asked)
	}
}

func TestConfigurationsThatCannotWork(t *testing.T) {
	token := func(context.Context) (string, error) { return "x", nil }
	for _, c := range []github.Config{
		{Repository: "", Token: token}, {Repository: "acme", Token: token}, {Repository: "acme/..", Token: token}, {Repository: "acme/a/b", Token: token},
		{Repository: "acme/a?b", Token: token}, {Repository: "https://github.com/acme/a", Token: token},
		{Repository: "acme/cloud"}, {Repository: "acme/cloud", Token: token, App: &forge.App{}}, {Repository: "acme/cloud", Token: token, APIURL: "ghe.example"},
	} {
		if _, err := github.New(c); err == nil || !strings.HasPrefix(err.Error(), "github: ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestARenamedRepository checks that a renamed repository is found again: GitHub redirects to its
// new address.
func TestARenamedRepository(t *testing.T) {
	h := serve(t, map[string]http.HandlerFunc{
		"GET /repos/acme/cloud/pulls/7": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/repositories/1/pulls/7", http.StatusMovedPermanently)
		},
		"POST /repos/acme/cloud/issues/7/comments": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/repositories/1/issues/7/comments", http.StatusTemporaryRedirect)
		},
		"GET /repositories/1/pulls/7": says(200, `{"number":7}`),
		"POST /repositories/1/issues/7/comments": func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			says(201, string(body))(w, r)
		},
	})
	if p, err := h.repo.Pull(t.Context(), 7); p.Number != 7 || err != nil {
		t.Errorf("%+v, %v", p, err)
	}
	if c, err := h.repo.Post(t.Context(), 7, "hello"); c.Body != "hello" || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
}
