package inspect_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/github"
)

// gitHub is a server that answers with the headers and the permissions of an App in which GitHub reports rights.
// The stand-in in forgetest has neither.
type gitHub struct {
	scopes, ends string
	push         bool
	archived     bool
	private      bool
	permissions  map[string]string
	written      []string // the requests that would change something
}

type object = map[string]any

func (g *gitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.scopes != "" {
		w.Header().Set("X-OAuth-Scopes", g.scopes)
	}
	if g.ends != "" {
		w.Header().Set("GitHub-Authentication-Token-Expiration", g.ends)
	}
	answer := func(code int, said any) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(said) // the client may have disconnected
	}
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/access_tokens") {
		answer(http.StatusCreated, object{"token": "ghs_only-in-tests", "expires_at": "2035-01-01T00:00:00Z", "permissions": g.permissions})
		return
	}
	if r.Method != http.MethodGet {
		g.written = append(g.written, r.Method+" "+r.URL.Path)
	}
	switch {
	case r.URL.Path == "/user":
		answer(http.StatusOK, object{"login": forgetest.Bot, "id": 7})
	case r.URL.Path == "/app":
		answer(http.StatusOK, object{"slug": "stackreeve"})
	case r.URL.Path == "/repos/acme/cloud-config":
		answer(http.StatusOK, object{"archived": g.archived, "private": g.private, "permissions": object{"pull": true, "push": g.push}})
	case strings.Contains(r.URL.Path, "/collaborators/"):
		answer(http.StatusOK, object{"permission": "write"})
	case strings.HasSuffix(r.URL.Path, "/commits"):
		answer(http.StatusOK, []object{{"sha": anyCommit}})
	default:
		answer(http.StatusOK, []object{})
	}
}

// key writes a private key of an App to a file, and returns the path of the file.
func key(t *testing.T) string {
	t.Helper()
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(made)})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestGitHub(t *testing.T) {
	app := key(t)
	at := forge.Sample{Branch: "main", Commit: anyCommit, File: "a.yaml"}
	writes := func(comments, statuses, checks forge.Result) results {
		return results{forge.TaskComments: forge.NotTried, forge.TaskWriteComments: comments, forge.TaskWriteStatuses: statuses, forge.TaskChecks: checks}
	}
	for name, c := range map[string]struct {
		g    gitHub
		want results
	}{
		"a classic token":              {gitHub{scopes: "repo, read:org", push: true, private: true}, writes(forge.Works, forge.Works, forge.NotOffered)},
		"a classic token for statuses": {gitHub{scopes: "repo:status", push: true}, writes(forge.Missing, forge.Works, forge.NotOffered)},
		"a public repository":          {gitHub{scopes: "public_repo", push: true}, writes(forge.Works, forge.Works, forge.NotOffered)},
		"public_repo alone":            {gitHub{scopes: "public_repo", push: true, private: true}, writes(forge.Missing, forge.Missing, forge.NotOffered)},
		"a user who may not push":      {gitHub{scopes: "repo"}, writes(forge.Works, forge.Missing, forge.NotOffered)},
		"a fine-grained token":         {gitHub{push: true, ends: "2031-05-06 07:08:09 UTC"}, writes(forge.NotTried, forge.NotTried, forge.NotOffered)},
		"an archived repository":       {gitHub{scopes: "repo", push: true, archived: true}, writes(forge.Missing, forge.Missing, forge.Missing)},
		"an App":                       {gitHub{permissions: map[string]string{"pull_requests": "write", "statuses": "write", "checks": "write"}}, writes(forge.Works, forge.Works, forge.Works)},
		"an App that writes statuses":  {gitHub{permissions: map[string]string{"pull_requests": "read", "statuses": "write"}}, writes(forge.Missing, forge.Works, forge.Missing)},
		"an App without rights":        {gitHub{permissions: map[string]string{"metadata": "read"}}, writes(forge.Missing, forge.Missing, forge.Missing)},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(&c.g)
			defer server.Close()
			config := github.Config{Repository: "acme/cloud-config", APIURL: server.URL}
			if c.g.permissions != nil {
				config.App = &forge.App{AppID: 1, InstallationID: 2, PrivateKeyFile: app, APIURL: server.URL}
			} else {
				config.Token = func(context.Context) (string, error) { return "ghp_only-in-tests", nil }
			}
			r, err := github.New(config)
			if err != nil {
				t.Fatal(err)
			}
			same(t, inspected(t, r.Forge(), at, "only-in-tests"), except(r.Forge(), c.want))
			if len(c.g.written) > 0 {
				t.Errorf("written: %q", c.g.written)
			}
			if owner, err := r.Owner(t.Context()); err != nil || owner.Until.IsZero() == (c.g.ends != "") {
				t.Errorf("owner %+v, %v", owner, err)
			}
		})
	}
}

// TestOnGitHub inspects the stand-in for GitHub, which checks requests against GitHub's description of its API.
func TestOnGitHub(t *testing.T) {
	g := forgetest.StartGitHub(t)
	at := opened(t, g)
	open := func(config github.Config) forge.Forge {
		config.Repository, config.APIURL = g.Repository, g.APIURL
		r, err := github.New(config)
		if err != nil {
			t.Fatal(err)
		}
		return r.Forge()
	}
	fine := open(github.Config{Token: forge.FileToken(g.TokenFile)})
	got := inspected(t, fine, at, g.Token(forgetest.Bot))
	for task, result := range except(fine, results{forge.TaskChecks: forge.NotOffered}) {
		if got[task] != result && task != forge.TaskWriteComments && task != forge.TaskWriteStatuses {
			t.Errorf("%s: %s; want %s", task, got[task], result)
		}
	}
	wrong := open(github.Config{Token: func(context.Context) (string, error) { return "ghp_wrong", nil }})
	same(t, inspected(t, wrong, at, "ghp_wrong"), failing(wrong, forge.TaskLogin, forge.Missing))
}
