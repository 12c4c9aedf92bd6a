package config

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/secretstore"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// realVault is a real server of Vault, which is unsealed and has the policy of docs/secrets.md.
type realVault struct {
	address, root, key string
	policy             string
}

// do makes a request as the root user, and returns the answer's data. It fails with another code than 200 or 204.
func (v *realVault) do(t *testing.T, method, path string, body any) map[string]any {
	t.Helper()
	code, answer := v.try(t, method, path, body)
	if code != http.StatusOK && code != http.StatusNoContent {
		t.Fatalf("%s %s: code %d, %v", method, path, code, answer["errors"])
	}
	return answer
}

func (v *realVault) try(t *testing.T, method, path string, body any) (code int, answer map[string]any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, v.address+"/v1/"+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Vault-Token", v.root)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_ = json.NewDecoder(resp.Body).Decode(&answer) // some answers are empty
	return resp.StatusCode, answer
}

func startVault(t *testing.T) *realVault {
	t.Helper()
	return &realVault{address: testcost.Serve(t, testcost.Program(t, "STACKREEVE_TEST_VAULT"))}
}

// open initializes and unseals the server, and makes the engine, the policy and the logins.
func (v *realVault) open(t *testing.T) {
	t.Helper()
	made := v.do(t, "PUT", "sys/init", map[string]int{"secret_shares": 1, "secret_threshold": 1})
	v.root, v.key = made["root_token"].(string), made["keys"].([]any)[0].(string)
	v.unseal(t)
	page, err := os.ReadFile("../../docs/secrets.md")
	if err != nil {
		t.Fatal(err)
	}
	v.policy = string(regexp.MustCompile("(?s)```hcl\n(.*?)```").FindSubmatch(page)[1])
	v.do(t, "PUT", "sys/policies/acl/stackreeve", map[string]string{"policy": v.policy})
	v.do(t, "POST", "sys/mounts/secret", map[string]any{"type": "kv", "options": map[string]string{"version": "2"}})
	v.do(t, "POST", "sys/auth/approle", map[string]string{"type": "approle"})
	v.do(t, "POST", "auth/approle/role/agent", map[string]any{"token_policies": "stackreeve", "token_ttl": "1h"})
	v.do(t, "POST", "sys/auth/jwt", map[string]string{"type": "jwt"})
	v.write(t, "stackreeve/prod/db/login", map[string]any{"password": "first", "port": 5432, "tags": map[string]any{"a": []int{1}}, "none": nil})
}

// unseal unseals the server, and waits until it is active.
func (v *realVault) unseal(t *testing.T) {
	t.Helper()
	v.do(t, "PUT", "sys/unseal", map[string]string{"key": v.key})
	v.until(t, "GET", "sys/health", nil)
}

// until repeats a request until it succeeds.
func (v *realVault) until(t *testing.T, method, path string, body any) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	code, answer := 0, map[string]any{}
	for range 1500 {
		if code, answer = v.try(t, method, path, body); code == http.StatusOK {
			return
		}
		<-tick.C
	}
	t.Fatalf("%s %s: code %d, %v", method, path, code, answer["errors"])
}

// write writes a secret. A new engine refuses writes for a moment.
func (v *realVault) write(t *testing.T, path string, data map[string]any) {
	t.Helper()
	v.until(t, "POST", "secret/data/"+path, map[string]any{"data": data})
}

// store returns the store of the documentation with another login.
func (v *realVault) store(t *testing.T, change func(*VaultStore)) *secretstore.Vault {
	t.Helper()
	s := VaultStore{Address: v.address, Mount: "secret", Prefix: "stackreeve/prod"}
	change(&s)
	c, err := s.Secrets("vault")
	if err != nil {
		t.Fatal(err)
	}
	store, err := secretstore.NewVault(c)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "credential")
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func (v *realVault) appRole(t *testing.T) func(*VaultStore) {
	t.Helper()
	role := v.do(t, "GET", "auth/approle/role/agent/role-id", nil)["data"].(map[string]any)["role_id"].(string)
	id := v.do(t, "POST", "auth/approle/role/agent/secret-id", nil)["data"].(map[string]any)["secret_id"].(string)
	return func(s *VaultStore) { s.AppRole = &VaultAppRole{RoleID: role, SecretIDFile: file(t, id)} }
}

