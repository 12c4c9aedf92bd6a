package secretstore_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/secretstore"
)

// answers is a stand-in for Vault. Its answers follow the documentation of Vault's API (KV version 2).
type answers struct {
	logins, requests, values atomic.Int32
	token                    atomic.Value // the token that is accepted
	version                  atomic.Int32 // of the secret; 0 while it is deleted
	sealed                   atomic.Bool
	blind                    bool // the policy allows no metadata
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.requests.Add(1)
	say := func(code int, text string) {
		w.WriteHeader(code)
		_, _ = fmt.Fprintln(w, text)
	}
	version := a.version.Load()
	created := fmt.Sprintf("2026-01-0%dT00:00:00Z", version)
	switch at := r.URL.EscapedPath(); {
	case a.sealed.Load():
		say(http.StatusServiceUnavailable, `{"errors":["Vault is sealed"]}`)
	case r.Header.Get("X-Vault-Namespace") != "team":
		say(http.StatusNotFound, `{"errors":["no namespace"]}`)
	case at == "/v1/auth/approle/login":
		body := map[string]string{}
		_ = json.NewDecoder(r.Body).Decode(&body)
		if body["role_id"] != "role" || body["secret_id"] != "secret-id" {
			say(http.StatusBadRequest, `{"errors":["invalid role or secret ID"]}`)
			return
		}
		a.token.Store(fmt.Sprintf("hvs.%d", a.logins.Add(1)))
		say(http.StatusOK, fmt.Sprintf(`{"auth":{"client_token":%q,"lease_duration":3600,"renewable":true}}`, a.token.Load()))
	case r.Header.Get("X-Vault-Token") != a.token.Load():
		say(http.StatusForbidden, `{"errors":["permission denied"]}`)
	case at == "/v1/auth/token/lookup-self":
		say(http.StatusOK, `{"data":{"id":"hvs"}}`)
	case a.blind && strings.Contains(at, "/metadata/"), strings.HasSuffix(at, "/secret"):
		say(http.StatusForbidden, `{"errors":["1 error occurred:\n\t* permission denied\n\n"]}`)
	case at == "/v1/kv/metadata/prod/db%20x/login":
		deleted := ""
		if version == 0 {
			deleted = "2026-01-09T00:00:00Z"
		}
		say(http.StatusOK, fmt.Sprintf(`{"data":{"current_version":%d,"versions":{"%d":{"created_time":%q,"deletion_time":%q,"destroyed":false}}}}`, version, version, created, deleted))
	case at == "/v1/kv/data/prod/db%20x/login" && version == 0:
		say(http.StatusNotFound, `{"data":{"data":null,"metadata":{"created_time":"2026-01-01T00:00:00Z","deletion_time":"2026-01-09T00:00:00Z","destroyed":false,"version":2}}}`)
	case at == "/v1/kv/data/prod/db%20x/login":
		a.values.Add(1)
		say(http.StatusOK, fmt.Sprintf(`{"data":{"data":{"password":"p%d","port":5432,"tags":{"a":[1]}},"metadata":{"created_time":%q,"version":%d}}}`, version, created, version))
	case strings.HasSuffix(at, "/away"):
		http.Redirect(w, r, "http://127.0.0.1:1/v1/kv/data/prod/away", http.StatusTemporaryRedirect)
	case strings.HasSuffix(at, "/nonsense"):
		say(http.StatusOK, `{"data":{"data":{"password":hunter2}}}`)
	case strings.HasSuffix(at, "/large"):
		say(http.StatusOK, `{"data":{"data":{"password":"`+strings.Repeat("x", 2<<20)+`"}}}`)
	default:
		say(http.StatusNotFound, `{"errors":[]}`)
	}
}

