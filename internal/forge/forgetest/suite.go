package forgetest

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Lab is a real forge with one repository on it, what the agent sees of it, and
// the hands to work there as people do. What goes wrong in a hand fails the test.
type Lab interface {
	Site
	Hands
	People
}

// Site is how the agent is configured for a lab.
type Site interface {
	// Forge is the repository with the agent's credentials.
	Forge() forge.Forge
	// Branch is the default branch, which has a commit, and Remote a URL that the
	// agent can fetch from over HTTP, without credentials in it.
	Branch() string
	Remote() string
	// Strict reports whether the forge refuses by itself what is too long.
	Strict() bool
	// Hook has events delivered to a URL, signed with secret, from now on.
	Hook(t *testing.T, url, secret string)
}

// Hands change the repository, as a person who may write.
type Hands interface {
	// Push commits files over Git to a branch, which begins at the default branch
	// when it is new. A file with an empty text is removed.
	Push(t *testing.T, branch string, files map[string]string) (commit string)
	// Rewrite makes a branch be the default branch and one commit, by force.
	Rewrite(t *testing.T, branch string, files map[string]string) (commit string)
	// OpenPull asks for branch to be merged into base.
	OpenPull(t *testing.T, branch, base, title string) (number int)
	// Close closes a pull request, and Merge merges it with a merge commit.
	Close(t *testing.T, number int)
	Merge(t *testing.T, number int) (commit string)
}

// People are other accounts than the agent's. Any login may be named: who does
// not exist yet is made.
type People interface {
	// Say comments as a person.
	Say(t *testing.T, number int, login, body string) (id int64)
	// Resay edits the comment of a person, as themselves.
	Resay(t *testing.T, login string, id int64, body string)
	// Later waits until the forge's clock, which may count seconds, has moved.
	Later(t *testing.T)
	// SetStatus sets a commit's status as a person who may push.
	SetStatus(t *testing.T, login, commit string, s forge.Status)
	// Allow lets a person push, or only read.
	Allow(t *testing.T, login string, write bool)
	// Fork opens a pull request into the default branch from a person's fork.
	Fork(t *testing.T, login, branch string, files map[string]string) (number int)
	// Unfork deletes a person's fork.
	Unfork(t *testing.T, login string)
	// Reactions are those of the agent to a comment.
	Reactions(t *testing.T, number int, id int64) []forge.Reaction
}

// Suite is what every forge promises, whatever it is. start is called once, and
// may return a lab that other tests have used.
func Suite(t *testing.T, start func(t *testing.T) Lab) {
	lab := start(t)
	for _, c := range []struct {
		name string
		run  func(*testing.T, Lab)
	}{
		{"abilities are declared", testAbilities},
		{"open pull requests are listed", testOpen},
		{"a push moves the head", testHead},
		{"a merged one is found by its commit", testMergedBy},
		{"a fork's", testFork},
		{"the newest commit of a file", testLastTouch},
		{"who may write", testMayWrite},
		{"comments", testComments},
		{"many comments", testManyComments},
		{"one comment of ours is found and edited", testUpsert},
		{"what is edited, and by whom", testEdited},
		{"reactions", testReactions},
		{"statuses", testStatuses},
		{"statuses of others", testStatusesOfOthers},
		{"odd statuses", testOddStatuses},
		{"many statuses", testManyStatuses},
		{"checks", testChecks},
		{"what there is not", testNotFound},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, lab) })
	}
}
