package source

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const token = "s3cr3t-t/ken+%"

func noSecret(t testing.TB, text string) {
	t.Helper()
	for _, form := range []string{token, base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))} {
		if strings.Contains(text, form) {
			t.Errorf("the secret shows: %s", text)
		}
	}
}

func TestTokenRotates(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	w.require("x-access-token:" + token)
	var logged bytes.Buffer
	file := writeFile(t, "\n  "+token+"\n\n")
	r, err := New(Config{URL: w.url(), Auth: Auth{TokenFile: file}}, slog.New(slog.NewTextHandler(&logged, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	mustFetch(t, r)

	w.require("x-access-token:another")
	err = fetchError(t, r)
	wantError(t, err, ErrCredentials, "401", "source.auth")
	noSecret(t, err.Error())
	if !strings.Contains(err.Error(), "[hidden]") {
		t.Errorf("the server repeated the login, so %q should say [hidden]", err)
	}
	w.answer(func(rw http.ResponseWriter, req *http.Request) {
		_, password, _ := req.BasicAuth()
		http.Error(rw, strings.Repeat("x", maxLine-5)+password, http.StatusForbidden)
	})
	if err := fetchError(t, r); strings.Contains(err.Error(), token[:3]) {
		t.Errorf("half of the secret shows: %s", err)
	}
	w.answer(nil)
	if err := os.WriteFile(file, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustFetch(t, r)
	noSecret(t, logged.String())
}

// TestARefusedTokenIsRenewed has a token that is revoked before it expires. The same fetch then
// uses the next token.
func TestARefusedTokenIsRenewed(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	w.require("x-access-token:one")
	held, next := "one", "two"
	var refused []string
	r := newRepo(t, Config{URL: w.url(), Auth: Auth{
		Token: func(context.Context) (string, error) { return held, nil },
		Renew: func(token string) { refused, held = append(refused, token), next },
	}})
	mustFetch(t, r)
	w.require("x-access-token:two")
	g.Commit("second", "a.yaml", "2")
	mustFetch(t, r)
	if len(refused) != 1 || refused[0] != "one" {
		t.Errorf("renewed %q", refused)
	}
	w.require("x-access-token:never")
	next = "three"
	err := fetchError(t, r)
	wantError(t, err, ErrCredentials, "401")
	if len(refused) != 2 {
		t.Errorf("renewed %q; want it tried once more for each fetch", refused)
	}
}

func TestLoginFiles(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	w.require("ann:pass:word")
	mustFetch(t, newRepo(t, Config{URL: w.url(), Auth: Auth{BasicAuthFile: writeFile(t, "ann:pass:word\n")}}))
	mustFetch(t, newRepo(t, Config{URL: w.url(), Auth: Auth{TokenFile: writeFile(t, "pass:word"), Username: "ann"}}))
	mustFetch(t, newRepo(t, Config{URL: strings.Replace(w.url(), "//", "//ann@", 1), Auth: Auth{TokenFile: writeFile(t, "pass:word")}}))
	asked := 0
	r := newRepo(t, Config{URL: w.url(), Auth: Auth{Username: "ann", Token: func(context.Context) (string, error) {
		asked++
		return "pass:word", nil
	}}})
	mustFetch(t, r)
	mustFetch(t, r)
	if asked != 2 {
		t.Errorf("a token was asked for %d times, want 2", asked)
	}
	for name, c := range map[string]struct {
		auth Auth
		word string
	}{
		"none":         {Auth{}, "tokenFile"},
		"wrong":        {Auth{TokenFile: writeFile(t, token)}, "wrong"},
		"missing file": {Auth{TokenFile: w.URL + "/none"}, "auth.tokenFile"},
		"empty file":   {Auth{TokenFile: writeFile(t, " \n")}, "is empty"},
		"folder":       {Auth{TokenFile: t.TempDir()}, "not a regular file"},
		"no colon":     {Auth{BasicAuthFile: writeFile(t, token)}, "user:password"},
		"two lines":    {Auth{TokenFile: writeFile(t, token+"\nmore")}, "one line"},
	} {
		t.Run(name, func(t *testing.T) {
			err := fetchError(t, newRepo(t, Config{URL: w.url(), Auth: c.auth}))
			wantError(t, err, ErrCredentials, c.word)
			noSecret(t, err.Error())
		})
	}
}

func TestRedirects(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	w.require("x-access-token:" + token)
	auth := Auth{TokenFile: writeFile(t, token)}
	var seen []string
	other := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		seen = append(seen, req.Header.Get("Authorization"))
		http.NotFound(rw, req)
	}))
	t.Cleanup(other.Close)
	moved := func(to string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			http.Redirect(rw, req, to+strings.TrimPrefix(req.URL.RequestURI(), "/old"), http.StatusMovedPermanently)
		}))
		t.Cleanup(s.Close)
		return s
	}

	away := moved(other.URL)
	err := fetchError(t, newRepo(t, Config{URL: away.URL + "/old/config", Auth: auth}))
	wantError(t, err, ErrConfig, "redirects to another host", strings.TrimPrefix(other.URL, "http://"))
	noSecret(t, err.Error())
	if len(seen) != 0 {
		t.Errorf("the other host was asked: %q", seen)
	}

	w.login.Store(nil)
	plain := moved("http://git.example.com")
	err = fetchError(t, newRepo(t, Config{URL: plain.URL + "/old/config"}))
	wantError(t, err, ErrConfig, "not encrypted")

	loop := httptest.NewServer(nil)
	t.Cleanup(loop.Close)
	loop.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		http.Redirect(rw, req, req.URL.RequestURI(), http.StatusFound)
	})
	wantError(t, fetchError(t, newRepo(t, Config{URL: loop.URL + "/config"})), ErrConfig, "more than 5 times")
}

