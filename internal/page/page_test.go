package page

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/readapi"
	"github.com/stackreeve/stackreeve/internal/report"
)

const token = "tttttttttttttttttttttttttttttttttttttttt"

// place is a page and its server.
type place struct {
	t      *testing.T
	tokens string // the file of tokens
	store  *readapi.Store
	page   *Handler
	server *httptest.Server
	now    time.Time
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, tokens: filepath.Join(t.TempDir(), "tokens"), store: readapi.NewStore([]string{"prod"}, nil, time.Unix(1, 0)), now: time.Now()}
	p.write("alice " + token)
	holders, err := control.NewHolders(func() ([]control.Token, error) { return control.Tokens(p.tokens) }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	read := readapi.New(p.store, func() ([]readapi.Schema, error) { return nil, nil }, "test")
	p.page, err = New(Config{Holders: holders, Store: p.store, Read: read, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return p.now }})
	if err != nil {
		t.Fatal(err)
	}
	p.server = httptest.NewServer(p.page)
	t.Cleanup(p.server.Close)
	t.Cleanup(p.store.Close)
	return p
}

func (p *place) write(text string) {
	p.t.Helper()
	if err := os.WriteFile(p.tokens, []byte(text+"\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// ask sends one request. header contains names and values alternately.
func (p *place) ask(method, path, session string, header ...string) *http.Response {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.server.URL+path, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	if session != "" {
		req.AddCookie(&http.Cookie{Name: cookieName, Value: session})
	}
	resp, err := p.server.Client().Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// login starts a session with a token and returns the session. It returns "" if the token is refused.
func (p *place) login(token string) string {
	p.t.Helper()
	resp := p.ask(http.MethodPost, "/ui/login", "", "Authorization", "Bearer "+token, "Origin", p.server.URL)
	for _, c := range resp.Cookies() {
		if resp.StatusCode == http.StatusNoContent && c.Name == cookieName {
			return c.Value
		}
	}
	return ""
}

const stacksPath = "/ui/data/apis/stackreeve.dev/v1alpha1/stacks"

// Every answer forbids content from other servers, and data are not cached.
func TestAttackHeadersOfThePage(t *testing.T) {
	p := newPlace(t)
	session := p.login(token)
	for _, path := range []string{"/ui/", "/ui/page.js", "/ui/page.css", "/ui/other", stacksPath, "/ui/data/objects?stack=prod"} {
		h := p.ask(http.MethodGet, path, session).Header
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(h.Get("Content-Security-Policy"), want) {
				t.Errorf("%s: the policy lacks %s", path, want)
			}
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, h)
		}
		if strings.Contains(path, "data") && h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be kept: %s", path, h.Get("Cache-Control"))
		}
	}
}

// Without a session there is no data, and a session needs a valid token.
func TestAttackThePageWithoutASession(t *testing.T) {
	p := newPlace(t)
	if p.login(strings.Repeat("u", 40)) != "" || p.login("") != "" {
		t.Error("a wrong token begins a session")
	}
	for _, path := range []string{stacksPath, "/ui/data/objects?stack=prod", "/ui/events", "/ui/data/version"} {
		for _, session := range []string{"", "x", strings.Repeat("A", 52)} {
			resp := p.ask(http.MethodGet, path, session, "Authorization", "Bearer "+token)
			if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusUnauthorized || strings.Contains(string(text), "prod") {
				t.Errorf("%s: %s %s", path, resp.Status, text)
			}
		}
	}
	if resp := p.ask(http.MethodGet, stacksPath, p.login(token)); resp.StatusCode != http.StatusOK {
		t.Errorf("with a session: %s", resp.Status)
	}
}

func TestAttackMethodsOfThePage(t *testing.T) {
	p := newPlace(t)
	session := p.login(token)
	for _, c := range []struct {
		method, path string
		code         int
	}{
		{"POST", "/ui/", 405},
		{"DELETE", stacksPath, 405},
		{"PUT", "/ui/events", 405},
		{"GET", "/ui/login", 405},
		{"GET", "/ui/logout", 405},
		{"GET", "/ui/data/apis/stackreeve.dev/v1alpha1/stacks?watch=true", 404},
		{"GET", "/ui/data/metrics", 404},
		{"GET", "/ui/data/objects?stack=other", 404},
		{"GET", "/ui/page.go", 404},
	} {
		if resp := p.ask(c.method, c.path, session, "Origin", p.server.URL); resp.StatusCode != c.code {
			t.Errorf("%s %s: %s", c.method, c.path, resp.Status)
		}
	}
}

// A form or a script of another site can neither start nor end a session.
func TestAttackLoginFromAnotherSite(t *testing.T) {
	p := newPlace(t)
	session := p.login(token)
	for _, header := range [][]string{
		{"Origin", "https://evil.example"},
		{"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site", "Origin", p.server.URL},
		{"Sec-Fetch-Site", "same-site", "Origin", p.server.URL},
		{},
	} {
		for _, path := range []string{"/ui/login", "/ui/logout"} {
			if resp := p.ask(http.MethodPost, path, session, append(header, "Authorization", "Bearer "+token)...); resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) > 0 {
				t.Errorf("%s %v: %s", path, header, resp.Status)
			}
		}
	}
	if resp := p.ask(http.MethodGet, stacksPath, session); resp.StatusCode != http.StatusOK {
		t.Errorf("the session has ended: %s", resp.Status)
	}
}

