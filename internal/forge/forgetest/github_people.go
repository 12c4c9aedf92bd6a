package forgetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// call sends a request of a person to the layer (see the drawing in github.go). The request does not pass through Prism, so its form is not
// checked.
func (g *GitHub) call(t testing.TB, login, method, path string, in, out any) {
	t.Helper()
	if _, ok := g.tokens[login]; !ok {
		t.Fatalf("there is no account %q; there are %q", login, githubPeople)
	}
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if in == nil {
		body = nil
	}
	req, err := http.NewRequestWithContext(g.ctx, method, g.inside.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.tokens[login])
	req.Header.Set("Content-Type", "application/json")
	resp, err := g.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode >= 300 {
		t.Fatalf("%s %s as %s: %s: %s", method, path, login, resp.Status, text)
	}
	if out != nil {
		if err := json.Unmarshal(text, out); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, text)
		}
	}
}

// made has the fields of a new object that the simulator reads.
type made struct {
	ID     int64
	Number int
}

// OpenPull implements [Hands].
func (g *GitHub) OpenPull(t *testing.T, branch, base, title string) (number int) {
	t.Helper()
	return g.open(t, Maintainer, "", "refs/heads/"+branch, branch, base, title)
}

func (g *GitHub) open(t *testing.T, login, fork, ref, head, base, title string) (number int) {
	t.Helper()
	commit := g.heads()[ref]
	if commit == "" {
		t.Fatalf("there is no branch %s", ref)
	}
	// emulate reports the new pull request before it answers. So the data that emulate does not
	// have must be stored before the request.
	g.mu.Lock()
	for n := range g.pulls {
		number = max(number, n)
	}
	number++
	p := &githubPull{branch: ref, base: "refs/heads/" + base, fork: fork}
	g.pulls[number] = p
	g.moveHead(number, p, commit)
	g.mu.Unlock()
	var m made
	g.call(t, login, http.MethodPost, "/repos/"+g.Repository+"/pulls", object{"title": title, "head": head, "base": base}, &m)
	if m.Number != number {
		t.Fatalf("the program emulate gave the pull request the number %d, not %d", m.Number, number)
	}
	return number
}

func pullPath(repository string, number int) string {
	return fmt.Sprintf("/repos/%s/pulls/%d", repository, number)
}

// Close implements [Hands].
func (g *GitHub) Close(t *testing.T, number int) {
	t.Helper()
	g.setClosed(number, true)
	g.call(t, Maintainer, http.MethodPatch, pullPath(g.Repository, number), object{"state": "closed"}, nil)
}

// Reopen opens a closed pull request again.
func (g *GitHub) Reopen(t *testing.T, number int) {
	t.Helper()
	g.setClosed(number, false)
	g.call(t, Maintainer, http.MethodPatch, pullPath(g.Repository, number), object{"state": "open"}, nil)
}

func (g *GitHub) setClosed(number int, closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pulls[number].closed = closed
}

// Merge implements [Hands].
func (g *GitHub) Merge(t *testing.T, number int) (commit string) {
	t.Helper()
	g.setClosed(number, true)
	g.mu.Lock()
	p := *g.pulls[number]
	g.mu.Unlock()
	commit = g.mergeGit(t, number, p)
	g.call(t, Maintainer, http.MethodPut, pullPath(g.Repository, number)+"/merge", object{}, nil)
	return commit
}

// AddComment implements [People].
func (g *GitHub) AddComment(t *testing.T, number int, login, body string) (id int64) {
	t.Helper()
	var m made
	g.call(t, login, http.MethodPost, fmt.Sprintf("/repos/%s/issues/%d/comments", g.Repository, number), object{"body": body}, &m)
	return m.ID
}

// Allow implements [People].
func (g *GitHub) Allow(t *testing.T, login string, write bool) {
	t.Helper()
	permission := "pull"
	if write {
		permission = "push"
	}
	g.allow(t, login, permission)
}

func (g *GitHub) allow(t testing.TB, login, permission string) {
	t.Helper()
	g.call(t, Maintainer, http.MethodPut, "/repos/"+g.Repository+"/collaborators/"+login, object{"permission": permission}, nil)
}

// Fork implements [People].
func (g *GitHub) Fork(t *testing.T, login, branch string, files map[string]string) (number int) {
	t.Helper()
	var fork struct{ Name string }
	g.call(t, login, http.MethodPost, "/repos/"+g.Repository+"/forks", object{}, &fork)
	ref := "refs/forks/" + login + "/" + branch
	g.push(t, ref, files, false)
	return g.open(t, login, login, ref, login+":"+branch, g.Branch(), "From "+login)
}

// Unfork implements [People].
func (g *GitHub) Unfork(_ *testing.T, login string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.pulls {
		p.forkGone = p.forkGone || p.fork == login
	}
}

// Reactions implements [People].
func (g *GitHub) Reactions(_ *testing.T, _ int, id int64) (mine []forge.Reaction) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.reacted[id] {
		if content := forge.Reaction(r.content); (r.login == Bot || r.login == AppLogin) && !slices.Contains(mine, content) {
			mine = append(mine, content)
		}
	}
	return mine
}

// EditComment implements [People].
func (g *GitHub) EditComment(t *testing.T, login string, id int64, body string) {
	t.Helper()
	g.call(t, login, http.MethodPatch, fmt.Sprintf("/repos/%s/issues/comments/%d", g.Repository, id), object{"body": body}, nil)
}

// Later implements [People]. It waits, because GitHub's times are in seconds.
func (g *GitHub) Later(*testing.T) { later() }

// SetStatus implements [People].
func (g *GitHub) SetStatus(t *testing.T, login, commit string, s forge.Status) {
	t.Helper()
	g.call(t, login, http.MethodPost, "/repos/"+g.Repository+"/statuses/"+commit, object{"state": s.State, "context": s.Context, "description": s.Description}, nil)
}
