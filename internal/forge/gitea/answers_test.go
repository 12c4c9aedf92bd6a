package gitea_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/gitea"
)

const (
	commit = "0123456789012345678901234567890123456789"
	token  = "t0ken-of-the-agent"
)

// at returns a repository on a server that answers as handle does.
func at(t *testing.T, handle http.HandlerFunc) *gitea.Repository {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return with(t, gitea.Config{URL: server.URL + "/git/"})
}

func with(t *testing.T, c gitea.Config) *gitea.Repository {
	t.Helper()
	c.Repository = "acme/cloud-config"
	if c.Token == nil {
		c.Token = func(context.Context) (string, error) { return token, nil }
	}
	f, err := gitea.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// all calls every method that sends a request to the forge.
func all(ctx context.Context, f *gitea.Repository) map[string]error {
	errs := map[string]error{}
	_, errs["OpenPulls"] = f.OpenPulls(ctx, "main")
	_, errs["Pull"] = f.Pull(ctx, 7)
	_, errs["MergedBy"] = f.MergedBy(ctx, "main", commit)
	_, errs["LastTouch"] = f.LastTouch(ctx, "main", "a.yaml")
	_, errs["MayWrite"] = f.MayWrite(ctx, forge.Person{Login: "writer"}, "main")
	_, errs["Comments"] = f.Comments(ctx, 7)
	_, errs["Post"] = f.Post(ctx, 7, "hello")
	errs["Edit"] = f.Edit(ctx, 7, 8, "hello")
	errs["Delete"] = f.Delete(ctx, 7, 8)
	errs["React"] = f.React(ctx, 7, 8, forge.Eyes)
	_, errs["Statuses"] = f.Statuses(ctx, commit)
	errs["SetStatus"] = f.SetStatus(ctx, commit, forge.Status{Context: "c", State: forge.Success})
	return errs
}

func TestClassesOfErrors(t *testing.T) {
	for code, want := range map[int]error{
		401: forge.ErrRefused, 403: forge.ErrRefused, 422: forge.ErrRefused, 404: forge.ErrNotFound, 500: forge.ErrUnavailable, 502: forge.ErrUnavailable,
	} {
		for _, body := range []string{`{"message":"because"}`, "<html>\n<body>" + strings.Repeat("x", 5000), ""} {
			f := at(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(code)
				fmt.Fprint(w, body)
			})
			for what, err := range all(t.Context(), f) {
				if code == 404 && what == "MayWrite" {
					if err != nil {
						t.Errorf("%s of nobody: %v", what, err)
					}
					continue
				}
				if !errors.Is(err, want) || len(err.Error()) > 600 || strings.Contains(err.Error(), token) {
					t.Errorf("%s answered with %d: %v; want %v", what, code, err, want)
				}
			}
		}
	}
}

