package github_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/github"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const (
	reeve   = `{"login":"reeve","id":3,"type":"User"}`
	list    = "GET /repos/acme/cloud/commits/" + sha + "/statuses"
	talk    = "GET /repos/acme/cloud/issues/7/comments"
	nobody  = `{"message":"Resource not accessible by integration"}`
	actions = `"creator":{"login":"github-actions[bot]","id":41898282,"type":"Bot"}`
)

func TestAttackForgedStatuses(t *testing.T) {
	for name, c := range map[string]struct {
		list string
		want []forge.Status
	}{
		"of somebody else":      {list: `{"context":"c","state":"success","creator":{"login":"mallory","id":4}}`},
		"of who took our name":  {list: `{"context":"c","state":"success","creator":{"login":"reeve","id":4}}`},
		"of a name in capitals": {list: `{"context":"c","state":"success","creator":{"login":"REEVE","id":5}}`},
		"of a program":          {list: `{"context":"c","state":"success",` + actions + `}`},
		"of nobody":             {list: `{"context":"c","state":"success"}`},
		"ours, renamed": {
			list: `{"context":"c","state":"success","creator":{"login":"steward","id":3}}`,
			want: []forge.Status{{Context: "c", State: forge.Success}},
		},
		"above ours": {
			list: `{"context":"c","state":"success","creator":{"id":4}},{"context":"c","state":"pending","creator":{"id":3}},{"context":"c","state":"success","creator":{"id":3}}`,
			want: []forge.Status{{Context: "c", State: forge.Pending, Covered: true}},
		},
	} {
		h := serve(t, map[string]http.HandlerFunc{"GET /user": says(200, reeve), list: says(200, "["+c.list+"]")})
		got, err := h.repo.Statuses(t.Context(), sha)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
	h := serve(t, map[string]http.HandlerFunc{"GET /user": says(403, nobody), list: says(200, `[{"context":"c","state":"success",`+actions+`},{"context":"d","state":"success","creator":{"login":"renovate[bot]"}}]`)})
	if got, err := h.repo.Statuses(t.Context(), sha); err != nil || len(got) != 1 || got[0].Context != "c" {
		t.Errorf("with the token of Actions: %+v, %v", got, err)
	}
}

func TestAttackCommentsOfProgramsAndEdits(t *testing.T) {
	h := serve(t, map[string]http.HandlerFunc{"GET /user": says(200, reeve), talk: says(200, `[
		{"id":1,"user":{"login":"dependabot[bot]","id":10,"type":"Bot"}},
		{"id":2,"user":{"login":"old[BOT]","id":11}},
		{"id":3,"user":{"login":"ann","id":4,"type":"User"},"performed_via_github_app":{"id":99}},
		{"id":4,"user":{"login":"ann","id":4,"type":"User"},"performed_via_github_app":null,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"},
		{"id":5,"user":{"login":"ann","id":4,"type":"User"},"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:01Z"},
		{"id":6,"user":{"login":"reeve","id":12,"type":"User"}},
		{"id":7,"user":{"login":"steward","id":3,"type":"User"}}]`)})
	comments, err := h.repo.Comments(t.Context(), 7)
	if err != nil || len(comments) != 7 {
		t.Fatalf("%+v, %v", comments, err)
	}
	for i, want := range []forge.Comment{{Bot: true}, {Bot: true}, {Bot: true}, {}, {Edited: true}, {}, {Mine: true}} {
		if c := comments[i]; c.Bot != want.Bot || c.Edited != want.Edited || c.Mine != want.Mine {
			t.Errorf("comment %d: %+v, want %+v", c.ID, c, want)
		}
	}
}

// forever returns a handler that answers each page with text and a link to the next page.
func forever(h **hub, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil {
			n = 1
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%d>; rel="next"`, (*h).URL, r.URL.Path, n+1))
		io.WriteString(w, strings.ReplaceAll(text, "PAGE", strconv.Itoa(n)))
	}
}

func TestAttackFloods(t *testing.T) {
	testcost.Long(t)
	var h *hub
	h = serve(t, map[string]http.HandlerFunc{
		"GET /user":                   says(200, reeve),
		talk:                          forever(&h, `[{"id":PAGE,"user":{"id":4},"body":"`+strings.Repeat("x", 1<<20)+`"}]`),
		list:                          forever(&h, `[{"context":"c","state":"success","creator":{"id":4}}]`),
		"GET /repos/acme/cloud/pulls": forever(&h, `[{"number":PAGE,"state":"open","base":{"ref":"main"}}]`),
	})
	if got, err := h.repo.Comments(t.Context(), 7); !errors.Is(err, forge.ErrTooMany) || len(got) == 0 || len(got) > 20 {
		t.Errorf("comments: %d of them, %v; want the oldest", len(got), err)
	}
	before := len(h.asked)
	if got, err := h.repo.Statuses(t.Context(), sha); err != nil || len(got) != 0 || len(h.asked)-before > 21 {
		t.Errorf("statuses: %+v, %v after %d requests", got, err, len(h.asked)-before)
	}
	if got, err := h.repo.OpenPulls(t.Context(), "main"); !errors.Is(err, forge.ErrTooMany) || len(got) != 100 {
		t.Errorf("pull requests: %d of them, %v; want the oldest", len(got), err)
	}
}

// TestAttackForgedCheckRuns has a check run of another App with our name and mark. It must not
// count as ours.
func TestAttackForgedCheckRuns(t *testing.T) {
	var written []string
	text := `{"total_count":1,"check_runs":[]}`
	h := serve(t, map[string]http.HandlerFunc{
		"GET /user": says(403, nobody),
		"GET /repos/acme/cloud/commits/{sha}/check-runs": func(w http.ResponseWriter, r *http.Request) { says(200, text)(w, r) },
		"POST /repos/acme/cloud/check-runs": func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			written = append(written, string(body))
			says(201, `{"id":1}`)(w, r)
		},
	})
	check := forge.Check{Name: "stackreeve/prod", Commit: sha, State: forge.Failure, Title: "held"}
	if err := h.repo.PutCheck(t.Context(), check); err != nil || len(written) != 1 {
		t.Fatalf("%v, %q", err, written)
	}
	_, mark, _ := strings.Cut(written[0], `"external_id":"`)
	mark, _, _ = strings.Cut(mark, `"`)
	for app, want := range map[string]int{`{"id":7,"slug":"evil"}`: 1, `null`: 1, `{"id":15368,"slug":"github-actions"}`: 0} {
		written = nil
		text = `{"total_count":1,"check_runs":[{"id":9,"name":"stackreeve/prod","head_sha":"` + sha + `","external_id":"` + mark + `","app":` + app + `}]}`
		if err := h.repo.PutCheck(t.Context(), check); err != nil || len(written) != want {
			t.Errorf("%s: %v, %d written; want %d", app, err, len(written), want)
		}
	}
}

// TestAttackAnAppWhoseNameIsTakenOver renames an App. The App still recognises its own comments.
// The comments of an account that takes its earlier name do not count as its own.
func TestAttackAnAppWhoseNameIsTakenOver(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "app.pem")
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	app := &forge.App{AppID: 7, InstallationID: 9, PrivateKeyFile: file, Base: answering(func(req *http.Request) string {
		if req.Method == http.MethodPost {
			return `{"token":"t0p-secret","expires_at":"2126-01-01T00:00:00Z"}`
		}
		return `{"slug":"reeve"}`
	})}
	talking := `[{"id":1,"user":{"login":"reeve[bot]","id":3,"type":"Bot"}},{"id":2,"user":{"login":"steward[bot]","id":4,"type":"Bot"}}]`
	h := serve(t, map[string]http.HandlerFunc{talk: says(200, talking), "POST /repos/acme/cloud/issues/7/comments": says(201, `{"id":9,"user":{"login":"steward[bot]"}}`)},
		func(c *github.Config) { c.Token, c.App = nil, app })
	mine := func() (ids []int64) {
		t.Helper()
		all, err := h.repo.Comments(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.Mine {
				ids = append(ids, c.ID)
			}
		}
		return ids
	}
	if got := mine(); fmt.Sprint(got) != "[1]" {
		t.Errorf("before: %v", got)
	}
	if _, err := h.repo.Post(t.Context(), 7, "x"); err != nil {
		t.Fatal(err)
	}
	if got := mine(); fmt.Sprint(got) != "[2]" {
		t.Errorf("after GitHub has said who wrote a comment: %v are ours, want those of the new name", got)
	}
}

// answering is a RoundTripper that answers every request with the text that the function returns.
type answering func(*http.Request) string

func (f answering) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(f(req))), Request: req}, nil
}
