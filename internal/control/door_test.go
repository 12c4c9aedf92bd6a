package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/listen"
)

const (
	secret = "0123456789abcdef0123456789abcdef0123456789abcdef"
	hash   = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// door runs a server with a handler as the agent does, for the stack prod.
type door struct {
	elsewhere error
	*testing.T
	file, address string

	mu       sync.Mutex
	looks    int
	approved []string // the hashes, each with the person who approved it
	refusal  error
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{T: t, file: filepath.Join(t.TempDir(), "token")}
	d.write("# ours\nalice " + secret + "\n")
	quiet := slog.New(slog.DiscardHandler)
	h, err := New(Config{
		Tokens: func() ([]Token, error) { return Tokens(d.file) }, Log: quiet,
		Stack: func(name string) (Actions, bool) {
			return Actions{Now: d.now, Approve: d.approve, Replace: d.replace, Elsewhere: func() error { return d.elsewhere }, State: func() any { return map[string]string{"stack": "prod"} }}, name == "prod"
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(Prefix, h)
	d.address = serve(t, mux)
	return d
}

func serve(t *testing.T, h http.Handler) (address string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := listen.New(h, slog.New(slog.DiscardHandler))
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(l) }() // Serve returns when the server is shut down
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		cancel()
		_ = server.Shutdown(ctx) // the server does not wait for any client
		<-ended
	})
	return l.Addr().String()
}

func (d *door) write(text string) {
	d.Helper()
	if err := os.WriteFile(d.file, []byte(text), 0o600); err != nil {
		d.Fatal(err)
	}
}

func (d *door) now() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.looks++
}

func (d *door) approve(hash, by string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refusal == nil {
		d.approved = append(d.approved, hash+" "+by)
	}
	return d.refusal
}

func (d *door) replace(hash string, targets []string, by string) error {
	return d.approve(hash+" "+strings.Join(targets, " "), by)
}

// touched reports whether any request was carried out since its last call.
func (d *door) touched() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	did := d.looks > 0 || len(d.approved) > 0
	d.looks, d.approved = 0, nil
	return did
}

// ask sends a request without changing it, and returns the answer.
func (d *door) ask(request string) (code int, body string, header http.Header) {
	d.Helper()
	conn, err := new(net.Dialer).DialContext(d.Context(), "tcp", d.address)
	if err != nil {
		d.Fatal(err)
	}
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, request) }() // a failure shows as a missing answer
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, "", nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		d.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

const bearing = "Authorization: Bearer " + secret + "\r\n"

// request returns the text of a request as a client would write it.
func request(method, path, headers, body string) string {
	text := method + " " + path + " HTTP/1.1\r\nHost: agent\r\n" + headers
	if body != "" || method == http.MethodPost {
		text += "Content-Length: " + itoa(len(body)) + "\r\n"
	}
	return text + "\r\n" + body
}

