package forgetest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Gerrit is a simulator of Gerrit, with one project whose commits are in a real Git repository. It
// is a [Lab] without [Site.Forge]. A request that does not match the documentation of Gerrit's API
// fails the test (gerrit_api.go).
type Gerrit struct {
	// URL is the address of the simulator. Project is the name of the project.
	URL, Project string
	// Label is the label of the project. Its votes are from -1 to +1.
	Label string

	t       testing.TB
	repo    *GitLab // used only for its Git repository
	started time.Time
	served  int

	mu       sync.Mutex
	weather  func(w http.ResponseWriter, r *http.Request) (answered bool)
	accounts []*gerritAccount
	changes  []*gerritChange
	voters   map[string]bool // by login: whether the account may vote.
	votes    []string        // the votes that Gerrit reports as permitted; nil for all votes.
	whole    bool            // whether all changes of a topic are submitted together.
	next     int64
	lose     func(*http.Request) bool // reports whether the answer to a request gets lost.
	hooks    []string                 // the addresses of the hooks.

	delivering sync.WaitGroup
}

type gerritAccount struct {
	id                    int64
	login                 string
	submits, sees, robots bool
}

type gerritChange struct {
	number                       int
	source, branch, title, state string
	topic                        string
	private                      bool
	owner                        *gerritAccount
	sets                         []gerritSet
	messages                     []*gerritMessage
	updated                      time.Time
	votes                        map[string]int // by login and patch set
}

type gerritSet struct {
	commit         string
	uploader, real *gerritAccount
	parents        []string
	message        string
}

type gerritMessage struct {
	id, text, tag, remark string
	author, real          *gerritAccount
	date                  time.Time
	set                   int
}

// StartGerrit starts a Gerrit until the test ends. It only needs git.
func StartGerrit(t testing.TB) *Gerrit {
	t.Helper()
	g := &Gerrit{
		Project: "infra/cloud-config", Label: "Verified", t: t, started: time.Now().UTC().Truncate(time.Second), voters: map[string]bool{Bot: true},
		repo: &GitLab{t: t, dir: t.TempDir(), started: time.Now()},
	}
	g.account(Bot).sees, g.account(Maintainer).submits = true, true
	g.repo.makeRepository()
	g.repo.git("config", "http.receivepack", "true")
	server := httptest.NewServer(g.serve())
	t.Cleanup(func() {
		g.delivering.Wait()
		server.Close()
	})
	g.URL = server.URL
	return g
}

// Password returns the HTTP password of a person, or of the agent.
func (g *Gerrit) Password(login string) string { return "only/in+tests-" + login }

// Branch implements [Site].
func (g *Gerrit) Branch() string { return "main" }

// Remote implements [Site].
func (g *Gerrit) Remote() string { return g.URL + "/" + g.Project + ".git" }

// Strict implements [Site]. It returns false, because a long comment becomes several messages.
func (g *Gerrit) Strict() bool { return false }

// SetWeather calls f before Gerrit answers a request. If f returns true, f has answered the
// request. nil removes f.
func (g *Gerrit) SetWeather(f func(w http.ResponseWriter, r *http.Request) (answered bool)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.weather = f
}

// Lose makes the answers of Gerrit get lost for which f returns true. Gerrit still carries out the
// requests. nil removes f.
func (g *Gerrit) Lose(f func(*http.Request) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lose = f
}

// Served returns the number of answered requests.
func (g *Gerrit) Served() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.served
}

// account returns an account, and makes it if it does not exist.
func (g *Gerrit) account(login string) *gerritAccount {
	for _, a := range g.accounts {
		if a.login == login {
			return a
		}
	}
	g.next++
	a := &gerritAccount{id: 1_000_000 + g.next, login: login}
	g.accounts = append(g.accounts, a)
	return a
}

// tick returns the time of a clock that advances by a second with each call, because Gerrit's times
// are in seconds.
func (g *Gerrit) tick() time.Time {
	g.next++
	return g.started.Add(time.Duration(g.next) * time.Second)
}

func (g *Gerrit) change(number int) *gerritChange {
	if number < 1 || number > len(g.changes) {
		return nil
	}
	return g.changes[number-1]
}

