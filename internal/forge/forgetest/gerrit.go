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
