package forgetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fields are the parameters of a request, from the query or the body.
type fields map[string]string

func itoa(n int) string { return strconv.Itoa(n) }

// list is an answer that is sent in pages.
type list []any

// serve returns a handler that answers as GitLab does. It serves Git and the API.
func (g *GitLab) serve() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, ".git/") {
			g.serveGit(w, r)
			return
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.served++
		if g.weather != nil && g.weather(w, r) || g.patch(w, r) {
			return
		}
		me := g.who(r)
		if me == nil {
			write(w, http.StatusUnauthorized, object{"message": "401 Unauthorized"})
			return
		}
		if scopes := g.scopesOf(me.login); !allows(scopes, r) {
			write(w, http.StatusForbidden, object{"error": "insufficient_scope", "error_description": "The request requires higher privileges than provided by the access token.", "scope": "api"})
			return
		}
		given, err := fieldsOf(r)
		if err != nil {
			g.t.Errorf("GitLab cannot read %s %s: %v", r.Method, r.URL, err)
		}
		raw, _ := strings.CutPrefix(r.URL.EscapedPath(), "/api/v4/")
		parts := strings.Split(raw, "/")
		if g.moved(w, r, parts, raw) {
			return
		}
		f, wrong := objection(r.Method, pathOf(parts), given)
		if wrong != "" {
			g.t.Errorf("GitLab objects to %s %s: %s", r.Method, r.URL, wrong)
		}
		g.calls = append(g.calls, r.Method+" "+pathOf(parts))
		code, said := g.answer(me, f, parts, given)
		if page, ok := said.(list); ok && code == http.StatusOK {
			said = pageOf(w, r, page)
		}
		if g.lose != nil && g.lose(r) {
			panic(http.ErrAbortHandler)
		}
		write(w, code, said)
	})
}

func fieldsOf(r *http.Request) (fields, error) {
	given := fields{}
	for name, all := range r.URL.Query() {
		given[name] = all[0]
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) == 0 {
		return given, err
	}
	var sent map[string]any
	err = json.Unmarshal(body, &sent)
	for name, value := range sent {
		if n, ok := value.(float64); ok {
			value = int64(n)
		}
		given[name] = fmt.Sprint(value)
	}
	return given, err
}

// moved redirects a request for an earlier path of the project, or refuses an unknown path. It
// reports whether it has answered the request.
func (g *GitLab) moved(w http.ResponseWriter, r *http.Request, parts []string, raw string) bool {
	if parts[0] != "projects" || len(parts) < 2 {
		return false
	}
	id, err := url.PathUnescape(parts[1])
	switch {
	case err == nil && (id == g.Project || id == itoa(labProject)):
		return false
	case err == nil && id == g.former && r.Method == http.MethodGet:
		http.Redirect(w, r, "/api/v4/projects/"+itoa(labProject)+strings.TrimPrefix(raw, "projects/"+parts[1]), http.StatusFound)
	case err == nil && id == g.former:
		write(w, http.StatusMethodNotAllowed, object{"message": "Non GET methods are not allowed for moved projects"})
	default:
		write(w, http.StatusNotFound, object{"message": "404 Project Not Found"})
	}
	return true
}

// pathOf returns a path with a * for each part that varies.
func pathOf(parts []string) string {
	words := strings.Fields("projects merge_requests notes statuses repository commits pipelines members all branches user users personal_access_tokens self version approve approvals award_emoji discussions resource_state_events jobs")
	out := slices.Clone(parts)
	for i, part := range parts {
		if !slices.Contains(words, part) {
			out[i] = "*"
		}
	}
	return strings.Join(out, "/")
}

func missing(what string) (int, any) {
	return http.StatusNotFound, object{"message": "404 " + what + "Not Found"}
}

// answer returns GitLab's answer to a valid request.
func (g *GitLab) answer(me *labUser, f fact, parts []string, given fields) (int, any) {
	last, err := url.PathUnescape(parts[len(parts)-1])
	if err != nil {
		return missing("")
	}
	switch f.method + " " + strings.TrimPrefix(f.path, "projects/*/") {
	case "GET user":
		return 200, me.shown()
	case "GET personal_access_tokens/self":
		return 200, object{"id": me.id, "scopes": g.scopesOf(me.login), "expires_at": "2035-01-31", "active": true, "revoked": false}
	case "GET users":
		var found list
		for _, u := range g.users {
			if strings.EqualFold(u.login, given["username"]) {
				found = append(found, u.shown())
			}
		}
		return 200, found
	case "GET projects/*":
		return 200, object{
			"id": labProject, "path_with_namespace": g.Project, "default_branch": g.Branch(), "archived": g.archived,
			"name": "cloud-config", "visibility": "private", "web_url": g.URL + "/" + g.Project, "http_url_to_repo": g.Remote(),
			"merge_requests_access_level": "enabled", "builds_access_level": "enabled",
		}
	case "GET members/all/*":
		for _, u := range g.users {
			if fmt.Sprint(u.id) == last && u.access > 0 {
				return 200, object{"id": u.id, "username": u.login, "state": "active", "access_level": u.access}
			}
		}
		return missing("")
	case "GET repository/branches/*":
		if _, err := g.tryGit(nil, "rev-parse", "--verify", "-q", "refs/heads/"+last); err != nil {
			return missing("Branch ")
		}
		closed := g.protected[last]
		return 200, object{"name": last, "protected": closed, "developers_can_push": false, "developers_can_merge": false}
	case "GET repository/commits":
		commit, err := g.tryGit(nil, "log", "-1", "--format=%H", "refs/heads/"+given["ref_name"], "--", given["path"])
		if err != nil || commit == "" {
			return 200, list{}
		}
		return 200, list{object{"id": commit}}
	case "GET repository/commits/*/merge_requests":
		return g.mergedOf(parts[4])
	case "GET repository/commits/*/statuses":
		return g.statusesOf(parts[4])
	case "POST statuses/*":
		return g.setStatus(me, last, given)
	case "GET pipelines":
		found := list{}
		for _, p := range slices.Backward(g.pipelines) {
			if (given["sha"] == "" || p.sha == given["sha"]) && (given["ref"] == "" || p.ref == given["ref"]) {
				found = append(found, p.shown())
			}
		}
		return 200, found
	case "GET merge_requests":
		return 200, g.mergesOf(given)
	}
	if code, said, ok := g.answerOther(me, f, parts); ok {
		return code, said
	}
	return g.answerMerge(me, f, parts, given)
}