func TestTheCookie(t *testing.T) {
	p := newPlace(t)
	resp := p.ask(http.MethodPost, "/ui/login", "", "Authorization", "Bearer "+token, "Origin", p.server.URL)
	c := resp.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/ui/" || c.Secure || strings.Contains(c.Value, token) {
		t.Errorf("%+v", c)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/ui/login", http.NoBody)
	r.Header.Set("Origin", "https://agent.example")
	if !cookie(r, "x").Secure {
		t.Error("behind a proxy that speaks TLS the cookie is not secure")
	}
}

// A session ends after its time, when its token is removed, when its holder ends it, and when there are too many
// sessions.
func TestAttackSessionsEnd(t *testing.T) {
	p := newPlace(t)
	lives := func(session string) bool {
		return p.ask(http.MethodGet, stacksPath, session).StatusCode == http.StatusOK
	}
	out := p.login(token)
	p.ask(http.MethodPost, "/ui/logout", out, "Origin", p.server.URL)
	first := p.login(token)
	if lives(out) || !lives(first) {
		t.Error("the session that was ended lives, or another does not")
	}
	p.now = p.now.Add(time.Minute)
	for range maxSessions {
		p.login(token)
	}
	if lives(first) || len(p.page.sessions.held) > maxSessions {
		t.Errorf("there are %d sessions, and the oldest is one of them: %t", len(p.page.sessions.held), lives(first))
	}
	late := p.login(token)
	p.now = p.now.Add(longest + time.Second)
	if lives(late) {
		t.Error("a session lives for longer than it should")
	}
	revoked := p.login(token)
	p.write("bob " + strings.Repeat("v", 40))
	if lives(revoked) {
		t.Error("a session outlives its token")
	}
}

// news returns the next message of a stream.
func news(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return data
		}
	}
	return ""
}

// A client that waits for events receives them until the end. The number of waiting clients is limited.
func TestAttackWatchersOfThePage(t *testing.T) {
	p := newPlace(t)
	session := p.login(token)
	first := p.ask(http.MethodGet, "/ui/events", session)
	lines := bufio.NewScanner(first.Body)
	before := news(t, lines)
	p.store.Ran(report.Run{Stack: "prod", Err: context.Canceled})
	if after := news(t, lines); before == "" || after == "" || after == before {
		t.Errorf("the version was %q and is %q", before, after)
	}
	for range watchers - 1 {
		if resp := p.ask(http.MethodGet, "/ui/events", session); resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
	}
	if resp := p.ask(http.MethodGet, "/ui/events", session); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one more is answered %s", resp.Status)
	}
	p.store.Close()
	if rest := news(t, lines); rest != "" {
		t.Errorf("after the end comes %q", rest)
	}
}

// The page makes only text nodes of texts, so no text is interpreted as markup.
func TestAttackNoMarkupFromTexts(t *testing.T) {
	code, err := files.ReadFile("ui/page.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser", "createContextualFragment", "localStorage", "sessionStorage", "document.cookie"} {
		if strings.Contains(string(code), way) {
			t.Errorf("the page uses %s", way)
		}
	}
}

// Unchanged objects are not sent again.
func TestObjectsSince(t *testing.T) {
	p := newPlace(t)
	session := p.login(token)
	text, _ := io.ReadAll(p.ask(http.MethodGet, "/ui/data/objects?stack=prod", session).Body)
	_, rest, _ := strings.Cut(string(text), `"version":`)
	version, _, _ := strings.Cut(rest, ",")
	if resp := p.ask(http.MethodGet, "/ui/data/objects?stack=prod&since="+version, session); resp.StatusCode != http.StatusNoContent {
		t.Errorf("since %s: %s", version, resp.Status)
	}
}

// slowReader is a browser that reads nothing for a while.
type slowReader struct {
	*httptest.ResponseRecorder
	begun chan<- struct{}
	reads <-chan struct{}
}

func (r slowReader) Write(text []byte) (int, error) {
	r.begun <- struct{}{}
	<-r.reads
	return len(text), nil
}

// A client that reads slowly does not prevent others from logging in or reading.
func TestAttackSlowReadersOfThePage(t *testing.T) {
	p := newPlace(t)
	session := p.login(token)
	const each = 3 * atATime
	begun, reads := make(chan struct{}, 1000), make(chan struct{})
	var done sync.WaitGroup
	for _, path := range []string{"/ui/data/objects?stack=prod", "/ui/data/api/v1/namespaces"} {
		for range each {
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
			req.AddCookie(&http.Cookie{Name: cookieName, Value: session})
			done.Go(func() { p.page.ServeHTTP(slowReader{httptest.NewRecorder(), begun, reads}, req) })
		}
	}
	for range 2 * each {
		<-begun
	}
	if p.login(token) == "" {
		t.Error("nobody can log in")
	}
	if resp := p.ask(http.MethodGet, "/ui/data/objects?stack=prod", session); resp.StatusCode != http.StatusOK {
		t.Errorf("another one reads %s", resp.Status)
	}
	close(reads)
	done.Wait()
}
