package forgetest

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"
	"testing"
)

// id returns the Change-Id of a change.
func (c *gerritChange) id(project string) string {
	if changeID.MatchString("Change-Id: " + c.source) {
		return c.source
	}
	sum := sha1.Sum([]byte(project + "~" + itoa(c.number)))
	return "I" + hex.EncodeToString(sum[:])
}

// ChangeID returns the Change-Id of a change.
func (g *Gerrit) ChangeID(number int) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.change(number).id(g.Project)
}

// Message replaces the commit message of the current patch set of a change.
func (g *Gerrit) Message(number int, lines ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.change(number)
	c.sets[len(c.sets)-1].message = "Change\n\n" + strings.Join(lines, "\n") + "\n"
	c.updated = g.tick()
}

// DependsOn implements [Dependent].
func (g *Gerrit) DependsOn(_ *testing.T, number int, others ...int) {
	var lines []string
	for _, other := range others {
		lines = append(lines, "Depends-On: "+g.URL+"/c/"+g.Project+"/+/"+itoa(other))
	}
	g.Message(number, lines...)
}

// SetTopic sets the topic of changes.
func (g *Gerrit) SetTopic(topic string, numbers ...int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, number := range numbers {
		g.change(number).topic = topic
	}
}

// SubmitTopics sets whether all changes of a topic are submitted together.
func (g *Gerrit) SubmitTopics(whole bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.whole = whole
}

// Hide makes a change private.
func (g *Gerrit) Hide(number int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.change(number).private = true
}

// OpenUpon uploads a change whose parent is the commit parent.
func (g *Gerrit) OpenUpon(parent, login string, files map[string]string) int {
	set := gerritSet{commit: g.repo.commit(parent, files), uploader: g.account(login)}
	return g.open(&gerritChange{source: "upon " + set.commit, branch: g.Branch(), title: "Upon another"}, set)
}

// Head returns the commit of the current patch set of a change.
func (g *Gerrit) Head(number int) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.change(number).head().commit
}
