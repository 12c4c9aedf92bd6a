package forgetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

type object = map[string]any

// call sends a request of a person. If the answer is not a success, the test fails.
func (g *Gitea) call(t testing.TB, login, method, path string, in, out any) {
	t.Helper()
	if status, body := g.send(t, login, method, path, in); status/100 != 2 {
		t.Fatalf("%s %s: %d: %s", method, path, status, body)
	} else if out != nil {
		if err := json.Unmarshal(body, out); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
}

func (g *Gitea) send(t testing.TB, login, method, path string, in any) (status int, body []byte) {
	t.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, g.URL+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token := g.Token(login); token != "" {
		req.Header.Set("Authorization", "token "+token)
	} else {
		req.SetBasicAuth(login, password)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

// person makes an account and a token of it with some scopes, unless the account exists.
func (g *Gitea) person(t testing.TB, login string, scopes ...string) {
	t.Helper()
	if g.Token(login) != "" {
		return
	}
	g.call(t, giteaAdmin, "POST", "/admin/users", object{
		"username": login, "email": login + "@example.org", "password": password, "must_change_password": false,
	}, nil)
	var token struct{ SHA1 string }
	g.call(t, login, "POST", "/users/"+login+"/tokens", object{"name": "lab", "scopes": scopes}, &token)
	g.setToken(login, token.SHA1)
}

// LimitedToken makes another token of an account, with some scopes.
func (g *Gitea) LimitedToken(t testing.TB, login string, scopes ...string) string {
	t.Helper()
	byPassword := &Gitea{URL: g.URL, people: &people{tokens: map[string]string{}}}
	var token struct{ SHA1 string }
	byPassword.call(t, login, "POST", "/users/"+login+"/tokens", object{"name": strings.Join(scopes, " "), "scopes": scopes}, &token)
	return token.SHA1
}

func (g *Gitea) allow(t testing.TB, login, permission string) {
	t.Helper()
	g.call(t, giteaAdmin, "PUT", "/repos/"+g.Repository+"/collaborators/"+login, object{"permission": permission}, nil)
}

// Allow implements [People].
func (g *Gitea) Allow(t *testing.T, login string, write bool) {
	t.Helper()
	g.person(t, login, "all")
	permission := "read"
	if write {
		permission = "write"
	}
	g.allow(t, login, permission)
}

// AddComment implements [People].
func (g *Gitea) AddComment(t *testing.T, number int, login, body string) (id int64) {
	t.Helper()
	g.person(t, login, "all")
	var comment struct{ ID int64 }
	g.call(t, login, "POST", fmt.Sprintf("/repos/%s/issues/%d/comments", g.Repository, number), object{"body": body}, &comment)
	return comment.ID
}

// Fork implements [People].
func (g *Gitea) Fork(t *testing.T, login, branch string, files map[string]string) (number int) {
	t.Helper()
	g.person(t, login, "all")
	var fork struct {
		Name     string
		FullName string `json:"full_name"`
	}
	g.call(t, login, "POST", "/repos/"+g.Repository+"/forks", object{"name": g.forkName()}, &fork)
	g.commit(t, login, fork.FullName, branch, files, false)
	return g.open(t, login, login+":"+branch, g.Branch(), "From the fork of "+login)
}

// Unfork implements [People].
func (g *Gitea) Unfork(t *testing.T, login string) {
	t.Helper()
	g.call(t, login, "DELETE", "/repos/"+login+"/"+g.forkName(), nil, nil)
}

func (g *Gitea) forkName() string { return strings.ReplaceAll(g.Repository, "/", "-") }

// Reactions implements [People].
func (g *Gitea) Reactions(t *testing.T, _ int, id int64) (mine []forge.Reaction) {
	t.Helper()
	var list []struct {
		User    struct{ Login string }
		Content string
	}
	g.call(t, giteaAdmin, "GET", fmt.Sprintf("/repos/%s/issues/comments/%d/reactions", g.Repository, id), nil, &list)
	for _, r := range list {
		if r.User.Login == Bot {
			mine = append(mine, forge.Reaction(r.Content))
		}
	}
	return mine
}

// lastWord returns the last word of a text, where Gitea's commands print their result.
func lastWord(text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// EditComment implements [People].
func (g *Gitea) EditComment(t *testing.T, login string, id int64, body string) {
	t.Helper()
	g.call(t, login, "PATCH", fmt.Sprintf("/repos/%s/issues/comments/%d", g.Repository, id), object{"body": body}, nil)
}

// Later implements [People]. It waits, because Gitea's times are in seconds.
func (g *Gitea) Later(*testing.T) { later() }

// later waits until a clock with a resolution of a second has advanced.
func later() { time.Sleep(1100 * time.Millisecond) }

// SetStatus implements [People].
func (g *Gitea) SetStatus(t *testing.T, login, commit string, s forge.Status) {
	t.Helper()
	g.call(t, login, "POST", "/repos/"+g.Repository+"/statuses/"+commit, object{"state": s.State, "context": s.Context, "description": s.Description}, nil)
}
