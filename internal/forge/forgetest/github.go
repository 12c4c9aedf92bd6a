package forgetest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// GitHub is a simulator of GitHub, with one repository. It is a [Lab] without [Site.Forge], which
// each test makes from the fields here.
//
//	agent ──▶ front ──▶ Prism ──▶ layer ──▶ emulate
//	            │         │         └─ Git, statuses, reactions, limits, ETags: the features that emulate does not have
//	            │         └─ checks every request by GitHub's own description of its API
//	            └─ fails the test if Prism objects to a request; serves Git over HTTP
//
// It is as strict as GitHub, as far as that is known.
type GitHub struct {
	// APIURL is the root of the API, with a path as on an Enterprise server. Repository is the
	// owner and name of the repository, which has one commit.
	APIURL, Repository string
	// TokenFile contains the token of an account, [Bot], that may push.
	TokenFile string
	// AppID and AppKeyFile are the number and the key of an App that is installed on the repository
	// with the InstallationID. The App comments as [AppLogin].
	AppID, InstallationID int64
	AppKeyFile            string

	t          testing.TB
	ctx        context.Context // the context of all requests and commands, even after the test's own context has ended
	dir        string          // the folder of all files
	front      *httptest.Server
	inside     *httptest.Server // the layer
	hub        string           // the address of emulate
	client     *http.Client
	tokens     map[string]string // by login
	delivering sync.WaitGroup

	mu         sync.Mutex
	judge      string // the address of Prism
	private    bool   // whether Git asks for credentials before a fetch
	down       bool
	left       int       // number of requests that are allowed until the limit ends
	reset      time.Time // when the limit ends
	served     int       // number of requests that were answered
	complaints []string
	minted     map[string]bool
	hooks      []hook
	pulls      map[int]*githubPull
	statuses   map[string][]object
	runs       map[int64]*CheckRun
	reacted    map[int64][]reaction
}

// githubPull has the data of a pull request that emulate does not have.
type githubPull struct {
	branch, base string // names of references, such as refs/heads/main
	fork         string // login of the fork's owner; "" for a branch of the repository itself
	forkGone     bool
	head, tip    string // the newest commit of the head, and the commit of the base when it was pushed
	mergeCommit  string
	updated      time.Time
	commits      map[string]bool // the commits of the pull request
	closed       bool
}

type hook struct{ url, secret string }

const (
	// AppLogin is the login with which the App comments.
	AppLogin = "stackreeve[bot]"

	githubAppID        = 4711
	githubInstallation = 42
	githubRepository   = "acme/cloud-config"
	hourly             = 5000
)

// githubPeople are all accounts, because emulate cannot make an account later. At the start, the
// first two of them may push.
var githubPeople = []string{Maintainer, Bot, "writer", "reader", "stranger", "alice", "bob", "carol", "mallory"}

// StartGitHub starts a GitHub until the test ends. The first test on a machine installs the programs of
// the simulator with npm. So the test is skipped unless STACKREEVE_TEST_FORGE is set.
func StartGitHub(t testing.TB) *GitHub {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_FORGE") == "" {
		t.Skip("STACKREEVE_TEST_FORGE is not set")
	}
	g := &GitHub{
		Repository: githubRepository, AppID: githubAppID, InstallationID: githubInstallation,
		t: t, ctx: context.WithoutCancel(t.Context()), dir: t.TempDir(), client: &http.Client{Timeout: time.Minute}, tokens: map[string]string{},
		left: hourly, reset: time.Now().Add(time.Hour), minted: map[string]bool{}, pulls: map[int]*githubPull{},
		statuses: map[string][]object{}, runs: map[int64]*CheckRun{}, reacted: map[int64][]reaction{},
	}
	for _, login := range githubPeople {
		g.tokens[login] = "ghp_" + strings.ReplaceAll(login, "-", "") + strings.Repeat("0", 20)
	}
	g.makeRepository(t)
	g.inside = httptest.NewServer(g.layer())
	t.Cleanup(g.inside.Close)
	g.front = httptest.NewServer(g.outside())
	t.Cleanup(g.front.Close)
	g.APIURL = g.front.URL + apiPath
	key := g.startParts(t)
	g.TokenFile, g.AppKeyFile = filepath.Join(g.dir, "token"), filepath.Join(g.dir, "app.pem")
	for path, text := range map[string]string{g.TokenFile: g.Token(Bot) + "\n", g.AppKeyFile: key} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g.allow(t, Bot, "push")
	g.listen()
	t.Cleanup(func() {
		g.delivering.Wait()
		for _, c := range g.Complaints() {
			t.Error(c)
		}
	})
	return g
}

// Token returns the token of a person, or of the agent.
func (g *GitHub) Token(login string) string { return g.tokens[login] }

// Branch implements [Site].
func (g *GitHub) Branch() string { return "main" }

// Remote implements [Site].
func (g *GitHub) Remote() string { return g.front.URL + "/" + g.Repository + ".git" }

// Strict implements [Site], for the App. With a token, check runs cannot be written.
func (g *GitHub) Strict() bool { return true }

// Hook implements [Site].
func (g *GitHub) Hook(_ *testing.T, url, secret string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hooks = append(g.hooks, hook{url, secret})
}

// SetDown sets whether the forge answers every request with 503.
func (g *GitHub) SetDown(down bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.down = down
}

// SetPrivate sets whether Git needs credentials for a fetch.
func (g *GitHub) SetPrivate(private bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.private = private
}

// SetLeft sets how many requests are allowed until the time reset.
func (g *GitHub) SetLeft(requests int, reset time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left, g.reset = requests, reset
}

// Served returns the number of answered requests since the start. Answers with 304 are not counted.
func (g *GitHub) Served() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.served
}