func TestTooManyRequests(t *testing.T) {
	f := at(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	for what, err := range all(t.Context(), f) {
		var limited *forge.LimitedError
		if !errors.As(err, &limited) {
			t.Errorf("%s: %v; want a limit", what, err)
		}
	}
}

// TestDown has a forge that is down when the agent starts. Every method returns ErrUnavailable, so
// the agent asks again later.
func TestDown(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	for what, err := range all(t.Context(), with(t, gitea.Config{URL: server.URL})) {
		if !errors.Is(err, forge.ErrUnavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestOddAnswers has malformed answers. No answer makes the program panic, and each error has a
// known class.
func TestOddAnswers(t *testing.T) {
	for _, body := range []string{
		"", "null", "[]", "[null]", "{}", "[{}]", "[[]]", `"text"`, "7", "{", `{"number":7}`, `[{"number":7,"head":null,"base":null}]`,
		`[{"sha":"x","parents":[null,{}],"commit":null}]`, `{"statuses":[null,{}]}`, `{"ref":"refs/pull/7/head"}`, "<html>", strings.Repeat("[", 100_000),
	} {
		f := at(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
		for what, err := range all(t.Context(), f) {
			switch {
			case err == nil, errors.Is(err, forge.ErrUnavailable), errors.Is(err, forge.ErrNotFound), errors.Is(err, forge.ErrRefused):
			default:
				t.Errorf("%s answered with %.20q: %v is of no class", what, body, err)
			}
		}
	}
}

// TestMovedCommentsAreNobodys has comments that were imported from another forge. Their authors are
// not accounts of this forge.
func TestMovedCommentsAreNobodys(t *testing.T) {
	f := at(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/user") {
			fmt.Fprint(w, `{"id":3,"login":"stackreeve-bot"}`)
			return
		}
		fmt.Fprint(w, `[{"id":1,"user":{"id":3,"login":"stackreeve-bot"},"body":"mine"},
			{"id":2,"user":{"id":3,"login":"stackreeve-bot"},"original_author":"somebody","original_author_id":9,"body":"moved"},
			{"id":3,"user":{"id":4,"login":"writer"},"body":"theirs"}]`)
	})
	list, err := f.Comments(t.Context(), 7)
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, want := range []forge.Comment{{Author: "stackreeve-bot", Mine: true}, {}, {Author: "writer"}} {
		if c := list[i]; c.Author != want.Author || c.Mine != want.Mine {
			t.Errorf("%q is by %q, mine: %v; want %q, %v", c.Body, c.Author, c.Mine, want.Author, want.Mine)
		}
	}
	if may, err := f.MayWrite(t.Context(), forge.Person{Login: ""}, "main"); may || err != nil {
		t.Errorf("nobody may write: %v, %v", may, err)
	}
}

// TestWhoWeAre checks that the user of a token is requested once, and again for another token.
func TestWhoWeAre(t *testing.T) {
	asked, secret := 0, "one"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "token "+secret:
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasSuffix(r.URL.Path, "/user"):
			asked++
			fmt.Fprintf(w, `{"id":%d}`, len(secret))
		default:
			fmt.Fprint(w, `[{"id":1,"user":{"id":3}},{"id":2,"user":{"id":5}}]`)
		}
	}))
	t.Cleanup(server.Close)
	f := with(t, gitea.Config{URL: server.URL, Token: func(context.Context) (string, error) { return secret, nil }})
	for i, want := range []string{"one", "one", "three", "one"} {
		secret = want
		list, err := f.Comments(t.Context(), 7)
		if err != nil || len(list) != 2 || list[0].Mine != (want == "one") || list[1].Mine == list[0].Mine {
			t.Errorf("time %d, with the token %s: %+v, %v", i, want, list, err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times; want 3", asked)
	}
}

func TestCertificates(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") }))
	t.Cleanup(server.Close)
	server.Config.ErrorLog = nil
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := with(t, gitea.Config{URL: server.URL, CAFile: file}).OpenPulls(t.Context(), "main"); err != nil {
		t.Errorf("with its certificate: %v", err)
	}
	if _, err := with(t, gitea.Config{URL: server.URL}).OpenPulls(t.Context(), "main"); !errors.Is(err, forge.ErrUnavailable) {
		t.Errorf("without: %v", err)
	}
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	nothing := filepath.Join(t.TempDir(), "nothing")
	if err := os.WriteFile(nothing, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]gitea.Config{
		"no url":            {},
		"no host":           {URL: "https://"},
		"another scheme":    {URL: "ssh://git.example.org"},
		"unencrypted":       {URL: "http://git.example.org"},
		"credentials":       {URL: "https://me:secret@git.example.org"},
		"credentials alone": {URL: "https://secret@git.example.org:x"},
		"a query":           {URL: "https://git.example.org?token=secret"},
		"no repository":     {URL: "https://git.example.org", Repository: " "},
		"a path":            {URL: "https://git.example.org", Repository: "acme/cloud/config"},
		"dots":              {URL: "https://git.example.org", Repository: "acme/.."},
		"no such file":      {URL: "https://git.example.org", CAFile: nothing + "-at-all"},
		"no certificate":    {URL: "https://git.example.org", CAFile: nothing},
	} {
		if c.Repository == "" {
			c.Repository = "acme/cloud-config"
		}
		if _, err := gitea.New(c); err == nil || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, url := range []string{"http://localhost:3000", "http://127.0.0.1:3000/", "http://[::1]:3000", "https://git.example.org/git/"} {
		with(t, gitea.Config{URL: url})
	}
}
