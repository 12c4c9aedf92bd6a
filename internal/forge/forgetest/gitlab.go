package forgetest

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// GitLab is a simulator of GitLab, with one project whose commits are in a real Git repository. It
// is a [Lab] without [Site.Forge]. It refuses the requests that GitLab refuses. A request that does
// not match the description of GitLab's API fails the test (gitlab_facts.go).
type GitLab struct {
	// URL is the address of the simulator. Project is the path of the project, which is in a
	// subgroup.
	URL, Project string

	t       testing.TB
	dir     string
	started time.Time
	served  int
	calls   []string

	mu        sync.Mutex
	weather   func(w http.ResponseWriter, r *http.Request) (answered bool)
	lose      func(*http.Request) bool // reports whether the answer to a request gets lost
	former    string                   // an earlier path of the project
	users     []*labUser
	merges    []*labMerge
	notes     map[int][]*labNote
	statuses  []*labStatus
	pipelines []*labPipeline
	protected map[string]bool     // branches that only maintainers may change
	scopes    map[string][]string // the scopes of tokens, by login; a missing token has the scope api
	archived  bool
	next      int64

	hooks      []labHook
	delivering sync.WaitGroup
}

type labUser struct {
	id     int64
	login  string
	access int // 0 for an account that is no member
}

type labMerge struct {
	iid                   int
	title, source, target string
	author                *labUser
	fork, gone            bool
	state, head           string
	merge, squash         string
	onto                  string // the commit of the target before the merge.
	updated               time.Time
	description           string
	approved              []*labUser
}

type labNote struct {
	id               int64
	author           *labUser
	body, kind       string
	system, internal bool
	created, updated time.Time
}

type labStatus struct {
	id                                  int64
	sha, name, state, description, link string
	author                              *labUser
	pipeline                            *labPipeline
}

type labPipeline struct {
	id               int64
	sha, ref, source string
}

// labProject is the number of the project.
const labProject = 4711

// StartGitLab starts a GitLab until the test ends. It only needs git.
func StartGitLab(t testing.TB) *GitLab {
	t.Helper()
	g := &GitLab{
		Project: "acme/infra/cloud-config", t: t, dir: t.TempDir(), started: time.Now().UTC().Truncate(time.Millisecond),
		notes: map[int][]*labNote{}, protected: map[string]bool{}, scopes: map[string][]string{},
	}
	g.user(Bot).access, g.user(Maintainer).access = 30, 40
	g.makeRepository()
	server := httptest.NewServer(g.serve())
	t.Cleanup(func() {
		g.delivering.Wait()
		server.Close()
	})
	g.URL = server.URL
	return g
}

// Token returns the token of a person, or of the agent.
func (g *GitLab) Token(login string) string { return "glpat-only-in-tests-" + login }

// Branch implements [Site].
func (g *GitLab) Branch() string { return "main" }

// Remote implements [Site].
func (g *GitLab) Remote() string { return g.URL + "/" + g.Project + ".git" }

// Strict implements [Site]. It returns false, because GitLab accepts a million characters.
func (g *GitLab) Strict() bool { return false }

// SetWeather calls f before GitLab answers a request. f may write headers. If it returns true, it
// has answered the request. nil removes f.
func (g *GitLab) SetWeather(f func(w http.ResponseWriter, r *http.Request) (answered bool)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.weather = f
}

// Lose makes the answers of GitLab get lost for which f returns true. GitLab still carries out the
// requests. nil removes f.
func (g *GitLab) Lose(f func(*http.Request) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lose = f
}

// Served returns the number of answered requests.
func (g *GitLab) Served() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.served
}

// Rename moves the project. Its old path is redirected to the new one, but only for reads.
func (g *GitLab) Rename(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.former, g.Project = g.Project, path
}

// Protect protects a branch, so that only maintainers can change it.
func (g *GitLab) Protect(branch string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.protected[branch] = true
}

// LimitToken sets the scopes of the token of an account. Without it, the scope is api.
func (g *GitLab) LimitToken(login string, scopes ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.scopes[login] = scopes
}

// Archive archives the project, so that nobody can change it.
func (g *GitLab) Archive() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.archived = true
}

// RunPipeline makes a pipeline for a commit, and returns its number.
func (g *GitLab) RunPipeline(sha, ref, source string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pipeline(sha, ref, source).id
}

// Pipelines returns the number of pipelines that statuses have created.
func (g *GitLab) Pipelines() (external int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.pipelines {
		if p.source == "external" {
			external++
		}
	}
	return external
}

// StatusIn returns the state of the newest status with this name in a pipeline.
func (g *GitLab) StatusIn(pipeline int64, name string) (state string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.statuses {
		if s.pipeline.id == pipeline && s.name == name {
			state = s.state
		}
	}
	return state
}

func (g *GitLab) pipeline(sha, ref, source string) *labPipeline {
	g.next++
	p := &labPipeline{g.next, sha, ref, source}
	g.pipelines = append(g.pipelines, p)
	return p
}

// user returns an account, and makes it if it does not exist.
func (g *GitLab) user(login string) *labUser {
	for _, u := range g.users {
		if u.login == login {
			return u
		}
	}
	g.next++
	u := &labUser{id: g.next, login: login}
	g.users = append(g.users, u)
	return u
}

// tick returns the time of a clock that advances by a millisecond with each call, because GitLab's
// times are in milliseconds.
func (g *GitLab) tick() time.Time {
	g.next++
	return g.started.Add(time.Duration(g.next) * time.Millisecond)
}

func (g *GitLab) merge(iid int) *labMerge {
	if iid < 1 || iid > len(g.merges) {
		return nil
	}
	return g.merges[iid-1]
}

// who returns the account whose token is in a request.
func (g *GitLab) who(r *http.Request) *labUser {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = cmp.Or(token, r.Header.Get("Private-Token"))
	for _, u := range g.users {
		if token == g.Token(u.login) {
			return u
		}
	}
	return nil
}

func (g *GitLab) ctx() context.Context { return g.t.Context() }
