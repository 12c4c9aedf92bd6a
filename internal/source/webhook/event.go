package webhook

import "strings"

// Forge is the kind of forge that sent a message.
type Forge string

// These are the forges. Forgejo counts as Gitea here.
const (
	GitHub Forge = "github"
	Gitea  Forge = "gitea"
	GitLab Forge = "gitlab"
	Gerrit Forge = "gerrit"
)

// Kind is the kind of event that a message reports.
type Kind int

// These are the kinds.
const (
	Push    Kind = iota + 1 // commits were pushed or merged to a branch.
	Pull                    // a pull request has changed, for example by a push to its branch.
	Comment                 // a person has written a comment on a pull request.
	Any                     // something has changed, but it is unknown what.
)

// String returns the kind's name for logs.
func (k Kind) String() string {
	return [...]string{"nothing", "push", "pull request", "comment", "anything"}[k]
}

// Event is a hint that something has changed. A field is empty if the kind of event does not have
// it, or if its value had a wrong form.
type Event struct {
	Forge      Forge
	Kind       Kind
	Repository string // owner/name; on GitLab the path of the project, with its groups.
	Branch     string // the branch of the push, or the branch into which the pull request is to be merged.
	Number     int    // the number of the pull request.
	Commit     string // the newest commit, as 40 hex digits.
}

// cleaned returns the event without values of a wrong form.
func (e Event) cleaned() Event {
	if !fullHash.MatchString(e.Commit) {
		e.Commit = ""
	}
	if e.Number < 0 {
		e.Number = 0
	}
	if len(e.Branch) > 1024 || strings.ContainsFunc(e.Branch, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		e.Branch = ""
	}
	return e
}
