package control

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A client without a token gets no information and cannot cause anything: it gets the same answer for every
// path, stack and method.
func TestAttackWithoutTheToken(t *testing.T) {
	d := newDoor(t)
	headers := map[string]string{
		"none":                 "",
		"empty":                "Authorization: \r\n",
		"no token":             "Authorization: Bearer \r\n",
		"wrong":                "Authorization: Bearer " + strings.Repeat("x", len(secret)) + "\r\n",
		"the first characters": "Authorization: Bearer " + secret[:len(secret)-1] + "\r\n",
		"with more":            "Authorization: Bearer " + secret + "0\r\n",
		"upper case":           "Authorization: Bearer " + strings.ToUpper(secret) + "\r\n",
		"its line of the file": "Authorization: Bearer alice " + secret + "\r\n",
		"another scheme":       "Authorization: Basic " + secret + "\r\n",
		"no scheme":            "Authorization: " + secret + "\r\n",
		"two headers":          bearing + bearing,
		"another header":       "X-Authorization: Bearer " + secret + "\r\nProxy-Authorization: Bearer " + secret + "\r\n",
		"a cookie":             "Cookie: token=" + secret + "; Authorization=Bearer " + secret + "\r\n",
	}
	var first string
	for name, header := range headers {
		for _, path := range []string{"/stacks/prod/reconcile", "/stacks/prod/approve", "/stacks/prod/replace", "/stacks/prod", "/stacks/test/reconcile", "/stacks/", "/stacks/prod/other"} {
			for _, method := range []string{"GET", "POST", "PUT", "OPTIONS"} {
				code, body, _ := d.ask(request(method, path, header, hash))
				if first == "" {
					first = body
				}
				if code != http.StatusUnauthorized || body != first {
					t.Errorf("%s, %s %s: %d %q", name, method, path, code, body)
				}
			}
		}
	}
	if d.touched() {
		t.Error("something was carried out")
	}
}

// A token in the address gives no access, because addresses are written to logs and histories.
func TestAttackTokenInTheQuery(t *testing.T) {
	d := newDoor(t)
	for _, query := range []string{"?token=" + secret, "?access_token=" + secret, "?Authorization=Bearer%20" + secret, "?authorization=Bearer+" + secret} {
		if code, _, _ := d.ask(request("POST", "/stacks/prod/reconcile"+query, "", "")); code != http.StatusUnauthorized {
			t.Errorf("%s: %d", query, code)
		}
	}
	if code, _, _ := d.ask(request("POST", "http://alice:"+secret+"@agent/stacks/prod/reconcile", "", "")); code == http.StatusAccepted {
		t.Error("a login in the address opens the door")
	}
	if d.touched() {
		t.Error("something was carried out")
	}
}

// A page can send forms if it is in the browser of somebody who can reach the agent. But it cannot send an
// Authorization header, and the agent does not allow it to send one.
func TestAttackFormOfAnotherSite(t *testing.T) {
	d := newDoor(t)
	from := "Origin: https://evil.example.com\r\nReferer: https://evil.example.com/\r\nSec-Fetch-Site: cross-site\r\n"
	for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"} {
		for _, body := range []string{"", hash, "Authorization=Bearer " + secret, "token=" + secret} {
			if code, _, _ := d.ask(request("POST", "/stacks/prod/approve", from+"Content-Type: "+kind+"\r\n", body)); code != http.StatusUnauthorized {
				t.Errorf("%s %q: %d", kind, body, code)
			}
		}
	}
	code, _, header := d.ask(request("OPTIONS", "/stacks/prod/reconcile", from+"Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization\r\n", ""))
	if code < 400 || header.Get("Access-Control-Allow-Origin") != "" || header.Get("Access-Control-Allow-Headers") != "" {
		t.Errorf("a browser that asks first is answered %d %v", code, header)
	}
	if d.touched() {
		t.Error("something was carried out")
	}
}