// write adds a message to a change.
func (g *Gerrit) write(c *gerritChange, m *gerritMessage) int64 {
	m.date, m.set = g.tick(), len(c.sets)
	sum := sha256.Sum256(fmt.Append(nil, g.next))
	m.id = hex.EncodeToString(sum[:20])
	c.messages, c.updated = append(c.messages, m), m.date
	g.notifyChange(cmp.Or(gerritEvents[m.tag], "comment-added"), c)
	return int64(len(c.messages))
}

// upload adds a patch set to a change.
func (g *Gerrit) upload(c *gerritChange, set gerritSet) {
	parents, message, _ := strings.Cut(g.repo.git("log", "-1", "--format=%P%n%B", set.commit), "\n")
	set.parents, set.message = strings.Fields(parents), cmp.Or(set.message, message)
	c.sets = append(c.sets, set)
	g.repo.git("update-ref", c.ref(), set.commit)
	g.write(c, &gerritMessage{author: set.uploader, text: fmt.Sprintf("Uploaded patch set %d.", len(c.sets)), tag: "autogenerated:gerrit:newPatchSet"})
}

func (c *gerritChange) ref() string {
	return fmt.Sprintf("refs/changes/%02d/%d/%d", c.number%100, c.number, len(c.sets))
}

func (c *gerritChange) head() gerritSet { return c.sets[len(c.sets)-1] }

func (g *Gerrit) open(c *gerritChange, set gerritSet) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.number, c.state, c.owner, c.votes = len(g.changes)+1, "NEW", set.uploader, map[string]int{}
	g.changes = append(g.changes, c)
	g.upload(c, set)
	return c.number
}

// Push implements [Hands].
func (g *Gerrit) Push(t *testing.T, branch string, files map[string]string) string {
	t.Helper()
	return g.pushed(branch, g.repo.Push(t, branch, files))
}

// Rewrite implements [Hands].
func (g *Gerrit) Rewrite(t *testing.T, branch string, files map[string]string) string {
	t.Helper()
	return g.pushed(branch, g.repo.Rewrite(t, branch, files))
}

// pushed adds a new patch set to the open changes that come from a branch.
func (g *Gerrit) pushed(branch, commit string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.notifyPush("refs/heads/"+branch, "", commit)
	for _, c := range g.changes {
		if c.source == branch && c.state == "NEW" {
			g.upload(c, gerritSet{commit: commit, uploader: g.account(Maintainer)})
		}
	}
	return commit
}

// UploadAs adds a new patch set to a change. The account by uploads it in the name of the account
// login.
func (g *Gerrit) UploadAs(number int, login, by string, files map[string]string) string {
	commit := g.repo.commit(g.Branch(), files)
	g.mu.Lock()
	defer g.mu.Unlock()
	set := gerritSet{commit: commit, uploader: g.account(login)}
	if by != login {
		set.real = g.account(by)
	}
	g.upload(g.change(number), set)
	return commit
}

// OpenPull implements [Hands].
func (g *Gerrit) OpenPull(t *testing.T, branch, base, title string) int {
	t.Helper()
	set := gerritSet{commit: g.repo.git("rev-parse", "refs/heads/"+branch), uploader: g.account(Maintainer)}
	return g.open(&gerritChange{source: branch, branch: base, title: title}, set)
}

// Fork implements [People]. It uploads a change, because anybody may do that.
func (g *Gerrit) Fork(t *testing.T, login, branch string, files map[string]string) int {
	t.Helper()
	set := gerritSet{commit: g.repo.commit(g.Branch(), files), uploader: g.account(login)}
	return g.open(&gerritChange{source: login + ":" + branch, branch: g.Branch(), title: "From anybody"}, set)
}

// Unfork implements [People]. It does nothing, because there is no fork to delete.
func (g *Gerrit) Unfork(*testing.T, string) {}

// Close implements [Hands].
func (g *Gerrit) Close(_ *testing.T, number int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.change(number)
	c.state, c.updated = "ABANDONED", g.tick()
	g.notifyChange("change-abandoned", c)
}

// Merge implements [Hands].
func (g *Gerrit) Merge(t *testing.T, number int) string {
	t.Helper()
	return g.SubmitBy(number, "cherry-pick")
}

