package artifact

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/signature"
	"github.com/stackreeve/stackreeve/internal/standin/registry"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// realRegistry is a process with the real registry.
type realRegistry struct {
	host string
	auth auth.Credential // the login for pushes
}

const password = "pass:word"

// registryVariable is the name of the environment variable with the path of the real registry.
const registryVariable = "STACKREEVE_TEST_REGISTRY"

func startRealRegistry(t *testing.T, access string) *realRegistry {
	t.Helper()
	program := testcost.Program(t, registryVariable)
	config := "version: 0.1\nlog: {accesslog: {disabled: true}}\nstorage: {inmemory: {}, delete: {enabled: true}}\nhttp: {secret: of-the-test}\n" + access
	return &realRegistry{host: testcost.Serve(t, program, secretFile(t, config)), auth: auth.Credential{Username: "ada", Password: password}}
}

func secretFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func (r *realRegistry) url() string { return scheme + r.host + "/team/config" }

// mirror copies tags, and all that refers to them, from the stand-in to the real registry.
func (r *realRegistry) mirror(t *testing.T, w *world, tags ...string) {
	t.Helper()
	repository := func(url string) *remote.Repository {
		repo, err := remote.NewRepository(strings.TrimPrefix(url, scheme))
		if err != nil {
			t.Fatal(err)
		}
		repo.PlainHTTP = true
		return repo
	}
	to := repository(r.url())
	to.Client = &auth.Client{Credential: auth.StaticCredential(r.host, r.auth)}
	for _, tag := range tags {
		if _, err := oras.ExtendedCopy(t.Context(), repository(w.url), tag, to, tag, oras.DefaultExtendedCopyOptions); err != nil {
			t.Fatalf("%s: %v", tag, err)
		}
	}
}

// htpasswd is a configuration with the user ada.
func htpasswd(t *testing.T) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("auth: {htpasswd: {realm: judge, path: %s}}\n", secretFile(t, "ada:"+string(hash)+"\n"))
}

// issuer makes tokens for a registry, as the server of a forge does.
type issuer struct {
	key   *ecdsa.PrivateKey
	cert  []byte
	asked []string // the user of each request, and its scope
}

// tokens starts an issuer, and returns the configuration of a registry that trusts it.
func tokens(t *testing.T) (*issuer, string) {
	t.Helper()
	i := &issuer{key: ecdsaKey(t, elliptic.P256())}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "issuer"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	var err error
	if i.cert, err = x509.CreateCertificate(rand.Reader, form, form, i.key.Public(), i.key); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	bundle := secretFile(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.cert})))
	return i, fmt.Sprintf("auth: {token: {realm: '%s/token', service: judge, issuer: issuer, rootcertbundle: %s}}\n", server.URL, bundle)
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, pass, _ := r.BasicAuth()
	scope := r.FormValue("scope")
	i.asked = append(i.asked, user+" "+scope)
	if user != "" && (user != "ada" || pass != password) {
		http.Error(w, `{"errors":[{"code":"UNAUTHORIZED"}]}`, http.StatusUnauthorized)
		return
	}
	access := []map[string]any{}
	if kind, rest, _ := strings.Cut(scope, ":"); user == "ada" && kind == "repository" {
		name, actions, _ := strings.Cut(rest, ":")
		access = append(access, map[string]any{"type": kind, "name": name, "actions": strings.Split(actions, ",")})
	}
	part := func(of any) string {
		text, _ := json.Marshal(of)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	now := time.Now().Unix()
	signed := part(map[string]any{"typ": "JWT", "alg": "ES256", "x5c": []string{base64.StdEncoding.EncodeToString(i.cert)}}) + "." +
		part(map[string]any{"iss": "issuer", "sub": user, "aud": "judge", "exp": now + 300, "nbf": now - 10, "iat": now - 10, "jti": fmt.Sprint(len(i.asked)), "access": access})
	sum := sha256.Sum256([]byte(signed))
	one, two, _ := ecdsa.Sign(rand.Reader, i.key, sum[:])
	signature := append(one.FillBytes(make([]byte, 32)), two.FillBytes(make([]byte, 32))...)
	_ = json.NewEncoder(w).Encode(map[string]any{"token": signed + "." + base64.RawURLEncoding.EncodeToString(signature), "expires_in": 300})
}

