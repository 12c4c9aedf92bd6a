package webhook

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// gerrit is for messages of Gerrit's plugin webhooks. The plugin signs nothing and sends no secret in the message. Only the address to which
// it sends can prove a message, so the secret is the last part of the path. A body is one of Gerrit's events, and only the body contains the
// type of the event.
var gerrit = sender{
	forge: Gerrit, below: "/{secret}", name: "event", headers: []string{"X-Origin-"}, kinds: map[string]Kind{"event": Any},
	claim: func(r *http.Request) claim {
		if secret := r.PathValue("secret"); len(secret) <= maxSigned {
			return plainSecret(secret)
		}
		return nil
	},
	read: readGerrit,
}

// plainSecret is a secret that a message contains in clear text.
type plainSecret string

func (c plainSecret) against(secrets []string) (*proof, Outcome) {
	if !oneOf(secrets, string(c)) {
		return nil, WrongToken
	}
	return &proof{shown: true, body: sha256.New()}, ""
}

// gerritProject matches the name of a project.
var gerritProject = pattern.Of(`^[A-Za-z0-9_][-A-Za-z0-9_.]*(/[A-Za-z0-9_][-A-Za-z0-9_.]*)*$`)

// gerritEvents are the kinds of events, by the types of Gerrit's events.
var gerritEvents = map[string]Kind{
	"patchset-created": Pull, "change-abandoned": Pull, "change-restored": Pull, "change-merged": Pull, "topic-changed": Pull, "private-state-changed": Pull,
	"wip-state-changed": Pull, "comment-added": Comment, "ref-updated": Push,
}

// gerritPayload is the part of an event that is read.
type gerritPayload struct {
	Type      string `json:"type"`
	RefUpdate struct {
		Project string `json:"project"`
		RefName string `json:"refName"`
		NewRev  string `json:"newRev"`
	} `json:"refUpdate"`
	Change struct {
		Project string          `json:"project"`
		Branch  string          `json:"branch"`
		Number  json.RawMessage `json:"number"` // a string before version 2.15, and then a number
	} `json:"change"`
	PatchSet struct {
		Revision string `json:"revision"`
	} `json:"patchSet"`
}

func readGerrit(name string, body []byte) (e Event, ok bool, err error) {
	var p gerritPayload
	if err := decode(name, body, &p); err != nil {
		return Event{}, false, err
	}
	e = Event{Kind: gerritEvents[p.Type], Repository: p.Change.Project, Branch: p.Change.Branch, Commit: p.PatchSet.Revision}
	switch e.Kind {
	case 0:
		return Event{}, false, nil
	case Push:
		ref := p.RefUpdate.RefName
		if e.Branch = strings.TrimPrefix(ref, "refs/heads/"); strings.HasPrefix(e.Branch, "refs/") { // older versions name branches without refs/heads/
			return Event{}, false, nil
		}
		e.Repository, e.Commit = p.RefUpdate.Project, p.RefUpdate.NewRev
	default:
		e.Number, _ = strconv.Atoi(strings.Trim(string(p.Change.Number), `"`)) // 0 if there is no number
	}
	if len(e.Repository) > maxPath || !gerritProject.MatchString(e.Repository) {
		return Event{}, false, errNoRepository
	}
	return e, true, nil
}
