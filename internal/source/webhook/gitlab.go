package webhook

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// gitlab is for messages of GitLab, which sends the secret itself in X-Gitlab-Token. Since 2026 it can also sign messages, in the form of
// Standard Webhooks: webhook-signature contains "v1," and an HMAC-SHA256 in base64. The signature covers webhook-id, webhook-timestamp and the
// body, with points between them.
//
// The age of a signed message is not checked. If somebody repeats an old message, the agent only polls once more. With a check, all messages
// would be refused if one of the two clocks is wrong.
var gitlab = sender{
	forge: GitLab, names: []string{"X-Gitlab-Event"}, headers: []string{"X-Gitlab-", "Webhook-"},
	kinds: map[string]Kind{"Push Hook": Push, "Merge Request Hook": Pull, "Note Hook": Comment, "Confidential Note Hook": Comment, "System Hook": Any},
	claim: gitlabClaim, read: readGitLab,
}

const (
	maxSignatures = 8 // while a key is being replaced, a message is signed with the old key and the new one
	maxSigned     = 1000
)

func gitlabClaim(r *http.Request) claim {
	h := r.Header
	c := tokenOrSignature{token: singleHeader(h, "X-Gitlab-Token", maxSigned)}
	if id, at := singleHeader(h, "Webhook-Id", maxHeader), singleHeader(h, "Webhook-Timestamp", maxHeader); id != "" && at != "" {
		c.before = id + "." + at + "."
		for _, text := range strings.Fields(singleHeader(h, "Webhook-Signature", maxSigned)) {
			text, ok := strings.CutPrefix(text, "v1,")
			if sum, err := base64.StdEncoding.DecodeString(text); ok && err == nil && len(c.sums) < maxSignatures {
				c.sums = append(c.sums, sum)
			}
		}
	}
	if c.token == "" && len(c.sums) == 0 {
		return nil
	}
	return c
}

// projectPath matches the path of a project, with its groups.
var projectPath = pattern.Of(`^[A-Za-z0-9_][-A-Za-z0-9_.]*(/[A-Za-z0-9_][-A-Za-z0-9_.]*)+$`)

// maxPath is the maximal length of a project's path, in bytes.
const maxPath = 1024

// gitlabPayload is the part of a message that is read.
type gitlabPayload struct {
	ObjectKind string `json:"object_kind"` // the kind of event; a hook of the whole server has it, too
	Project    struct {
		Path string `json:"path_with_namespace"`
	} `json:"project"`

	Ref   string `json:"ref"`   // of a push
	After string `json:"after"` // of a push

	Attributes   gitlabMergeRequest  `json:"object_attributes"`
	MergeRequest *gitlabMergeRequest `json:"merge_request"` // the merge request of a note
}

type gitlabMergeRequest struct {
	IID          int    `json:"iid"`
	TargetBranch string `json:"target_branch"`
	LastCommit   struct {
		ID string `json:"id"`
	} `json:"last_commit"`
}

func readGitLab(name string, body []byte) (e Event, ok bool, err error) {
	var p gitlabPayload
	if err := decode(name, body, &p); err != nil {
		return Event{}, false, err
	}
	about := &p.Attributes
	switch p.ObjectKind {
	case "push":
		e.Kind, e.Commit = Push, p.After
		e.Branch, ok = strings.CutPrefix(p.Ref, "refs/heads/")
		about = nil
	case "merge_request":
		e.Kind, ok = Pull, true
	case "note":
		e.Kind, about = Comment, p.MergeRequest
		ok = about != nil
	}
	if !ok { // a hook of the whole server sends many more messages, some of which name no project
		return Event{}, false, nil
	}
	if e.Repository = p.Project.Path; len(e.Repository) > maxPath || !projectPath.MatchString(e.Repository) {
		return Event{}, false, errNoRepository
	}
	if about != nil {
		e.Number, e.Branch, e.Commit = about.IID, about.TargetBranch, about.LastCommit.ID
	}
	return e, true, nil
}
