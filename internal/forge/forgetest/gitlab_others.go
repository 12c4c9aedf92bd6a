package forgetest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// otherFacts are paths that the agent does not use. Other programs that test the simulator use
// them.
var otherFacts = []fact{
	{method: "GET", path: "version", answers: 200},
	{method: "POST", path: "projects/*/merge_requests/*/approve", optional: []string{"sha"}, answers: 201},
	{method: "GET", path: "projects/*/merge_requests/*/approvals", answers: 200},
	{method: "GET", path: "projects/*/merge_requests/*/award_emoji", optional: paging, answers: 200},
	{method: "GET", path: "projects/*/merge_requests/*/discussions", optional: paging, answers: 200},
	{method: "GET", path: "projects/*/merge_requests/*/resource_state_events", optional: paging, answers: 200},
	{method: "GET", path: "projects/*/merge_requests/*/notes/*", answers: 200},
	{method: "GET", path: "projects/*/repository/commits/*", optional: []string{"stats"}, answers: 200},
	{method: "GET", path: "projects/*/pipelines/*", answers: 200},
	{method: "GET", path: "projects/*/pipelines/*/jobs", optional: append([]string{"scope", "include_retried"}, paging...), answers: 200},
}

// Calls returns the answered requests to the API, sorted and each once.
func (g *GitLab) Calls() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(g.calls)))
}

// answerOther answers requests that the agent does not send.
func (g *GitLab) answerOther(me *labUser, f fact, parts []string) (code int, said any, ok bool) {
	last, err := url.PathUnescape(parts[len(parts)-1])
	if err != nil {
		return 0, nil, false
	}
	switch f.method + " " + strings.TrimPrefix(f.path, "projects/*/") {
	case "GET version":
		return 200, object{"version": "17.5.1-ee", "revision": "0123456789a"}, true
	case "GET repository/commits/*":
		code, said = g.commitOf(last)
		return code, said, true
	case "GET pipelines/*", "GET pipelines/*/jobs":
		code, said = g.pipelineOf(parts[3], len(parts) == 5)
		return code, said, true
	}
	if !strings.HasPrefix(f.path, "projects/*/merge_requests/*/") || !slices.ContainsFunc(otherFacts, func(o fact) bool { return o.method == f.method && o.path == f.path }) {
		return 0, nil, false
	}
	iid, _ := strconv.Atoi(parts[3]) // no merge request has the number 0
	m := g.merge(iid)
	if m == nil {
		code, said = missing("")
		return code, said, true
	}
	code, said = g.answerReview(me, m, f, parts)
	return code, said, true
}

func (g *GitLab) answerReview(me *labUser, m *labMerge, f fact, parts []string) (int, any) {
	switch parts[4] {
	case "approve":
		if !slices.Contains(m.approved, me) {
			m.approved = append(m.approved, me)
		}
		return 201, m.approvals()
	case "approvals":
		return 200, m.approvals()
	case "discussions":
		found := list{}
		for _, n := range g.notes[m.iid] {
			found = append(found, object{"id": fmt.Sprintf("%040x", n.id), "individual_note": true, "notes": list{n.shown()}})
		}
		return 200, found
	case "notes":
		for _, n := range g.notes[m.iid] {
			if fmt.Sprint(n.id) == parts[5] {
				return 200, n.shown()
			}
		}
		return missing("")
	}
	return f.answers, list{}
}

func (m *labMerge) approvals() object {
	by := list{}
	for _, u := range m.approved {
		by = append(by, object{"user": u.shown()})
	}
	return object{"iid": m.iid, "approved": len(by) > 0, "user_has_approved": len(by) > 0, "approved_by": by}
}

// commitOf returns a commit, given by a branch or its hash, with its newest pipeline.
func (g *GitLab) commitOf(ref string) (int, any) {
	commit, err := g.tryGit(nil, "rev-parse", "--verify", "-q", ref+"^{commit}")
	if err != nil {
		return missing("Commit ")
	}
	shown := object{"id": commit, "short_id": commit[:8], "title": "A commit", "last_pipeline": nil}
	for _, p := range g.pipelines {
		if p.sha == commit {
			shown["last_pipeline"] = p.shown()
		}
	}
	return 200, shown
}

func (p *labPipeline) shown() object {
	return object{"id": p.id, "sha": p.sha, "ref": p.ref, "source": p.source, "status": "running"}
}

// pipelineOf returns a pipeline, or its jobs. Statuses that a program has set are not among the
// jobs.
func (g *GitLab) pipelineOf(id string, jobs bool) (int, any) {
	for _, p := range g.pipelines {
		switch {
		case fmt.Sprint(p.id) != id:
		case jobs:
			return 200, list{}
		default:
			return 200, p.shown()
		}
	}
	return missing("")
}

// patch answers a request for a merge request as a patch, at the address of its page with .patch at
// the end.
func (g *GitLab) patch(w http.ResponseWriter, r *http.Request) bool {
	name, ok := strings.CutPrefix(r.URL.Path, "/"+g.Project+"/-/merge_requests/")
	if !ok {
		return false
	}
	iid, _ := strconv.Atoi(strings.TrimSuffix(name, ".patch")) // no merge request has the number 0
	m := g.merge(iid)
	if m == nil {
		http.NotFound(w, r)
		return true
	}
	_, _ = w.Write([]byte(g.git("format-patch", "--stdout", m.base(g)+".."+m.head) + "\n")) // the client may have closed the connection
	return true
}

// base returns the newest common commit of a merge request and its target; "" if the target branch
// does not exist.
func (m *labMerge) base(g *GitLab) string {
	onto := m.onto
	if onto == "" {
		onto = "refs/heads/" + m.target
	}
	base, err := g.tryGit(nil, "merge-base", m.head, onto)
	if err != nil {
		return ""
	}
	return base
}
