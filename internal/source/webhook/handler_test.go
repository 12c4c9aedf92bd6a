package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

const secret = "0123456789abcdef0123456789abcdef"

// inbox is an endpoint that stores the events and outcomes of its messages.
type inbox struct {
	*Endpoint
	events   []Event
	outcomes []Outcome
	secrets  []string
	broken   error
}

func textLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

func newInbox(t testing.TB) *inbox {
	t.Helper()
	i := &inbox{secrets: []string{secret}}
	var err error
	i.Endpoint, err = New(Config{
		Secrets: func() ([]string, error) { return i.secrets, i.broken },
		Notify:  func(e Event) { i.events = append(i.events, e) },
		Count:   func(_ Forge, o Outcome) { i.outcomes = append(i.outcomes, o) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func (i *inbox) last() Outcome { return i.outcomes[len(i.outcomes)-1] }

func sign(body, with string) string {
	mac := hmac.New(sha256.New, []byte(with))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// message returns a signed message. A test may then change it.
func message(forge Forge, event, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhook/"+string(forge), strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	switch forge {
	case GitHub:
		r.Header.Set("X-GitHub-Event", event)
		r.Header.Set("X-Hub-Signature-256", "sha256="+sign(body, secret))
	case Gerrit:
		r.URL.Path += "/" + secret
		r.Header.Set("X-Origin-Url", "https://review.example.com")
	case GitLab:
		r.Header.Set("X-Gitlab-Event", event)
		r.Header.Set("X-Gitlab-Token", secret)
	default:
		r.Header.Set("X-Gitea-Event", event)
		r.Header.Set("X-Gitea-Signature", sign(body, secret))
	}
	return r
}

func (i *inbox) send(r *http.Request) (code int, words string) {
	w := httptest.NewRecorder()
	i.ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

const (
	newest = "0123456789abcdef0123456789abcdef01234567"
	push   = `{"ref": "refs/heads/main", "after": "` + newest + `", "repository": {"full_name": "acme/config"}}`
)

func TestAnswers(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	without := func(name string) func(*http.Request) { return func(r *http.Request) { r.Header.Del(name) } }
	body := func(b io.Reader) func(*http.Request) {
		return func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(b), -1 }
	}
	long := strings.Repeat(" ", MaxBody+1)
	form := url.Values{"payload": {push}}.Encode()
	for name, c := range map[string]struct {
		event, body string
		spoil       func(*http.Request)
		code        int
		outcome     Outcome
	}{
		"a push":           {"push", push, nil, 202, Accepted},
		"a ping":           {"ping", `{"zen": "x"}`, nil, 200, Greeted},
		"unknown":          {"sponsorship", `{}`, nil, 204, Ignored},
		"unknown, no JSON": {"sponsorship", `{`, nil, 204, Ignored},
		"a tag":            {"push", strings.Replace(push, "heads", "tags", 1), nil, 204, Ignored},
		"a comment":        {"issue_comment", `{"issue": {"number": 3}, "repository": {"full_name": "acme/config"}}`, nil, 204, Ignored},
		"no JSON":          {"push", `{"ref": `, nil, 400, Malformed},
		"other JSON":       {"push", `[1]`, nil, 400, Malformed},
		"deep JSON":        {"push", strings.Repeat("[", 100_000), nil, 400, Malformed},
		"no repository":    {"push", `{"ref": "refs/heads/main"}`, nil, 400, Malformed},
		"odd repository":   {"push", strings.Replace(push, "acme/config", "../../config", 1), nil, 400, Malformed},
		"no event":         {"push", push, without("X-GitHub-Event"), 400, Nameless},
		"two events":       {"push", push, func(r *http.Request) { r.Header.Add("X-GitHub-Event", "ping") }, 400, Nameless},
		"two signatures":   {"push", push, func(r *http.Request) { r.Header.Add("X-Hub-Signature-256", "sha256="+sign(push, "x")) }, 401, Unsigned},
		"long signature":   {"push", push, header("X-Hub-Signature-256", "sha256="+sign(push, secret)+"00"), 401, Unsigned},
		"a form":           {"push", form, header("Content-Type", "application/x-www-form-urlencoded"), 202, Accepted},
		"an empty form":    {"push", "a=b", header("Content-Type", "application/x-www-form-urlencoded"), 400, Malformed},
		"a broken form":    {"push", "payload=%zz", header("Content-Type", "application/x-www-form-urlencoded"), 400, Malformed},
		"charset":          {"push", push, header("Content-Type", "application/json; charset=utf-8"), 202, Accepted},
		"text":             {"push", push, header("Content-Type", "text/plain"), 415, Media},
		"no type":          {"push", push, without("Content-Type"), 415, Media},
		"unsigned":         {"push", push, without("X-Hub-Signature-256"), 401, Unsigned},
		"SHA-1":            {"push", push, header("X-Hub-Signature-256", "sha1="+sign(push, secret)), 401, Unsigned},
		"short signature":  {"push", push, header("X-Hub-Signature-256", "sha256="+sign(push, secret)[:32]), 401, Unsigned},
		"no hex":           {"push", push, header("X-Hub-Signature-256", "sha256="+strings.Repeat("z", 64)), 401, Unsigned},
		"empty secret":     {"push", push, header("X-Hub-Signature-256", "sha256="+sign(push, "")), 401, Forged},
		"another secret":   {"push", push, header("X-Hub-Signature-256", "sha256="+sign(push, "x"+secret)), 401, Forged},
		"another body":     {"push", push, body(strings.NewReader(push + " ")), 401, Forged},
		"says it is long":  {"push", push, func(r *http.Request) { r.ContentLength = MaxBody + 1 }, 413, TooLong},
		"long":             {"push", push, body(strings.NewReader(long)), 413, TooLong},
		"cut short":        {"push", push, body(iotest.ErrReader(io.ErrUnexpectedEOF)), 400, Cut},
		"Gitea's signature": {"push", push, func(r *http.Request) {
			r.Header.Del("X-Hub-Signature-256")
			r.Header.Set("X-Gitea-Signature", sign(push, secret))
		}, 401, Unsigned},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInbox(t)
			r := message(GitHub, c.event, c.body)
			if c.spoil != nil {
				c.spoil(r)
			}
			code, words := i.send(r)
			if code != c.code || len(i.outcomes) != 1 || i.last() != c.outcome {
				t.Errorf("answered %d (%s) %v, want %d %s", code, words, i.outcomes, c.code, c.outcome)
			}
			if (c.outcome == Accepted) != (len(i.events) == 1) {
				t.Errorf("events %+v", i.events)
			}
			if code == http.StatusUnauthorized && words != "unauthorized" {
				t.Errorf("a stranger gets %q", words)
			}
		})
	}
}

func TestMethodsAndPaths(t *testing.T) {
	i := newInbox(t)
	for path, want := range map[string]int{"/webhook/github": 405, "/webhook/gitea": 405, "/webhook/gitlab": 405, "/webhook/bitbucket": 404, "/webhook/": 404} {
		if code, _ := i.send(httptest.NewRequest(http.MethodGet, path, nil)); code != want {
			t.Errorf("GET %s answers %d, want %d", path, code, want)
		}
	}
}

func TestEvents(t *testing.T) {
	const in = `"repository": {"full_name": "acme/config"}`
	for _, c := range []struct {
		forge       Forge
		event, body string
		want        Event
	}{
		{GitHub, "push", push, Event{Kind: Push, Branch: "main", Commit: newest}},
		{GitHub, "push", `{"ref": "refs/heads/feature/x", "after": "junk", ` + in + `}`, Event{Kind: Push, Branch: "feature/x"}},
		{GitHub, "pull_request", `{"number": 7, "pull_request": {"head": {"sha": "` + newest + `"}, "base": {"ref": "main"}}, ` + in + `}`, Event{Kind: Pull, Branch: "main", Number: 7, Commit: newest}},
		{GitHub, "pull_request", `{"number": -7, "pull_request": {"head": {"sha": "x"}, "base": {"ref": "a\u0000b"}}, ` + in + `}`, Event{Kind: Pull}},
		{GitHub, "issue_comment", `{"issue": {"number": 7, "pull_request": {"url": "x"}}, ` + in + `}`, Event{Kind: Comment, Number: 7}},
		{Gitea, "issue_comment", `{"is_pull": true, "issue": {"number": 7}, ` + in + `}`, Event{Kind: Comment, Number: 7}},
	} {
		i := newInbox(t)
		c.want.Forge, c.want.Repository = c.forge, "acme/config"
		if code, _ := i.send(message(c.forge, c.event, c.body)); code != 202 || i.events[0] != c.want {
			t.Errorf("%s: answered %d, event %+v, want %+v", c.body, code, i.events, c.want)
		}
	}
}

// TestGiteaMessages reads the messages of a real Gitea. They were signed again with the secret of
// the tests.
func TestGiteaMessages(t *testing.T) {
	files, err := filepath.Glob("testdata/gitea/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no messages", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".header")
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{"X-Gitea", "X-Forgejo"} {
			i := newInbox(t)
			r := httptest.NewRequest(http.MethodPost, "/webhook/gitea", strings.NewReader(string(body)))
			for line := range strings.Lines(string(lines)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				r.Header.Set(strings.Replace(name, "X-Gitea", way, 1), value)
			}
			r.Header.Set(way+"-Signature", sign(string(body), secret))
			code, words := i.send(r)
			if code != http.StatusAccepted || len(i.events) != 1 {
				t.Fatalf("%s: answered %d %s", file, code, words)
			}
			e, name := i.events[0], filepath.Base(file)
			kind := map[bool]Kind{strings.HasPrefix(name, "push"): Push, strings.HasPrefix(name, "pull_request"): Pull, strings.HasPrefix(name, "issue_comment"): Comment}[true]
			if e.Kind != kind || e.Forge != Gitea || e.Repository != "acme/cloud-config" || e.Branch == "" || e.Commit == "" || (e.Number == 0) != (kind == Push) {
				t.Errorf("%s says %+v", file, e)
			}
		}
	}
}

func TestSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() ([]string, error) { return Secrets(file) }
	for name, prepare := range map[string]func(){
		"missing": func() {}, "empty": func() { write("") }, "blank": func() { write(" \n\n") }, "huge": func() { write(strings.Repeat("x", localfile.Secret+1)) },
		"many": func() { write(strings.Repeat("x\n", maxSecrets+1)) },
	} {
		prepare()
		if _, err := New(Config{Secrets: read}); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{Secrets: func() ([]string, error) { return []string{""}, nil }}); err == nil {
		t.Error("an endpoint was made with an empty secret")
	}

	write("old\n")
	e, err := New(Config{Secrets: read, Notify: func(Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	answer := func(with string) int {
		r := message(GitHub, "ping", "{}")
		r.Header.Set("X-Hub-Signature-256", "sha256="+sign("{}", with))
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		return w.Code
	}
	for _, c := range []struct {
		file     string
		old, new int
	}{{"old", 200, 401}, {"old\r\nnew\n", 200, 200}, {"new", 401, 200}, {"", 503, 503}} {
		write(c.file)
		if old, new := answer("old"), answer("new"); old != c.old || new != c.new {
			t.Errorf("with %q: %d and %d, want %d and %d", c.file, old, new, c.old, c.new)
		}
	}
}

func FuzzMessage(f *testing.F) {
	for _, event := range []string{"push", "pull_request", "issue_comment", "ping", ""} {
		f.Add(event, push, true)
	}
	f.Add("issue_comment", `{"is_pull": true, "issue": {"pull_request": null}, "repository": {"full_name": "a/b"}}`, false)
	f.Fuzz(func(t *testing.T, event, body string, github bool) {
		i := newInbox(t)
		forge := Gitea
		if github {
			forge = GitHub
		}
		code, _ := i.send(message(forge, event, body))
		switch code {
		case 200, 202, 204, 400, 413:
		default:
			t.Errorf("answered %d", code)
		}
		for _, e := range i.events {
			if e.Kind == 0 || !fullName.MatchString(e.Repository) || e.Number < 0 || e.Commit != "" && !fullHash.MatchString(e.Commit) {
				t.Errorf("event %+v", e)
			}
		}
	})
}

// FuzzHeads sends messages with any headers. An unsigned message is never accepted, and no answer
// contains the secret.
func FuzzHeads(f *testing.F) {
	f.Add("application/json", "push", "sha256="+sign(push, "guess"), sign(push, "guess"), push)
	f.Add("application/json; charset=utf-8", "ping", "sha256=", "", "{}")
	f.Add("application/x-www-form-urlencoded", "push", "sha1=00", strings.Repeat("0", 64), "payload=%7B%7D")
	f.Add("a/b;c", "", "", strings.Repeat("0", 1<<12), "")
	f.Fuzz(func(t *testing.T, media, event, github, gitea, body string) {
		for _, forge := range []Forge{GitHub, Gitea} {
			i := newInbox(t)
			r := message(forge, event, body)
			r.Header.Set("Content-Type", media)
			r.Header.Set("X-Hub-Signature-256", github)
			r.Header.Set("X-Gitea-Signature", gitea)
			code, words := i.send(r)
			if strings.Contains(strings.ToLower(github+gitea), sign(body, secret)) {
				return // the fuzzer found the signature
			}
			if code < 400 || len(i.events) > 0 || strings.Contains(words, secret) {
				t.Errorf("answered %d %s, events %+v", code, words, i.events)
			}
		}
	})
}

// FuzzSecrets reads any file. The secrets are lines of the file, and none is empty.
func FuzzSecrets(f *testing.F) {
	for _, text := range []string{"a\n", "old\r\nnew", " \n\t", "", "\x00", strings.Repeat("x\n", 9), "\u2028", "a b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		secrets, err := Secrets(file)
		if (err == nil) != (len(secrets) > 0 && len(secrets) <= maxSecrets) {
			t.Errorf("%q gives %q, %v", text, secrets, err)
		}
		for _, s := range secrets {
			if s == "" || strings.TrimSpace(s) != s || strings.Contains(s, "\n") || !strings.Contains(text, s) {
				t.Errorf("%q gives %q", text, s)
			}
		}
	})
}