// A path refers to a stack only if it contains exactly the stack's name.
func TestAttackPathsThatAreNoStack(t *testing.T) {
	d := newDoor(t)
	for _, path := range []string{
		"/stacks/PROD/reconcile", "/stacks/prod%2freconcile", "/stacks/%70rod/reconcile", "/stacks/prod%00/reconcile", "/stacks/prod%20/reconcile",
		"/stacks/../stacks/prod/reconcile", "/stacks/./prod/reconcile", "/stacks//prod/reconcile", "/stacks/prod//reconcile", "/stacks/prod/reconcile/",
		"/stacks/test/../prod/reconcile", "/stacks/test%2f..%2fprod/reconcile", "/stacks/prod;x/reconcile", "/stacks/*/reconcile", "/stacks//reconcile", "/stacks/" + strings.Repeat("a", 4000) + "/reconcile",
	} {
		code, body, _ := d.ask(request("POST", path, bearing, ""))
		if code == http.StatusAccepted || code == http.StatusOK || strings.Contains(body, "aaaa") {
			t.Errorf("%.50s: %d %.100s", path, code, body)
		}
		if d.touched() {
			t.Errorf("%.50s was carried out", path)
		}
	}
}

// A header or a body that is too large is refused without being read, with the token and without it. The agent
// does not wait for a body that it does not need.
func TestAttackHugeHeadersAndBodies(t *testing.T) {
	d := newDoor(t)
	huge := "Authorization: Bearer " + strings.Repeat("x", 64<<10) + "\r\n"
	if code, _, _ := d.ask(request("POST", "/stacks/prod/reconcile", huge, "")); code != http.StatusRequestHeaderFieldsTooLarge && code != 0 {
		t.Errorf("64 KiB of a token: %d", code)
	}
	if code, _, _ := d.ask(request("POST", "/stacks/prod/reconcile", "Authorization: Bearer "+strings.Repeat("x", longToken+1)+"\r\n", "")); code != http.StatusUnauthorized {
		t.Errorf("a long token: %d", code)
	}
	many := strings.Repeat("X-A: b\r\n", 1000)
	if code, _, _ := d.ask(request("POST", "/stacks/prod/reconcile", many, "")); code < 400 && code != 0 {
		t.Errorf("1000 headers: %d", code)
	}
	// These bodies are never sent, so a server that waits for them would never answer.
	endless := "Content-Length: 1099511627776\r\n"
	for header, want := range map[string]int{endless: http.StatusUnauthorized, endless + bearing: http.StatusAccepted} {
		if code, _, _ := d.ask("POST /stacks/prod/reconcile HTTP/1.1\r\nHost: agent\r\n" + header + "\r\n"); code != want {
			t.Errorf("a body that does not come: %d, want %d", code, want)
		}
	}
	d.touched()
	if code, _, _ := d.ask(request("POST", "/stacks/prod/approve", bearing, hash+strings.Repeat(" ", 1<<20))); code != http.StatusRequestEntityTooLarge && code != 0 {
		t.Errorf("1 MiB of a hash: %d", code)
	}
	for _, body := range []string{"", "hash=" + hash, strings.ToUpper(hash), hash[1:], hash + hash, hash + "\n" + hash, "0x" + hash[2:]} {
		if code, _, _ := d.ask(request("POST", "/stacks/prod/approve", bearing, body)); code != http.StatusBadRequest {
			t.Errorf("the hash %q: %d", body, code)
		}
	}
	if d.touched() {
		t.Error("something was carried out")
	}
}

