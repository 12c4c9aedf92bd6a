package forgetest

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Gitea is a real Gitea on this machine, with one repository. It is a [Lab] without [Site.Forge],
// which each test makes from the fields here.
type Gitea struct {
	// URL is the address of the Gitea. Repository is the owner and name of the repository, which has one
	// commit.
	URL, Repository string
	// TokenFile contains the agent's token. The token has exactly the rights that the agent needs:
	// administrator of the repository, read and write for repository and issues, and read for the user.
	TokenFile string

	server *giteaServer
	people *people
}

// people are the accounts of a Gitea.
type people struct {
	mu     sync.Mutex
	tokens map[string]string // by login
}

const (
	// Bot is the agent's login.
	Bot = "stackreeve-bot"
	// Maintainer is the login of the person who makes the changes of [Hands].
	Maintainer = "maintainer"

	giteaOwner = "acme" // an organization
	giteaAdmin = "root" // the administrator of the site
	password   = "only-in-tests-1"
)

// StartGitea starts a Gitea until the test ends. The first test on a machine builds the Gitea, which takes
// minutes. So tests with real forges are skipped unless STACKREEVE_TEST_FORGE is set.
func StartGitea(t testing.TB) *Gitea {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_FORGE") == "" {
		t.Skip("STACKREEVE_TEST_FORGE is not set")
	}
	s := startGitea(t)
	g := &Gitea{URL: s.url(), Repository: giteaOwner + "/cloud-config", server: s, people: &people{tokens: map[string]string{}}}
	token, err := s.run(t.Context(), "admin", "user", "create", "--username", giteaAdmin, "--email", "root@example.org", "--password", password,
		"--admin", "--must-change-password=false", "--access-token", "--access-token-name", "lab", "--access-token-scopes", "all")
	if err != nil {
		t.Fatal(err)
	}
	g.setToken(giteaAdmin, lastWord(token))
	g.call(t, giteaAdmin, "POST", "/orgs", object{"username": giteaOwner}, nil)
	g.person(t, Bot, "write:repository", "write:issue", "read:user")
	g.person(t, Maintainer, "all")
	g.addRepository(t)
	g.TokenFile = filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(g.TokenFile, []byte(g.Token(Bot)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

// Another makes another new repository on the same Gitea, with the same people.
func (g *Gitea) Another(t testing.TB, name string) *Gitea {
	t.Helper()
	other := &Gitea{URL: g.URL, Repository: giteaOwner + "/" + name, TokenFile: g.TokenFile, server: g.server, people: g.people}
	other.addRepository(t)
	return other
}

// Migrate makes Gitea copy the project of a GitLab, with its merge requests and comments, to a new
// repository.
func (g *Gitea) Migrate(t testing.TB, from *GitLab, name string) *Gitea {
	t.Helper()
	g.call(t, giteaAdmin, "POST", "/repos/migrate", object{
		"service": "gitlab", "clone_addr": from.Remote(), "auth_token": from.Token(Maintainer), "repo_owner": giteaOwner, "repo_name": name, "pull_requests": true,
	}, nil)
	other := &Gitea{URL: g.URL, Repository: giteaOwner + "/" + name, TokenFile: g.TokenFile, server: g.server, people: g.people}
	other.allow(t, Bot, "admin")
	return other
}

func (g *Gitea) addRepository(t testing.TB) {
	t.Helper()
	_, name := filepath.Split(g.Repository)
	g.call(t, giteaAdmin, "POST", "/orgs/"+giteaOwner+"/repos", object{"name": name, "auto_init": true, "default_branch": g.Branch()}, nil)
	g.allow(t, Bot, "admin")
	g.allow(t, Maintainer, "write")
}

// Branch implements [Site].
func (g *Gitea) Branch() string { return "main" }

// Remote implements [Site].
func (g *Gitea) Remote() string { return g.URL + "/" + g.Repository + ".git" }

// Strict implements [Site].
func (g *Gitea) Strict() bool { return false }

// Token returns the token of a person, or of the agent.
func (g *Gitea) Token(login string) string {
	g.people.mu.Lock()
	defer g.people.mu.Unlock()
	return g.people.tokens[login]
}

func (g *Gitea) setToken(login, token string) {
	g.people.mu.Lock()
	defer g.people.mu.Unlock()
	g.people.tokens[login] = token
}

// CloneURL returns the address to which a person pushes, with the credentials.
func (g *Gitea) CloneURL(login string) string { return g.remoteAs(login, g.Repository) }

func (g *Gitea) remoteAs(login, repository string) string {
	u, err := url.Parse(g.URL + "/" + repository + ".git")
	if err != nil {
		return ""
	}
	u.User = url.UserPassword(login, g.Token(login))
	return u.String()
}

// SSH returns the address of Gitea's SSH server, for the user git, and a line for known_hosts.
func (g *Gitea) SSH() (address, knownHosts string) {
	host := fmt.Sprintf("127.0.0.1:%d", g.server.ssh)
	return host, fmt.Sprintf("[127.0.0.1]:%d %s", g.server.ssh, g.server.hostKey)
}

// AddKey adds an SSH key with which a person can log in. line is a line of authorized_keys.
func (g *Gitea) AddKey(t testing.TB, login, line string) {
	t.Helper()
	g.call(t, giteaAdmin, "POST", "/admin/users/"+login+"/keys", object{"title": "lab", "key": line}, nil)
}

// Stop stops the server; Start starts it again with all its data, at the same address.
func (g *Gitea) Stop() { g.server.stop() }

// Start starts the server again after [Gitea.Stop].
func (g *Gitea) Start(t testing.TB) {
	t.Helper()
	if err := g.server.start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Hook implements [Site].
func (g *Gitea) Hook(t *testing.T, url, secret string) {
	t.Helper()
	g.call(t, giteaAdmin, "POST", "/repos/"+g.Repository+"/hooks", object{
		"type": "gitea", "active": true, "config": object{"url": url, "content_type": "json", "secret": secret},
		"events": []string{"push", "pull_request", "pull_request_sync", "pull_request_comment", "issue_comment"},
	}, nil)
}

// Wait waits until ready returns true. It fails the test after two minutes.
func Wait(t testing.TB, what string, ready func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(2 * time.Minute)
	defer late.Stop()
	for !ready() {
		select {
		case <-late.C:
			t.Fatalf("waited in vain for %s", what)
		case <-t.Context().Done():
			t.Fatalf("waiting for %s: %v", what, t.Context().Err())
		case <-tick.C:
		}
	}
}
