package webhook

import (
	"encoding/json"
	"net/http"
	"strings"
)

// github is for messages of GitHub, which signs the body: X-Hub-Signature-256 is "sha256=" followed
// by the HMAC-SHA256 in hex.
var github = sender{
	forge: GitHub, names: []string{"X-GitHub-Event"}, headers: []string{"X-Github-", "X-Hub-"}, greeting: "ping", kinds: githubKinds,
	claim: func(r *http.Request) claim {
		text, ok := strings.CutPrefix(singleHeader(r.Header, "X-Hub-Signature-256", maxHeader), "sha256=")
		if !ok {
			return nil
		}
		return hexSignature(text)
	},
	read: readGitHub,
}

// githubKinds are the kinds by GitHub's names of events, which Gitea uses, too.
var githubKinds = map[string]Kind{"push": Push, "pull_request": Pull, "issue_comment": Comment}

// githubPayload is the part of a message of GitHub or Gitea that is read.
type githubPayload struct {
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`

	Ref   string `json:"ref"`   // of a push
	After string `json:"after"` // of a push

	Number      int `json:"number"` // of a pull request
	PullRequest *struct {
		Head struct {
			SHA string `json:"sha"`
		} `json:"head"`
		Base struct {
			Ref string `json:"ref"`
		} `json:"base"`
	} `json:"pull_request"`

	IsPull bool `json:"is_pull"` // of Gitea's comments
	Issue  struct {
		Number      int             `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"`
	} `json:"issue"`
}

func readGitHub(name string, body []byte) (e Event, ok bool, err error) {
	var p githubPayload
	if err := decode(name, body, &p); err != nil {
		return Event{}, false, err
	}
	if e.Repository = p.Repository.FullName; !fullName.MatchString(e.Repository) {
		return Event{}, false, errNoRepository
	}
	switch e.Kind = githubKinds[name]; e.Kind {
	case Push:
		e.Commit = p.After
		e.Branch, ok = strings.CutPrefix(p.Ref, "refs/heads/") // other refs are tags
	case Pull:
		e.Number, ok = p.Number, p.PullRequest != nil
	case Comment:
		e.Number = p.Issue.Number
		ok = p.IsPull || len(p.Issue.PullRequest) > 0 && string(p.Issue.PullRequest) != "null"
	default: // githubKinds has no other kind
	}
	if p.PullRequest != nil && e.Kind != Push {
		e.Branch, e.Commit = p.PullRequest.Base.Ref, p.PullRequest.Head.SHA
	}
	return e, ok, nil
}
