package forgetest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
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

// Say implements [People].
func (g *GitLab) Say(_ *testing.T, number int, login, body string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.say(number, &labNote{author: g.user(login), body: body}).id
}

// SayAs adds a note of a kind: DiffNote, DiscussionNote, system or internal.
func (g *GitLab) SayAs(number int, login, kind, body string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := &labNote{author: g.user(login), body: body, system: kind == "system", internal: kind == "internal"}
	if !n.system && !n.internal {
		n.kind = kind
	}
	return g.say(number, n).id
}

func (g *GitLab) say(number int, n *labNote) *labNote {
	n.created = g.tick()
	n.id, n.updated = g.next, n.created
	g.notes[number] = append(g.notes[number], n)
	if m := g.merge(number); m != nil {
		m.updated = n.created
		g.notifyNote(m, n)
	}
	return n
}

// Resay implements [People].
func (g *GitLab) Resay(_ *testing.T, _ string, id int64, body string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, notes := range g.notes {
		for _, n := range notes {
			if n.id == id {
				n.body, n.updated = body, g.tick()
			}
		}
	}
}

// Later implements [People].
func (g *GitLab) Later(*testing.T) {}

// SetStatus implements [People].
func (g *GitLab) SetStatus(t *testing.T, login, commit string, s forge.Status) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	code, said := g.setStatus(g.user(login), commit, fields{"state": string(s.State), "name": s.Context, "description": s.Description})
	if code >= 300 {
		t.Errorf("status of %s: %d %v", login, code, said)
	}
}

// Allow implements [People].
func (g *GitLab) Allow(_ *testing.T, login string, write bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.user(login).access = 20
	if write {
		g.user(login).access = 30
	}
}

// RenameUser renames an account. Another account can then take the old name.
func (g *GitLab) RenameUser(login, name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.user(login).login = name
}

// Reactions implements [People]: the agent adds no reactions here.
func (g *GitLab) Reactions(*testing.T, int, int64) []forge.Reaction { return nil }

func (g *GitLab) merge(iid int) *labMerge {
	if iid < 1 || iid > len(g.merges) {
		return nil
	}
	return g.merges[iid-1]
}

// OpenPull implements [Hands].
func (g *GitLab) OpenPull(t *testing.T, branch, base, title string) int {
	t.Helper()
	return g.open(&labMerge{source: branch, target: base, title: title, author: g.user(Maintainer)}, g.git("rev-parse", "refs/heads/"+branch))
}

// Fork implements [People].
func (g *GitLab) Fork(t *testing.T, login, branch string, files map[string]string) int {
	t.Helper()
	commit := g.commit(g.Branch(), files)
	return g.open(&labMerge{source: branch, target: g.Branch(), title: "From a fork", author: g.user(login), fork: true}, commit)
}

func (g *GitLab) open(m *labMerge, head string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	m.iid, m.state, m.head, m.updated = len(g.merges)+1, "opened", head, g.tick()
	g.merges = append(g.merges, m)
	g.git("update-ref", fmt.Sprintf("refs/merge-requests/%d/head", m.iid), head)
	g.notifyMerge(m, "open")
	return m.iid
}

// OpenMany opens n merge requests of one branch. They have no refs/merge-requests/….
func (g *GitLab) OpenMany(branch string, n int) {
	head := g.git("rev-parse", "refs/heads/"+branch)
	g.mu.Lock()
	defer g.mu.Unlock()
	for range n {
		g.merges = append(g.merges, &labMerge{
			iid: len(g.merges) + 1, source: branch, target: g.Branch(), title: "One of many", author: g.user(Maintainer), state: "opened", head: head, updated: g.tick(),
		})
	}
}

// Retarget sets the target branch of a merge request.
func (g *GitLab) Retarget(number int, branch string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.merge(number)
	m.target, m.updated = branch, g.tick()
}

// Pass advances the clock of GitLab by d.
func (g *GitLab) Pass(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next += d.Milliseconds()
}

// Describe sets the description of a merge request.
func (g *GitLab) Describe(number int, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.merge(number).description = text
}

// Unfork implements [People].
func (g *GitLab) Unfork(_ *testing.T, login string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.merges {
		if m.fork && m.author.login == login {
			m.gone = true
		}
	}
}

// Close implements [Hands].
func (g *GitLab) Close(_ *testing.T, number int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.merge(number)
	m.state, m.updated = "closed", g.tick()
	g.notifyMerge(m, "close")
}

// Merge implements [Hands].
func (g *GitLab) Merge(t *testing.T, number int) string {
	t.Helper()
	return g.MergeBy(number, "merge")
}

// MergeBy merges a merge request with one of these methods: a merge commit ("merge"), one commit
// with all changes ("squash"), or the branch is moved to the head ("ff").
func (g *GitLab) MergeBy(number int, method string) (commit string) {
	g.mu.Lock()
	m := g.merge(number)
	g.mu.Unlock()
	target := "refs/heads/" + m.target
	tip := g.git("rev-parse", target)
	tree := g.tree(tip, m.head)
	switch method {
	case "ff":
		commit = m.head
	case "squash":
		commit = g.git("commit-tree", "-p", tip, "-m", m.title, tree)
	default:
		commit = g.git("commit-tree", "-p", tip, "-p", m.head, "-m", "Merge", tree)
	}
	g.git("update-ref", target, commit)
	g.mu.Lock()
	defer g.mu.Unlock()
	m.state, m.onto, m.updated = "merged", tip, g.tick()
	switch method {
	case "squash":
		m.squash = commit
	case "merge":
		m.merge = commit
	}
	g.notifyPush(m.target, tip, commit)
	g.notifyMerge(m, "merge")
	return commit
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