// TestAttackRedirectToPrivateAddress has a server that redirects to private addresses. The client
// sends requests only to the server itself, and none to the service at a private address.
func TestAttackRedirectToPrivateAddress(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	inside := serveHTTP(t, g)
	port := inside.URL[strings.LastIndex(inside.URL, ":"):]
	for _, to := range []string{
		inside.URL, "http://localhost" + port, "http://[::1]" + port, "http://[::ffff:127.0.0.1]" + port, "http://127.1" + port,
		"http://0.0.0.0" + port, "http://169.254.169.254", "http://2130706433" + port, "https://10.0.0.1", "https://192.168.0.1:6443",
		"https://[fd00::1]", "https://[fe80::1%25lo]", "https://100.64.0.1", "https://inside.example.com", "https://127.0.0.1:6443",
		"http://user:pw@127.0.0.1" + port, "file:///etc", "ext::sh", "//localhost" + port,
	} {
		asked := 0
		s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			asked++
			rw.Header().Set("Location", to+req.URL.RequestURI())
			rw.WriteHeader(http.StatusFound)
		}))
		err := fetchError(t, newRepo(t, Config{URL: s.URL + "/config"}))
		s.Close()
		if strings.HasPrefix(to, "http") && !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", to, err)
		}
		if asked != 1 || inside.requests.Load() != 0 {
			t.Errorf("%s: %d and %d requests", to, asked, inside.requests.Load())
		}
		if strings.Contains(err.Error(), "pw@") {
			t.Errorf("%s: %v", to, err)
		}
	}
}

func TestRenamedRepository(t *testing.T) {
	g := gittest.New(t)
	first := g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	backend := w.Config.Handler
	w.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if rest, ok := strings.CutPrefix(req.URL.RequestURI(), "/old/"); ok {
			http.Redirect(rw, req, "/"+rest, http.StatusMovedPermanently)
			return
		}
		backend.ServeHTTP(rw, req)
	})
	w.require("x-access-token:" + token)
	rev, _ := mustFetch(t, newRepo(t, Config{URL: w.URL + "/old/config", Auth: Auth{TokenFile: writeFile(t, token)}}))
	if rev.Commit != first {
		t.Errorf("commit %s", rev.Commit)
	}
}

func TestCertificates(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	s := httptest.NewTLSServer(w.Config.Handler)
	t.Cleanup(s.Close)
	url := s.URL + "/config"
	wantError(t, fetchError(t, newRepo(t, Config{URL: url})), ErrConfig, "unknown authority", "caFile")
	wantError(t, fetchError(t, newRepo(t, Config{URL: url, CAFile: writeFile(t, "none")})), ErrConfig, "no certificate in PEM")
	mustFetch(t, newRepo(t, Config{URL: url, CAFile: writeFile(t, pemOf(s.Certificate().Raw))}))
	wantError(t, fetchError(t, newRepo(t, Config{URL: strings.Replace(w.url(), "http:", "https:", 1)})), ErrConfig, "does not speak https")
}

