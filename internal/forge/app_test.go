package forge

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func keyFile(t *testing.T, pkcs8 bool) (path string, key *rsa.PrivateKey) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	if pkcs8 {
		text, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		block = &pem.Block{Type: "PRIVATE KEY", Bytes: text}
	}
	path = filepath.Join(t.TempDir(), "app.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, key
}

// verify checks the token with which an App logs in, as GitHub does.
func verify(t *testing.T, req *http.Request, key *rsa.PublicKey) {
	t.Helper()
	jwt, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		t.Errorf("%q is not a JWT", jwt)
		return
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Error(err)
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature); err != nil {
		t.Error(err)
	}
	var head struct{ Alg, Typ string }
	var claims struct {
		Iat, Exp int64
		Iss      string
	}
	for i, v := range []any{&head, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(text, v) != nil {
			t.Errorf("%q: %v", parts[i], err)
		}
	}
	now := time.Now().Unix()
	if head.Alg != "RS256" || claims.Iss != "7" || claims.Iat > now-30 || claims.Exp <= now || claims.Exp-claims.Iat > 600 {
		t.Errorf("%+v %+v at %d", head, claims, now)
	}
}

func TestAnAppsTokenLastsAndIsReplaced(t *testing.T) {
	for _, pkcs8 := range []bool{false, true} {
		path, key := keyFile(t, pkcs8)
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			a := &App{AppID: 7, InstallationID: 9, PrivateKeyFile: path, APIURL: "https://ghe.example/api/v3", Base: base(func(req *http.Request) (*http.Response, error) {
				verify(t, req, &key.PublicKey)
				if req.Method != "POST" || req.URL.Path != "/api/v3/app/installations/9/access_tokens" {
					t.Errorf("%s %s", req.Method, req.URL)
				}
				asked++
				return answer(201, fmt.Sprintf(`{"token":"ghs_%d","expires_at":%q}`, asked, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))), nil
			})}
			want := func(want string) {
				t.Helper()
				if got, err := a.Token(t.Context()); got != want || err != nil {
					t.Errorf("%q, %v; want %s", got, err, want)
				}
			}
			want("ghs_1")
			time.Sleep(54 * time.Minute)
			want("ghs_1")
			time.Sleep(2 * time.Minute)
			want("ghs_2")
			a.Forget("ghs_1") // an old token: the current one is still used
			want("ghs_2")
			a.Forget("ghs_2")
			want("ghs_3")
			if asked != 3 {
				t.Errorf("%d requests", asked)
			}
		})
	}
}

func TestAnAppFindsItsInstallation(t *testing.T) {
	path, _ := keyFile(t, false)
	var paths []string
	a := &App{AppID: 7, Repository: "acme/cloud", PrivateKeyFile: path, Base: base(func(req *http.Request) (*http.Response, error) {
		paths = append(paths, req.Method+" "+req.URL.Host+req.URL.Path)
		switch {
		case strings.HasSuffix(req.URL.Path, "/installation"):
			return answer(200, `{"id":12}`), nil
		case req.URL.Path == "/app":
			return answer(200, `{"slug":"reeve"}`), nil
		}
		return answer(201, `{"token":"ghs_x","expires_at":"2999-01-01T00:00:00Z"}`), nil
	})}
	for range 2 {
		token, err := a.Token(t.Context())
		login, loginErr := a.Login(t.Context())
		if token != "ghs_x" || login != "reeve[bot]" || err != nil || loginErr != nil {
			t.Errorf("%q %q %v %v", token, login, err, loginErr)
		}
	}
	if got, want := fmt.Sprint(paths), "[GET api.github.com/repos/acme/cloud/installation POST api.github.com/app/installations/12/access_tokens GET api.github.com/app]"; got != want {
		t.Errorf("asked %s; want %s", got, want)
	}
}

func TestAppsThatCannotWork(t *testing.T) {
	good, _ := keyFile(t, false)
	bad := filepath.Join(t.TempDir(), "bad.pem")
	if err := os.WriteFile(bad, []byte("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		app   *App
		code  int
		body  string
		class error
		says  string
	}{
		{&App{InstallationID: 1, PrivateKeyFile: "/nowhere/app.pem"}, 201, "", ErrRefused, "/nowhere/app.pem"},
		{&App{InstallationID: 1, PrivateKeyFile: bad}, 201, "", ErrRefused, `holds no RSA private key but "EC PRIVATE KEY"`},
		{&App{InstallationID: 1, PrivateKeyFile: text}, 201, "", ErrRefused, "is not PEM"},
		{&App{PrivateKeyFile: good}, 201, "", ErrRefused, "neither installationID nor a repository"},
		{&App{InstallationID: 1, PrivateKeyFile: good, APIURL: "ghe.example"}, 201, "", ErrRefused, "is not the URL of an API"},
		{&App{InstallationID: 1, PrivateKeyFile: good}, 401, `{"message":"A JSON web token could not be decoded"}`, ErrRefused, "could not be decoded (is appID right"},
		{&App{InstallationID: 3, PrivateKeyFile: good}, 404, `{"message":"Not Found"}`, ErrNotFound, "is installationID 3 an installation"},
		{&App{Repository: "acme/x", PrivateKeyFile: good}, 404, `{}`, ErrNotFound, "is the App installed on acme/x?"},
		{&App{InstallationID: 1, PrivateKeyFile: good}, 502, `<html>`, ErrUnavailable, "502"},
		{&App{InstallationID: 1, PrivateKeyFile: good}, 201, `<html>`, ErrUnavailable, "not an answer of GitHub"},
		{&App{InstallationID: 1, PrivateKeyFile: good}, 201, `{}`, ErrUnavailable, "without text or end"},
		{&App{InstallationID: 1, PrivateKeyFile: good}, 201, `{"token":"x"}`, ErrUnavailable, "without text or end"},
	} {
		a := &App{AppID: 7, InstallationID: c.app.InstallationID, Repository: c.app.Repository, PrivateKeyFile: c.app.PrivateKeyFile, APIURL: c.app.APIURL}
		a.Base = base(func(*http.Request) (*http.Response, error) { return answer(c.code, c.body), nil })
		_, err := a.Token(t.Context())
		if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "GitHub App 7") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v; want %v and %q", err, c.class, c.says)
		}
	}
}

func FuzzAPIURLs(f *testing.F) {
	for _, s := range []string{"https://ghe.example/api/v3", "https://u:p@x/", "http://[::1]:3000", "ftp://x", "https://x/?q", "//x", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseAPI(s)
		if err == nil && (u.Host == "" || u.User != nil || !strings.HasSuffix(u.Path, "/")) {
			t.Errorf("%q is taken as %+v", s, u)
		}
	})
}