// The digest of the token is compared with all digests of the file, and each comparison is complete. So the time
// of an answer does not reveal how much of a guess is right.
func TestAttackTimingOfTheToken(t *testing.T) {
	source, err := os.ReadFile("token.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, ok := strings.Cut(string(source), "\nfunc holder(")
	if body, _, _ = strings.Cut(body, "\n}\n"); !ok || !strings.Contains(body, "subtle.ConstantTimeCompare(sum[:], t.digest[:])") ||
		strings.Contains(body, "break") || strings.Count(body, "return") != 1 {
		t.Errorf("the comparison may end early:\n%s", body)
	}
	list := []Token{{Name: "a"}, {Name: "b"}}
	if _, ok := holder(list, secret); ok {
		t.Error("a token without a digest lets somebody in")
	}
}

// Without a configured token, every request is refused, and the answer says how to change that.
func TestAttackWithNothingConfigured(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc(Prefix, Off)
	d := &door{T: t, address: serve(t, mux)}
	for _, header := range []string{"", bearing, "Authorization: Bearer \r\n"} {
		if code, body, _ := d.ask(request("POST", "/stacks/prod/reconcile", header, "")); code != http.StatusNotFound || !strings.Contains(body, "--control-token-file") {
			t.Errorf("%d %s", code, body)
		}
	}
	for _, tokens := range []func() ([]Token, error){func() ([]Token, error) { return nil, errors.New("empty") }, func() ([]Token, error) { return nil, nil }} {
		if _, err := New(Config{Tokens: tokens, Log: slog.New(slog.DiscardHandler)}); err == nil {
			t.Error("a handler without a token")
		}
	}
}

// A token is sent without encryption only to this machine. It is not sent to a link-local address, where another
// machine may answer.
func TestAttackTokenOverTheLink(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(strings.Repeat("x", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"http://127.0.0.1:9464": true, "http://localhost:9464": true, "http://[::1]:9464": true, "https://169.254.1.1": true,
		"http://169.254.1.1:9464": false, "http://[fe80::1]:9464": false, "http://224.0.0.1": false, "http://10.0.0.1": false, "http://example.org": false,
	} {
		if _, err := NewClient(address, token, ""); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A request for a replacement has a hash and names, and nothing else.
func TestAttackReplacements(t *testing.T) {
	d := newDoor(t)
	many := strings.Repeat("\nServer/web", maxTargets)
	for body, want := range map[string]int{
		"": http.StatusBadRequest, hash: http.StatusBadRequest, hash + "\n": http.StatusBadRequest, "Server/web": http.StatusBadRequest, "Server/web\n" + hash: http.StatusBadRequest,
		hash + "\nServer": http.StatusBadRequest, hash + "\nServer/": http.StatusBadRequest, hash + "\n/web": http.StatusBadRequest, hash + "\nServer/a/b/c": http.StatusBadRequest,
		hash + "\nServer/web\r\nServer/db": http.StatusBadRequest, hash + "\nServer/web x": http.StatusBadRequest, hash + "\n\nServer/web": http.StatusBadRequest, hash[1:] + "\nServer/web": http.StatusBadRequest,
		hash + many + "\nServer/web": http.StatusRequestEntityTooLarge, hash + "\nServer/" + strings.Repeat("x", maxRequest): http.StatusRequestEntityTooLarge,
	} {
		if code, _, _ := d.ask(request("POST", "/stacks/prod/replace", bearing, body)); code != want && code != 0 {
			t.Errorf("%.100q: %d, want %d", body, code, want)
		}
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		if code, _, _ := d.ask(request(method, "/stacks/prod/replace", bearing, hash+"\nServer/web")); code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, code)
		}
	}
	if d.touched() {
		t.Error("something was carried out")
	}
	code, _, _ := d.ask(request("POST", "/stacks/prod/replace", bearing, hash+"\nServer/web-*\nNetwork/blue/front\n"))
	if want := hash + " Server/web-* Network/blue/front alice"; code != http.StatusAccepted || len(d.approved) != 1 || d.approved[0] != want {
		t.Errorf("%d %q, want %q", code, d.approved, want)
	}
	d.elsewhere = errors.New("agent b serves it")
	if code, body, _ := d.ask(request("POST", "/stacks/prod/replace", bearing, hash+"\nServer/web")); code != http.StatusConflict || !strings.Contains(body, "agent b") {
		t.Errorf("%d %q", code, body)
	}
}