func itoa(n int) string {
	text, err := json.Marshal(n)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestWhatCanBeAsked(t *testing.T) {
	d := newDoor(t)
	if code, body, _ := d.ask(request("POST", "/stacks/prod/reconcile", bearing, "")); code != http.StatusAccepted || d.looks != 1 {
		t.Errorf("reconcile: %d %s, %d looks", code, body, d.looks)
	}
	if code, body, _ := d.ask(request("POST", "/stacks/prod/approve", bearing, hash+"\n")); code != http.StatusAccepted || len(d.approved) != 1 || d.approved[0] != hash+" alice" {
		t.Errorf("approve: %d %s, %q", code, body, d.approved)
	}
	d.refusal = errors.New("another plan")
	if code, body, _ := d.ask(request("POST", "/stacks/prod/approve", bearing, hash)); code != http.StatusConflict || !strings.Contains(body, "another plan") {
		t.Errorf("another plan: %d %s", code, body)
	}
	if code, body, _ := d.ask(request("GET", "/stacks/prod", bearing, "")); code != http.StatusOK || !strings.Contains(body, `"stack": "prod"`) {
		t.Errorf("state: %d %s", code, body)
	}
	if code, _, header := d.ask(request("GET", "/stacks/prod/reconcile", bearing, "")); code != http.StatusMethodNotAllowed || header.Get("Allow") != "POST" {
		t.Errorf("GET of reconcile: %d %v", code, header)
	}
	if code, _, _ := d.ask(request("POST", "/stacks/test/reconcile", bearing, "")); code != http.StatusNotFound {
		t.Errorf("an unknown stack: %d", code)
	}
}

// A stack that another agent serves is shown, and cannot be changed here.
func TestAStackOfAnotherAgent(t *testing.T) {
	d := newDoor(t)
	d.elsewhere = errors.New("the stack prod is served by the agent b; ask at https://b")
	for _, verb := range []string{"reconcile", "approve"} {
		code, body, _ := d.ask(request("POST", "/stacks/prod/"+verb, bearing, hash))
		if code != http.StatusConflict || !strings.Contains(body, "ask at https://b") || d.touched() {
			t.Errorf("%s: %d %s", verb, code, body)
		}
	}
	if code, _, _ := d.ask(request("GET", "/stacks/prod", bearing, "")); code != http.StatusOK {
		t.Errorf("state: %d", code)
	}
	if code, body, _ := d.ask(request("POST", "/stacks/prod/reconcile", "", "")); code != http.StatusUnauthorized || strings.Contains(body, "https") {
		t.Errorf("without a token: %d %s", code, body)
	}
}

func TestTheTokenFileIsReadAgain(t *testing.T) {
	d := newDoor(t)
	ask := func() int {
		code, _, _ := d.ask(request("POST", "/stacks/prod/reconcile", bearing, ""))
		return code
	}
	d.write("bob " + strings.Repeat("b", 40))
	if code := ask(); code != http.StatusUnauthorized {
		t.Errorf("a token that was taken away: %d", code)
	}
	d.write("short")
	if code := ask(); code != http.StatusServiceUnavailable {
		t.Errorf("a file that is no good: %d", code)
	}
	d.write(strings.Repeat("b", 40) + "\n" + secret)
	if code := ask(); code != http.StatusAccepted {
		t.Errorf("the second of two tokens: %d", code)
	}
}

// A long request notices that its token was removed.
func TestTheTokenIsAskedForAgain(t *testing.T) {
	d := newDoor(t)
	var asked context.Context
	guard, err := Guard(func() ([]Token, error) { return Tokens(d.file) }, slog.New(slog.DiscardHandler),
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.Context() }), func(http.ResponseWriter, int) {})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+secret)
	guard.ServeHTTP(httptest.NewRecorder(), r)
	if Counts(t.Context()) {
		t.Error("a request that no guard has let in has a token")
	}
	for _, c := range []struct {
		file string
		want bool
	}{
		{"bob " + strings.Repeat("b", 40) + "\nalice " + secret, true}, {"bob " + strings.Repeat("b", 40), false}, {"short", false}, {"alice " + secret, true},
	} {
		d.write(c.file)
		if Counts(asked) != c.want {
			t.Errorf("with %.8s… it counts: %v", c.file, !c.want)
		}
	}
}

func TestTokenFiles(t *testing.T) {
	long := strings.Repeat("t", ShortToken)
	for text, want := range map[string]string{
		"":                                  "contains no token; create a token with",
		"# only a comment":                  "contains no token",
		long[1:]:                            "token:1: the token is shorter than 32 characters",
		"\nalice " + long[1:]:               "token:2: the token is shorter",
		"a b " + long:                       "has more than a name and a token",
		"a/b " + long:                       "the name before the token",
		strings.Repeat("t", longToken+1):    "longer than 512",
		strings.Repeat(long+"\n", 65):       "token:65: more than 64 tokens",
		strings.Repeat("x", 1<<17):          "larger than",
		long:                                "",
		"alice " + long + "\r\nbob " + long: "",
	} {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Tokens(file)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), long[1:]) {
			t.Errorf("the token is shown: %v", err)
		}
	}
	if _, err := Tokens(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("there is no file, and no error")
	}
}

func TestTheClient(t *testing.T) {
	d := newDoor(t)
	c, err := NewClient("http://"+d.address+"/", d.file, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Reconcile(t.Context(), "prod"); err != nil || d.looks != 1 {
		t.Errorf("%v after %d looks", err, d.looks)
	}
	if err := c.Approve(t.Context(), "prod", hash); err != nil || len(d.approved) != 1 {
		t.Errorf("%v, approved %q", err, d.approved)
	}
	if err := c.Reconcile(t.Context(), "test"); err == nil || !strings.Contains(err.Error(), "no such stack") {
		t.Errorf("an unknown stack: %v", err)
	}
	if err := c.Reconcile(t.Context(), "../prod"); err == nil || !strings.Contains(err.Error(), "cannot be a stack's name") {
		t.Errorf("no name: %v", err)
	}
	for _, address := range []string{"http://agent.example.com", "http://192.0.2.1:9464", "ftp://localhost", "localhost:9464", "https://token@agent.example.com", "https://agent.example.com/?token=x"} {
		if _, err := NewClient(address, d.file, ""); err == nil {
			t.Errorf("the token would be sent to %s", address)
		}
	}
}