// TestRealRegistryIsFollowed follows a tag and a digest.
func TestRealRegistryIsFollowed(t *testing.T) {
	testcost.Long(t) // real servers start
	r, w := startRealRegistry(t, ""), startRegistry(t)
	first := w.push(t, "prod", "clouds/prod/a.yaml", "one")
	r.mirror(t, w, "prod")
	a := follow(t, Config{URL: r.url(), Tag: "prod", Path: "clouds/prod"})
	rev, changed, err := a.Fetch(t.Context())
	if err != nil || !changed || rev.Commit != first.Digest || rev.Subject != "main@sha1:abc of https://git.example/x" {
		t.Fatalf("%+v, %v, %v", rev, changed, err)
	}
	if text, err := fs.ReadFile(rev.Files, "a.yaml"); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	if _, changed, err := a.Fetch(t.Context()); err != nil || changed {
		t.Errorf("without news: %v, %v", changed, err)
	}
	second := w.push(t, "prod", "clouds/prod/a.yaml", "two")
	r.mirror(t, w, "prod")
	if rev, changed, err := a.Fetch(t.Context()); err != nil || !changed || rev.Commit != second.Digest {
		t.Errorf("moved: %+v, %v, %v", rev, changed, err)
	}
	if old, err := a.At(t.Context(), first.Digest); err != nil || old.Commit != first.Digest {
		t.Errorf("%+v, %v", old, err)
	}
	w.push(t, "v1.2.0", "a.yaml", "three")
	r.mirror(t, w, "v1.2.0")
	if tags, err := a.Tags(t.Context()); err != nil || !slices.Equal(tags, []string{"prod", "v1.2.0"}) {
		t.Errorf("tags: %v, %v", tags, err)
	}
	if rev, _, err := follow(t, Config{URL: r.url(), Digest: first.Digest}).Fetch(t.Context()); err != nil || rev.Commit != first.Digest {
		t.Errorf("by digest: %+v, %v", rev, err)
	}
	for name, c := range map[string]Config{
		"tag": {URL: r.url(), Tag: "none"}, "digest": {URL: r.url(), Digest: registry.Digest([]byte("none"))}, "repository": {URL: scheme + r.host + "/none", Tag: "prod"},
	} {
		if _, _, err := follow(t, c).Fetch(t.Context()); !errors.Is(err, failure.ErrNotFound) {
			t.Errorf("no such %s: %v", name, err)
		}
	}
}

// TestRealRegistryLogins uses each login on a registry with passwords, and on one with tokens.
func TestRealRegistryLogins(t *testing.T) {
	testcost.Long(t)                      // real servers start
	testcost.Program(t, registryVariable) // before its parts, or else only they are skipped
	issuer, withTokens := tokens(t)
	for name, access := range map[string]string{"basic": htpasswd(t), "tokens": withTokens} {
		t.Run(name, func(t *testing.T) {
			r, w := startRealRegistry(t, access), startRegistry(t)
			at := w.push(t, "prod", "a.yaml", "one")
			r.mirror(t, w, "prod")
			docker := `{"auths": {"` + r.host + `": {"auth": "` + base64.StdEncoding.EncodeToString([]byte("ada:"+password)) + `"}}}`
			for name, c := range map[string]struct {
				auth Auth
				want error
			}{
				"none":   {Auth{}, failure.ErrCredentials},
				"file":   {Auth{BasicAuthFile: secretFile(t, "ada:"+password+"\n")}, nil},
				"token":  {Auth{Username: "ada", TokenFile: secretFile(t, password)}, nil},
				"docker": {Auth{DockerConfigFile: secretFile(t, docker)}, nil},
				"wrong":  {Auth{BasicAuthFile: secretFile(t, "ada:wrong-word")}, failure.ErrCredentials},
			} {
				for _, cfg := range []Config{{Tag: "prod"}, {Digest: at.Digest}} {
					cfg.URL, cfg.Auth = r.url(), c.auth
					rev, _, err := follow(t, cfg).Fetch(t.Context())
					if !errors.Is(err, c.want) || err == nil && rev.Commit != at.Digest {
						t.Errorf("%s: %v, %v", name, rev, err)
					}
					if err != nil && strings.Contains(err.Error(), "wrong-word") {
						t.Errorf("%s: the error has the password: %v", name, err)
					}
				}
			}
		})
	}
	if all := strings.Join(issuer.asked, "\n"); !strings.Contains(all, "ada repository:team/config:pull") {
		t.Errorf("the issuer was asked for %s", all)
	}
}

// TestRealRegistrySignatures finds signatures of each form in a registry that has no list of referrers.
func TestRealRegistrySignatures(t *testing.T) {
	testcost.Long(t) // real servers start
	good, bad := newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256), newSigner(t, ecdsaKey(t, elliptic.P256()), crypto.SHA256)
	for name, sign := range map[string]func(t *testing.T, w *world, at registry.Descriptor, s signer) (tags []string){
		"tag": func(t *testing.T, w *world, at registry.Descriptor, s signer) []string {
			w.attach(at, payload(payloadType, at.Digest), s.sign(t, payload(payloadType, at.Digest)))
			return []string{strings.Replace(at.Digest, ":", "-", 1) + ".sig"}
		},
		"bundle": func(t *testing.T, w *world, at registry.Descriptor, s signer) []string {
			w.refer(t, s, at, statement(signPredicate, at.Digest))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRealRegistry(t, "")
			for _, s := range []signer{bad, good} {
				w := startRegistry(t)
				at := w.push(t, "prod", "a.yaml", "by "+s.file)
				r.mirror(t, w, append(sign(t, w, at, s), "prod")...)
				_, _, err := verified(t, follow(t, Config{URL: r.url(), Tag: "prod", KeyFiles: []string{good.file}}))
				if s.file == good.file && err != nil || s.file == bad.file && fault(err) != signature.Unknown {
					t.Error(err)
				}
			}
			w := startRegistry(t)
			w.push(t, "prod", "a.yaml", "unsigned")
			r.mirror(t, w, "prod")
			if _, _, err := verified(t, follow(t, Config{URL: r.url(), Tag: "prod", KeyFiles: []string{good.file}})); fault(err) != signature.Unsigned {
				t.Errorf("unsigned: %v", err)
			}
		})
	}
}