// token returns the login with a token that has a policy.
func (v *realVault) token(t *testing.T, policy string) func(*VaultStore) {
	t.Helper()
	made := v.do(t, "POST", "auth/token/create", map[string]any{"policies": []string{policy}})["auth"].(map[string]any)
	return func(s *VaultStore) { s.TokenFile = file(t, made["client_token"].(string)) }
}

// jwt returns the login with a token of an identity provider, whose key the server trusts.
func (v *realVault) jwt(t *testing.T) func(*VaultStore) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	v.do(t, "POST", "auth/jwt/config", map[string]any{"jwt_validation_pubkeys": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))})
	v.do(t, "POST", "auth/jwt/role/agent", map[string]any{"role_type": "jwt", "user_claim": "sub", "bound_audiences": "vault", "token_policies": "stackreeve"})
	part := func(of any) string {
		text, _ := json.Marshal(of)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	signed := part(map[string]string{"alg": "ES256", "typ": "JWT"}) + "." + part(map[string]any{"sub": "agent", "aud": "vault", "iat": time.Now().Unix(), "nbf": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()})
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	token := signed + "." + base64.RawURLEncoding.EncodeToString(signature)
	return func(s *VaultStore) { s.JWT = &VaultJWT{Role: "agent", TokenFile: file(t, token)} }
}

// TestRealVault does on a real server what docs/secrets.md says.
func TestRealVault(t *testing.T) {
	testcost.Long(t) // a real server starts
	v := startVault(t)
	place := secretstore.Place{Path: "db/login"}
	isDown := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, secretstore.ErrDown) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := v.store(t, func(s *VaultStore) { s.TokenFile = file(t, "hvs.none") }).Read(t.Context(), place, nil)
	isDown("not initialized", err)
	v.open(t)
	for name, login := range map[string]func(*VaultStore){"appRole": v.appRole(t), "jwt": v.jwt(t), "token": v.token(t, "stackreeve")} {
		t.Run(name, func(t *testing.T) {
			got, err := v.store(t, login).Read(t.Context(), place, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, none := got.Fields["none"]; got.Fields["password"] != "first" || got.Fields["port"] != "5432" || got.Fields["tags"] != `{"a":[1]}` || none {
				t.Errorf("got %v", got.Fields)
			}
		})
	}
	t.Run("versions", v.versions)
	t.Run("rights", v.rights)
	store := v.store(t, v.appRole(t))
	known, err := store.Read(t.Context(), place, nil)
	if err != nil {
		t.Fatal(err)
	}
	v.do(t, "PUT", "sys/seal", nil)
	_, err = store.Read(t.Context(), place, known)
	isDown("sealed", err)
	_, err = v.store(t, v.token403(t)).Read(t.Context(), place, nil)
	isDown("sealed, without a value", err)
	v.unseal(t)
	if again, err := store.Read(t.Context(), place, known); err != nil || again != known {
		t.Errorf("unsealed: %v, %v", again, err)
	}
}

// token403 returns the login with a token that the server does not know.
func (v *realVault) token403(t *testing.T) func(*VaultStore) {
	t.Helper()
	return func(s *VaultStore) { s.TokenFile = file(t, "hvs.CAESIJunknown") }
}

