package forgetest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// labHook is a webhook of the project. Its messages contain the secret in clear text.
type labHook struct{ url, secret string }

// Hook implements [Site].
func (g *GitLab) Hook(_ *testing.T, url, secret string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hooks = append(g.hooks, labHook{url, secret})
}

// notify sends a message to every hook. As GitLab does, it sends the message after the answer to the request that caused it. The
// caller has locked g.mu.
func (g *GitLab) notify(event string, message object) {
	message["project"] = object{
		"id": labProject, "name": "cloud-config", "path_with_namespace": g.Project, "default_branch": g.Branch(), "web_url": g.URL + "/" + g.Project,
		"git_http_url": g.Remote(), "visibility_level": 0,
	}
	body, err := json.Marshal(message)
	if err != nil {
		g.t.Errorf("%s: %v", event, err)
		return
	}
	for _, h := range g.hooks {
		g.delivering.Go(func() {
			if err := g.deliver(h, event, body); err != nil && g.ctx().Err() == nil {
				g.t.Logf("deliver %s: %v", event, err)
			}
		})
	}
}

func (g *GitLab) deliver(h labHook, event string, body []byte) error {
	req, err := http.NewRequestWithContext(g.ctx(), http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "User-Agent": "GitLab/17", "X-Gitlab-Event": event, "X-Gitlab-Token": h.secret} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// notifyPush reports new commits of a branch; the argument before is "" for a new branch.
func (g *GitLab) notifyPush(branch, before, after string) {
	if before == "" {
		before = strings.Repeat("0", 40)
	}
	g.notify("Push Hook", object{
		"object_kind": "push", "event_name": "push", "before": before, "after": after, "checkout_sha": after, "ref": "refs/heads/" + branch, "ref_protected": g.protected[branch],
		"project_id": labProject, "user_id": 1, "user_username": Maintainer, "total_commits_count": 1,
		"commits": []object{{"id": after, "message": "Change", "timestamp": g.stamp(), "author": object{"name": Maintainer, "email": "m@example.org"}, "added": []string{}, "modified": []string{}, "removed": []string{}}},
	})
}

// notifyMerge reports an action on a merge request: open, update, close or merge.
func (g *GitLab) notifyMerge(m *labMerge, action string) {
	about := m.told()
	about["action"] = action
	g.notify("Merge Request Hook", object{"object_kind": "merge_request", "event_type": "merge_request", "user": m.author.shown(), "object_attributes": about, "changes": object{}})
}

// notifyNote reports a comment on a merge request.
func (g *GitLab) notifyNote(m *labMerge, n *labNote) {
	if n.system {
		return
	}
	event := "Note Hook"
	if n.internal {
		event = "Confidential Note Hook"
	}
	g.notify(event, object{
		"object_kind": "note", "event_type": "note", "user": n.author.shown(), "project_id": labProject, "merge_request": m.told(),
		"object_attributes": object{"id": n.id, "note": n.body, "noteable_type": "MergeRequest", "author_id": n.author.id, "internal": n.internal, "action": "create"},
	})
}

// told returns a merge request in the form that the messages of hooks have.
func (m *labMerge) told() object {
	return object{
		"id": 100_000 + m.iid, "iid": m.iid, "title": m.title, "state": m.state, "source_branch": m.source, "target_branch": m.target,
		"target_project_id": labProject, "last_commit": object{"id": m.head, "message": "Change"},
	}
}

func (g *GitLab) stamp() string { return g.started.Format(time.RFC3339) }
