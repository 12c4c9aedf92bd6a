package forgetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

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

// AddComment implements [People].
func (g *Gerrit) AddComment(_ *testing.T, number int, login, body string) int64 {
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

// EditComment implements [People]. It fails the test, because nobody can edit a message.
func (g *Gerrit) EditComment(t *testing.T, _ string, _ int64, _ string) {
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
