package webhook

import "strings"

// Forge is who sent a message.
type Forge string

// The forges. Forgejo is a Gitea here.
const (
	GitHub Forge = "github"
	Gitea  Forge = "gitea"
	GitLab Forge = "gitlab"
)

// Kind is what a message is about.
type Kind int

// The kinds.
const (
	Push    Kind = iota + 1 // commits came to a branch
	Pull                    // a pull request was opened, pushed to, closed, …
	Comment                 // a person wrote on a pull request
	Any                     // something, but there was no room for what it said
)

// String is for logs.
func (k Kind) String() string {
	return [...]string{"nothing", "push", "pull request", "comment", "anything"}[k]
}

// Event is a hint that something has changed. Fields that its kind has not, or
// that were not of the right form, are empty.
type Event struct {
	Forge      Forge
	Kind       Kind
	Repository string // owner/name; on GitLab the path of the project, with its groups
	Branch     string // that was pushed to, or that a pull request wants to be merged into
	Number     int    // of the pull request
	Commit     string // the newest, 40 hex digits
}

// cleaned leaves out what is not of the right form.
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