func vault(t *testing.T, a *answers, change func(*secretstore.VaultConfig)) *secretstore.Vault {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	c := secretstore.VaultConfig{Address: server.URL, Namespace: "team", Mount: "kv", Prefix: "prod", LoginMount: "approle",
		Login: func() (map[string]string, error) {
			return map[string]string{"role_id": "role", "secret_id": "secret-id"}, nil
		}}
	if change != nil {
		change(&c)
	}
	v, err := secretstore.NewVault(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var login = secretstore.Place{Path: "db x/login"}

// TestVault: a value is read again only if its version has changed. Numbers and structures are JSON. A deleted version is missing.
func TestVault(t *testing.T) {
	a := &answers{}
	a.token.Store("")
	a.version.Store(1)
	v := vault(t, a, nil)
	first, err := v.Read(t.Context(), login, nil)
	if err != nil || first.Fields["password"] != "p1" || first.Fields["port"] != "5432" || first.Fields["tags"] != `{"a":[1]}` {
		t.Fatalf("%v, %v", first, err)
	}
	if again, err := v.Read(t.Context(), login, first); err != nil || again != first || a.values.Load() != 1 {
		t.Errorf("%v, %v: the value was read %d times", again, err, a.values.Load())
	}
	a.version.Store(2)
	second, err := v.Read(t.Context(), login, first)
	if err != nil || second.Fields["password"] != "p2" || second.Version == first.Version {
		t.Errorf("rotated: %v, %v", second, err)
	}
	a.version.Store(0)
	if _, err := v.Read(t.Context(), login, second); !errors.Is(err, secretstore.ErrMissing) {
		t.Errorf("deleted: %v", err)
	}
	if a.logins.Load() != 1 {
		t.Errorf("%d logins", a.logins.Load())
	}
}

// TestVaultTokens: a revoked token is replaced once. A path that is not allowed causes no login. A refused login is a store that is down.
func TestVaultTokens(t *testing.T) {
	a := &answers{blind: true}
	a.token.Store("")
	a.version.Store(1)
	v := vault(t, a, nil)
	secret, err := v.Read(t.Context(), login, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.token.Store("another")
	if _, err := v.Read(t.Context(), login, secret); err != nil || a.logins.Load() != 2 {
		t.Errorf("revoked: %v, %d logins", err, a.logins.Load())
	}
	if _, err := v.Read(t.Context(), secretstore.Place{Path: "secret"}, nil); err == nil || errors.Is(err, secretstore.ErrDown) || a.logins.Load() != 2 {
		t.Errorf("not allowed: %v, %d logins", err, a.logins.Load())
	}
	wrong := vault(t, a, func(c *secretstore.VaultConfig) {
		c.Login = func() (map[string]string, error) {
			return map[string]string{"role_id": "role", "secret_id": "wrong-id"}, nil
		}
	})
	if _, err := wrong.Read(t.Context(), login, nil); !errors.Is(err, secretstore.ErrDown) || strings.Contains(err.Error(), "wrong-id") {
		t.Errorf("a refused login: %v", err)
	}
	file := vault(t, a, func(c *secretstore.VaultConfig) {
		c.Login, c.Token = nil, func() (string, error) { return a.token.Load().(string) + "\n", nil }
	})
	for range 2 {
		if _, err := file.Read(t.Context(), login, nil); err != nil {
			t.Errorf("a token from a file: %v", err)
		}
		a.token.Store("rotated")
	}
}

// TestVaultFails: a sealed server, one that is gone, redirects, and answers that are nonsense or too large. No error repeats an answer.
func TestVaultFails(t *testing.T) {
	a := &answers{}
	a.token.Store("")
	a.version.Store(1)
	v := vault(t, a, nil)
	for path, want := range map[string]error{"away": secretstore.ErrDown, "nonsense": nil, "large": secretstore.ErrTooLarge, "none": secretstore.ErrMissing} {
		_, err := v.Read(t.Context(), secretstore.Place{Path: path}, nil)
		if err == nil || want != nil && !errors.Is(err, want) || want == nil && errors.Is(err, secretstore.ErrDown) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", path, err)
		}
	}
	a.sealed.Store(true)
	if _, err := v.Read(t.Context(), login, nil); !errors.Is(err, secretstore.ErrDown) || err.Error() != "is sealed or not ready" {
		t.Errorf("sealed: %v", err)
	}
	gone := vault(t, a, func(c *secretstore.VaultConfig) { c.Address = "http://127.0.0.1:1" })
	if _, err := gone.Read(t.Context(), login, nil); !errors.Is(err, secretstore.ErrDown) || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("nobody answers: %v", err)
	}
}

// TestVaultNull: a field without a value is missing, and not empty. Many requests at once share one login.
func TestVaultNull(t *testing.T) {
	var logins atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = fmt.Fprintf(w, `{"auth":{"client_token":"t%d","lease_duration":3600}}`, logins.Add(1))
			return
		}
		_, _ = fmt.Fprint(w, `{"data":{"data":{"none": null ,"empty":"","word":"null"},"metadata":{"version":1}}}`)
	}))
	defer server.Close()
	v := vault(t, &answers{}, func(c *secretstore.VaultConfig) { c.Address = server.URL })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := v.Read(t.Context(), login, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if _, exists := s.Fields["none"]; exists || len(s.Fields) != 2 || s.Fields["word"] != "null" {
				t.Errorf("%v", s.Fields)
			}
		})
	}
	all.Wait()
	if logins.Load() != 1 {
		t.Errorf("%d logins", logins.Load())
	}
}

// FuzzVault: whatever a server answers, a secret has values within the bounds, or there is an error.
func FuzzVault(f *testing.F) {
	f.Add(200, `{"data":{"data":{"a":"b"},"metadata":{"version":1}}}`)
	f.Add(200, `{"data":{"data":null}}`)
	f.Add(404, `{"errors":[]}`)
	f.Add(503, ``)
	f.Fuzz(func(t *testing.T, code int, text string) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200 + max(code, 0)%400)
			_, _ = w.Write([]byte(text))
		}))
		defer server.Close()
		v, err := secretstore.NewVault(secretstore.VaultConfig{Address: server.URL, Mount: "kv", Token: func() (string, error) { return "t", nil }})
		if err != nil {
			t.Fatal(err)
		}
		if s, err := v.Read(t.Context(), login, nil); err == nil && s.Fields == nil {
			t.Error("a secret without fields")
		}
	})
}
