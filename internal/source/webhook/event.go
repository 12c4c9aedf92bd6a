package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Forge is who sent a message.
type Forge string

// The forges. Forgejo is a Gitea here.
const (
	GitHub Forge = "github"
	Gitea  Forge = "gitea"
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
	Repository string // owner/name
	Branch     string // that was pushed to, or that a pull request wants to be merged into
	Number     int    // of the pull request
	Commit     string // the newest, 40 hex digits
}

// payload is what the messages of all forges have in common.
type payload struct {
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`

	Ref   string `json:"ref"`   // of a push
	After string `json:"after"` // of a push

	Number      int          `json:"number"` // of a pull request
	PullRequest *pullPayload `json:"pull_request"`

	IsPull bool `json:"is_pull"` // of Gitea's comments
	Issue  struct {
		Number      int             `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"`
	} `json:"issue"`
}

type pullPayload struct {
	Head struct {
		SHA string `json:"sha"`
	} `json:"head"`
	Base struct {
		Ref string `json:"ref"`
	} `json:"base"`
}

var (
	fullName = pattern.Of(`^[-A-Za-z0-9_.]{1,100}/[-A-Za-z0-9_.]{1,100}$`)
	fullHash = pattern.Of(`^[0-9a-f]{40}$`)
)

var errNoRepository = errors.New("names no repository")

// kinds are the messages that matter, by the names that forges give them.
var kinds = map[string]Kind{"push": Push, "pull_request": Pull, "issue_comment": Comment}

// read finds what a message is about. It is not ok when it is nothing for us.
func read(forge Forge, name string, body []byte) (e Event, ok bool, err error) {
	if kinds[name] == 0 {
		return Event{}, false, nil
	}
	var p payload
	if err := json.Unmarshal(body, &p); err != nil {
		return Event{}, false, fmt.Errorf("is no %s message: %w", name, err)
	}
	if e = (Event{Forge: forge, Repository: p.Repository.FullName}); !fullName.MatchString(e.Repository) {
		return Event{}, false, errNoRepository
	}
	switch name {
	case "push":
		e.Kind, e.Commit = Push, p.After
		e.Branch, ok = strings.CutPrefix(p.Ref, "refs/heads/") // others are tags
	case "pull_request":
		e.Kind, e.Number, ok = Pull, p.Number, p.PullRequest != nil
	case "issue_comment":
		e.Kind, e.Number = Comment, p.Issue.Number
		ok = p.IsPull || len(p.Issue.PullRequest) > 0 && string(p.Issue.PullRequest) != "null"
	}
	if p.PullRequest != nil && e.Kind != Push {
		e.Branch, e.Commit = p.PullRequest.Base.Ref, p.PullRequest.Head.SHA
	}
	return e.cleaned(), ok, nil
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