func hostLine(addr string, key ssh.Signer) string {
	return knownhosts.Line([]string{addr}, key.PublicKey()) + "\n"
}

func TestHostKeys(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	s := serveSSH(t, g, newRSASigner(t))
	stranger, strangersKey := newSigner(t)
	ed := s.hostKeys[1]
	with := func(lines string) Config {
		cfg := s.config()
		cfg.Auth.KnownHostsFile = writeFile(t, lines)
		return cfg
	}
	mustFetch(t, newRepo(t, with(hostLine(s.addr, ed))))
	mustFetch(t, newRepo(t, with(hostLine(s.addr, s.hostKeys[0]))))
	mustFetch(t, newRepo(t, with("# comment\n"+knownhosts.HashHostname(knownhosts.Normalize(s.addr))+" "+
		string(ssh.MarshalAuthorizedKey(ed.PublicKey())))))

	for name, c := range map[string]struct {
		cfg   Config
		words []string
	}{
		"other host":   {with(hostLine("git.example.com:22", ed)), []string{" " + s.addr + "; ", "ssh-keyscan -p "}},
		"empty":        {with(""), []string{" " + s.addr + "; "}},
		"changed":      {with(hostLine(s.addr, stranger)), []string{" line 1: "}},
		"revoked":      {with(hostLine(s.addr, ed) + "@revoked * " + string(ssh.MarshalAuthorizedKey(ed.PublicKey()))), []string{"revoked"}},
		"malformed":    {with("one two\n"), []string{"known_hosts"}},
		"not in file":  {func() Config { c := s.config(); c.Auth.KnownHostsFile += "-none"; return c }(), []string{"auth.knownHostsFile"}},
		"stranger":     {func() Config { c := s.config(); c.Auth.SSHKeyFile = writeFile(t, strangersKey); return c }(), []string{"deploy keys"}},
		"no key":       {func() Config { c := s.config(); c.Auth.SSHKeyFile = writeFile(t, "none"); return c }(), []string{"auth.sshKeyFile", "PEM"}},
		"wrong user":   {func() Config { c := s.config(); c.Auth.Username = "root"; return c }(), []string{"deploy keys"}},
		"passphrase":   {func() Config { c := s.config(); c.Auth.SSHKeyFile = writeFile(t, lockedKey(t)); return c }(), []string{"passphrase"}},
		"missing file": {func() Config { c := s.config(); c.Auth.SSHKeyFile += "-none"; return c }(), []string{"auth.sshKeyFile"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := fetchError(t, newRepo(t, c.cfg))
			wantError(t, err, ErrCredentials, c.words...)
			if strings.Contains(err.Error(), "PRIVATE KEY") {
				t.Errorf("the key shows: %s", err)
			}
		})
	}
}

func TestHostAuthority(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	authority, _ := newSigner(t)
	key, _ := newSigner(t)
	cert := &ssh.Certificate{Key: key.PublicKey(), CertType: ssh.HostCert, ValidPrincipals: []string{"127.0.0.1"}, ValidBefore: ssh.CertTimeInfinity}
	if err := cert.SignCert(strings.NewReader(strings.Repeat("r", 1000)), authority); err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewCertSigner(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	s := serveSSH(t, g, signer)
	cfg := s.config()
	cfg.Auth.KnownHostsFile = writeFile(t, "@cert-authority "+hostLine(s.addr, authority))
	mustFetch(t, newRepo(t, cfg))
	cfg.Auth.KnownHostsFile = writeFile(t, "@cert-authority "+hostLine(s.addr, key))
	wantError(t, fetchError(t, newRepo(t, cfg)), ErrCredentials, "compare")
}

func TestSSHRefusals(t *testing.T) {
	for said, class := range map[string]error{
		"ERROR: Repository not found.":                     ErrNotFound,
		"ERROR: Permission to a/b denied to deploy key":    ErrCredentials,
		"fatal: out of memory, malloc failed\nmore follow": ErrUnavailable,
	} {
		g := gittest.New(t)
		s := serveSSH(t, g)
		s.refuse = said
		first, _, _ := strings.Cut(said, "\n")
		wantError(t, fetchError(t, newRepo(t, s.config())), class, first)
	}
}