// versions rotates, deletes, destroys and recreates a secret.
func (v *realVault) versions(t *testing.T) {
	store, place, path := v.store(t, v.appRole(t)), secretstore.Place{Path: "rotated"}, "stackreeve/prod/rotated"
	read := func(at secretstore.Place, known *secretstore.Secret, want string) *secretstore.Secret {
		t.Helper()
		got, err := store.Read(t.Context(), at, known)
		if err != nil || got.Fields["password"] != want {
			t.Fatalf("version %d: %v, %v; want %s", at.Version, got, err, want)
		}
		return got
	}
	missing := func(at secretstore.Place, known *secretstore.Secret) {
		t.Helper()
		if got, err := store.Read(t.Context(), at, known); !errors.Is(err, secretstore.ErrMissing) {
			t.Fatalf("version %d: %v, %v", at.Version, got, err)
		}
	}
	missing(place, nil)
	v.write(t, path, map[string]any{"password": "one"})
	first := read(place, nil, "one")
	if again := read(place, first, "one"); again != first {
		t.Error("an unchanged secret was read again")
	}
	v.write(t, path, map[string]any{"password": "two"})
	second := read(place, first, "two")
	old := secretstore.Place{Path: "rotated", Version: 1}
	if again := read(old, first, "one"); again != first || second.Version == first.Version {
		t.Errorf("versions %q and %q", first.Version, second.Version)
	}
	v.do(t, "DELETE", "secret/data/"+path, nil)
	missing(place, nil)
	missing(place, second)
	read(old, nil, "one")
	v.do(t, "POST", "secret/undelete/"+path, map[string]any{"versions": []int{2}})
	read(place, second, "two")
	v.do(t, "PUT", "secret/destroy/"+path, map[string]any{"versions": []int{1}})
	missing(old, nil)
	missing(old, first)
	missing(secretstore.Place{Path: "rotated", Version: 3}, nil)
	v.do(t, "DELETE", "secret/metadata/"+path, nil)
	missing(place, second)
	v.write(t, path, map[string]any{"password": "anew"})
	if anew := read(place, first, "anew"); anew.Version == first.Version {
		t.Error("a secret that was made again has the version of the former one")
	}
	v.write(t, "stackreeve/prod/od%20d/n%2Bm%25e", map[string]any{"password": "odd"})
	read(secretstore.Place{Path: "od d/n+m%e"}, nil, "odd")
}

// rights tries logins and paths that are not allowed.
func (v *realVault) rights(t *testing.T) {
	place := secretstore.Place{Path: "db/login"}
	refused := func(what string, store *secretstore.Vault) {
		t.Helper()
		got, err := store.Read(t.Context(), place, nil)
		if err == nil || errors.Is(err, secretstore.ErrDown) || errors.Is(err, secretstore.ErrMissing) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	v.write(t, "stackreeve/dev/db/login", map[string]any{"password": "of others"})
	login := v.appRole(t)
	refused("another prefix", v.store(t, func(s *VaultStore) { login(s); s.Prefix = "stackreeve/dev" }))
	refused("an unknown token", v.store(t, v.token403(t)))
	v.do(t, "PUT", "sys/policies/acl/blind", map[string]string{"policy": strings.SplitAfter(v.policy, "\n")[0]})
	blind := v.store(t, v.token(t, "blind"))
	known, err := blind.Read(t.Context(), place, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := blind.Read(t.Context(), place, known); err != nil || again.Version != known.Version {
		t.Errorf("without the right to read versions: %v, %v", again, err)
	}
	wrong := v.store(t, func(s *VaultStore) { login(s); s.AppRole.SecretIDFile = file(t, "wrong-id") })
	if _, err := wrong.Read(t.Context(), place, nil); !errors.Is(err, secretstore.ErrDown) || strings.Contains(err.Error(), "wrong-id") {
		t.Errorf("a wrong secret ID: %v", err)
	}
	store := v.store(t, login)
	if known, err = store.Read(t.Context(), place, nil); err != nil {
		t.Fatal(err)
	}
	v.do(t, "PUT", "sys/leases/revoke-prefix/auth/approle/login", map[string]bool{"sync": true})
	if again, err := store.Read(t.Context(), place, known); err != nil || again != known {
		t.Errorf("after its token was revoked: %v, %v", again, err)
	}
}
