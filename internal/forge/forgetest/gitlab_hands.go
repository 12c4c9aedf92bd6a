package forgetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// AddComment implements [People].
func (g *GitLab) AddComment(_ *testing.T, number int, login, body string) int64 {
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

// EditComment implements [People].
func (g *GitLab) EditComment(_ *testing.T, _ string, id int64, body string) {
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