// SubmitBy submits a change with one of these methods: a new patch set ("cherry-pick"), a merge
// commit ("merge"), or the branch is moved to the patch set ("ff").
func (g *Gerrit) SubmitBy(number int, method string) (commit string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.change(number)
	target := "refs/heads/" + c.branch
	tip := g.repo.git("rev-parse", target)
	commit = c.head().commit
	switch method {
	case "cherry-pick":
		commit = g.repo.git("commit-tree", "-p", tip, "-m", c.title, g.repo.tree(tip, commit))
		g.upload(c, gerritSet{commit: commit, uploader: g.account(Maintainer)})
	case "merge":
		commit = g.repo.git("commit-tree", "-p", tip, "-p", commit, "-m", "Merge", g.repo.tree(tip, commit))
	}
	g.repo.git("update-ref", target, commit)
	c.state, c.updated = "MERGED", g.tick()
	g.notifyChange("change-merged", c)
	g.notifyPush(target, tip, commit)
	return commit
}

// Say implements [People].
func (g *Gerrit) Say(_ *testing.T, number int, login, body string) int64 {
	return g.SayAs(number, login, login, "", body)
}

// SayAs adds a message with a tag. The account by writes it in the name of the account login.
func (g *Gerrit) SayAs(number int, login, by, tag, body string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.change(number)
	m := &gerritMessage{author: g.account(login), tag: tag, text: fmt.Sprintf("Patch Set %d:\n\n%s", len(c.sets), strings.TrimSpace(body))}
	if by != login {
		m.real = g.account(by)
	}
	return g.write(c, m)
}

// SayOnPage adds a message as Gerrit's web page does: the text is a remark on the patch set.
func (g *Gerrit) SayOnPage(number int, login, body string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.change(number)
	return g.write(c, &gerritMessage{author: g.account(login), text: fmt.Sprintf("Patch Set %d: Code-Review+1\n\n(1 comment)", len(c.sets)), remark: body})
}

// Robot makes an account an account for programs.
func (g *Gerrit) Robot(login string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.account(login).robots = true
}

// LetSee gives an account the global capability View Access, or takes it away.
func (g *Gerrit) LetSee(login string, may bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.account(login).sees = may
}

// LetVote sets whether an account may vote.
func (g *Gerrit) LetVote(login string, may bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.voters[login] = may
}

// OnlyVotes makes Gerrit report that accounts may give only these votes, such as "-1" and " 0".
func (g *Gerrit) OnlyVotes(values ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.votes = values
}

// Vote returns an account's vote on the current patch set of a change.
func (g *Gerrit) Vote(number int, login string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.change(number)
	return c.votes[fmt.Sprint(login, len(c.sets))]
}

// Votes returns the votes of the agent, by change.
func (g *Gerrit) Votes() map[int]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	votes := map[int]int{}
	for _, c := range g.changes {
		if vote, ok := c.votes[fmt.Sprint(Bot, len(c.sets))]; ok {
			votes[c.number] = vote
		}
	}
	return votes
}

// Resay implements [People]. It fails the test, because nobody can edit a message.
func (g *Gerrit) Resay(t *testing.T, _ string, _ int64, _ string) {
	t.Fatal("nobody can edit a message on Gerrit")
}

// Later implements [People].
func (g *Gerrit) Later(*testing.T) {}

// SetStatus implements [People]. It writes a message that looks like a status of ours, because
// anybody can do that.
func (g *Gerrit) SetStatus(_ *testing.T, login, commit string, s forge.Status) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.changes {
		if c.head().commit == commit {
			text := fmt.Sprintf("Patch Set %d:\n\n%s\n%s: %s\n[stackreeve: status]", len(c.sets), s.Context, s.State, s.Description)
			g.write(c, &gerritMessage{author: g.account(login), tag: "autogenerated:stackreeve~status", text: text})
		}
	}
}

// Allow implements [People].
func (g *Gerrit) Allow(_ *testing.T, login string, write bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.account(login).submits = write
}

// Reactions implements [People]. It returns nil, because Gerrit has no reactions.
func (g *Gerrit) Reactions(*testing.T, int, int64) []forge.Reaction { return nil }
