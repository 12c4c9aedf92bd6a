package forgetest

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// hookPath is the path at which the layer gets the webhooks of the program emulate (see the drawing in github.go).
const hookPath = "/_hooks"

// listen makes emulate send its events to the layer.
func (g *GitHub) listen() {
	g.call(g.t, Maintainer, http.MethodPost, "/repos/"+g.Repository+"/hooks", object{
		"name": "web", "active": true, "events": []string{"pull_request", "issue_comment"},
		"config": object{"url": g.inside.URL + hookPath, "content_type": "json"},
	}, nil)
}

// hooked corrects an event of emulate, and forwards it.
func (g *GitHub) hooked(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var payload object
	if err == nil {
		err = json.Unmarshal(body, &payload)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if pull, ok := payload["pull_request"].(object); ok {
		g.fix(pull)
	}
	w.WriteHeader(http.StatusNoContent)
	g.notify(r.Header.Get("X-Github-Event"), payload)
}

// notifyPush reports a push. emulate does not know of pushes, because Git accepts them.
func (g *GitHub) notifyPush(ref, before, after string) {
	zero := strings.Repeat("0", 40)
	if before == "" {
		before = zero
	}
	var repository object
	g.call(g.t, Maintainer, http.MethodGet, "/repos/"+g.Repository, nil, &repository)
	commit := object{"id": after, "message": "Change", "timestamp": stamp(time.Now()), "author": object{"name": Maintainer}, "added": []string{}, "removed": []string{}, "modified": []string{}}
	// In the event of a push, the times of the repository are in seconds since 1970.
	for _, name := range []string{"created_at", "pushed_at"} {
		repository[name] = time.Now().Unix()
	}
	g.notify("push", object{
		"ref": ref, "before": before, "after": after, "created": before == zero, "deleted": false, "forced": false, "base_ref": nil,
		"compare": "", "commits": []object{commit}, "head_commit": commit, "repository": repository,
		"pusher": object{"name": Maintainer, "email": Maintainer + "@example.org"}, "sender": object{"login": Maintainer, "id": 1},
	})
}

// notifyPull reports a change of a pull request that emulate does not report.
func (g *GitHub) notifyPull(number int, action string) {
	var repository, pull object
	g.call(g.t, Maintainer, http.MethodGet, "/repos/"+g.Repository, nil, &repository)
	g.call(g.t, Maintainer, http.MethodGet, pullPath(g.Repository, number), nil, &pull)
	g.notify("pull_request", object{"action": action, "number": number, "pull_request": pull, "repository": repository, "sender": object{"login": Maintainer, "id": 1}})
}

// notify sends an event once to each hook, signed with the hook's secret.
func (g *GitHub) notify(event string, payload object) {
	body, err := json.Marshal(payload)
	if err != nil {
		g.complain("%v", err)
		return
	}
	g.mu.Lock()
	hooks := slices.Clone(g.hooks)
	g.mu.Unlock()
	for _, h := range hooks {
		g.delivering.Go(func() {
			if err := g.deliver(h, event, body); err != nil {
				g.t.Logf("deliver %s: %v", event, err)
			}
		})
	}
}

func (g *GitHub) deliver(h hook, event string, body []byte) error {
	req, err := http.NewRequestWithContext(g.ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(h.secret))
	_, _ = mac.Write(body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "GitHub-Hookshot/0")
	req.Header.Set("X-GitHub-Event", event)
	req.Header.Set("X-GitHub-Delivery", rand.Text())
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := g.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
