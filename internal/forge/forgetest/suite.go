package forgetest

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Lab is a real forge with one repository, with the agent's access to it and the actions of people.
// An action that fails also fails the test.
type Lab interface {
	Site
	Hands
	People
}

// Site is the agent's configuration for a lab.
type Site interface {
	// Forge returns the repository with the agent's credentials.
	Forge() forge.Forge
	// Branch returns the default branch, which has a commit. Remote returns a URL without
	// credentials, from which the agent can fetch over HTTP.
	Branch() string
	Remote() string
	// Strict reports whether the forge itself refuses texts that are too long.
	Strict() bool
	// Hook adds a webhook: from now on, events are sent to a URL, with a proof that the forge knows secret.
	Hook(t *testing.T, url, secret string)
}

// Hands are the actions of a person who may write to the repository.
type Hands interface {
	// Push commits files to a branch with Git. A new branch starts at the default branch. A file
	// with an empty text is removed.
	Push(t *testing.T, branch string, files map[string]string) (commit string)
	// Rewrite replaces a branch with a forced push. Afterwards the branch is the default branch
	// with one more commit.
	Rewrite(t *testing.T, branch string, files map[string]string) (commit string)
	// OpenPull opens a pull request that merges branch into base.
	OpenPull(t *testing.T, branch, base, title string) (number int)
	// Close closes a pull request, and Merge merges it with a merge commit.
	Close(t *testing.T, number int)
	Merge(t *testing.T, number int) (commit string)
}

// People are the actions of accounts other than the agent's. If a login does not exist yet, its
// account is made.
type People interface {
	// AddComment adds a comment of a person.
	AddComment(t *testing.T, number int, login, body string) (id int64)
	// EditComment edits the comment of a person, as that person.
	EditComment(t *testing.T, login string, id int64, body string)
	// Later waits until the forge's clock has advanced. The resolution of that clock may be a
	// second.
	Later(t *testing.T)
	// SetStatus sets a commit's status as a person who may push.
	SetStatus(t *testing.T, login, commit string, s forge.Status)
	// Allow sets whether a person may push, or only read.
	Allow(t *testing.T, login string, write bool)
	// Fork opens a pull request into the default branch from a person's fork.
	Fork(t *testing.T, login, branch string, files map[string]string) (number int)
	// Unfork deletes a person's fork.
	Unfork(t *testing.T, login string)
	// Reactions returns the reactions of the agent to a comment.
	Reactions(t *testing.T, number int, id int64) []forge.Reaction
}

// Suite runs the tests that every forge must pass. It calls start once, which may return a lab that
// other tests have used.
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
		{"what one depends on", testNeeds},
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