// mergesOf returns the merge requests that match the parameters.
func (g *GitLab) mergesOf(given fields) (found list) {
	after, _ := time.Parse(time.RFC3339, given["updated_after"]) // the zero time if there is no such parameter
	chosen := slices.DeleteFunc(slices.Clone(g.merges), func(m *labMerge) bool {
		return given["target_branch"] != "" && m.target != given["target_branch"] || given["state"] != "" && given["state"] != "all" && m.state != given["state"] || m.updated.Before(after)
	})
	if given["order_by"] == "updated_at" {
		slices.SortStableFunc(chosen, func(a, b *labMerge) int { return a.updated.Compare(b.updated) })
	}
	if given["sort"] != "asc" {
		slices.Reverse(chosen)
	}
	for _, m := range chosen {
		found = append(found, m.shown(g))
	}
	return found
}

// answerMerge answers requests about one merge request.
func (g *GitLab) answerMerge(me *labUser, f fact, parts []string, given fields) (int, any) {
	if len(parts) < 4 || parts[2] != "merge_requests" {
		return missing("")
	}
	iid, _ := strconv.Atoi(parts[3])
	m := g.merge(iid)
	if m == nil {
		return missing("")
	}
	if len(parts) == 4 {
		shown, base := m.shown(g), m.base(g)
		shown["diff_refs"] = object{"base_sha": base, "head_sha": m.head, "start_sha": base}
		return 200, shown
	}
	if len(parts) == 5 && f.method == "GET" {
		var found list
		for _, n := range g.notes[iid] {
			found = append(found, n.shown())
		}
		return 200, found
	}
	if len(given["body"]) > 1_000_000 {
		return 400, object{"message": object{"note": []string{"is too long (maximum is 1000000 characters)"}}}
	}
	if f.method == "POST" {
		return 201, g.say(iid, &labNote{author: me, body: given["body"]}).shown()
	}
	i := slices.IndexFunc(g.notes[iid], func(n *labNote) bool { return fmt.Sprint(n.id) == parts[5] })
	switch {
	case i < 0:
		return missing("")
	case g.notes[iid][i].author != me && me.access < 40:
		return 403, object{"message": "403 Forbidden"}
	case f.method == "DELETE":
		g.notes[iid] = slices.Delete(g.notes[iid], i, i+1)
		return 204, nil
	}
	n := g.notes[iid][i]
	n.body, n.updated = given["body"], g.tick()
	m.updated = n.updated
	return 200, n.shown()
}

func (u *labUser) shown() object {
	return object{"id": u.id, "username": u.login, "name": "Anybody", "state": "active"}
}

func (n *labNote) shown() object {
	var kind any
	if n.kind != "" {
		kind = n.kind
	}
	return object{
		"id": n.id, "type": kind, "body": n.body, "author": n.author.shown(), "system": n.system, "internal": n.internal,
		"created_at": n.created.Format(time.RFC3339Nano), "updated_at": n.updated.Format(time.RFC3339Nano),
	}
}

func (m *labMerge) shown(g *GitLab) object {
	var from any = labProject
	if m.fork {
		from = labProject + 1
	}
	if m.gone {
		from = nil
	}
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return object{
		"id": 100_000 + m.iid, "iid": m.iid, "title": m.title, "description": m.description, "state": m.state, "author": m.author.shown(),
		"web_url": g.URL + "/" + g.Project + "/-/merge_requests/" + itoa(m.iid), "source_branch": m.source, "target_branch": m.target,
		"source_project_id": from, "target_project_id": labProject, "sha": m.head,
		"merge_commit_sha": orNull(m.merge), "squash_commit_sha": orNull(m.squash), "updated_at": m.updated.Format(time.RFC3339Nano),
		"created_at": g.started.Format(time.RFC3339Nano), "user_notes_count": len(g.notes[m.iid]),
	}
}
