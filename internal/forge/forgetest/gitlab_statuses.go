package forgetest

import (
	"fmt"
	"slices"
	"strings"
)

// there reports whether a commit is in the repository.
func (g *GitLab) there(commit string) bool {
	_, err := g.tryGit(nil, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// mergedOf lists the merge requests that contain a commit, or whose merge made that commit.
func (g *GitLab) mergedOf(commit string) (int, any) {
	if !g.there(commit) {
		return missing("Commit ")
	}
	found := list{}
	for _, m := range g.merges {
		if m.merge == commit || m.squash == commit || g.brings(m, commit) {
			found = append(found, m.shown(g))
		}
	}
	return 200, found
}

// brings reports whether a merge request adds a commit to its target.
func (g *GitLab) brings(m *labMerge, commit string) bool {
	onto := m.onto
	if onto == "" {
		onto = "refs/heads/" + m.target
	}
	return slices.Contains(strings.Fields(g.git("rev-list", m.head, "^"+onto)), commit)
}

func (g *GitLab) statusesOf(commit string) (int, any) {
	if !g.there(commit) {
		return missing("Commit ")
	}
	found := list{}
	for _, s := range slices.Backward(g.statuses) {
		if s.sha == commit {
			found = append(found, s.shown())
		}
	}
	return 200, found
}

func (s *labStatus) shown() object {
	return object{
		"id": s.id, "sha": s.sha, "name": s.name, "status": s.state, "description": s.description, "target_url": s.link,
		"author": s.author.shown(), "pipeline_id": s.pipeline.id,
	}
}

// setStatus does the same as GitLab. A status is a job of a pipeline, which is created if there is
// none for the commit. A job in progress changes its state. If the last job has ended, a new job is
// created.
func (g *GitLab) setStatus(me *labUser, commit string, given fields) (int, any) {
	switch {
	case me.access < 30:
		return 403, object{"message": "403 Forbidden"}
	case !g.there(commit):
		return missing("Commit ")
	}
	at, code, said := g.pipelineFor(commit, given)
	if at == nil {
		return code, said
	}
	var job *labStatus
	for _, s := range g.statuses {
		if s.pipeline == at && s.name == given["name"] && s.author == me && (s.state == "pending" || s.state == "running") {
			job = s
		}
	}
	state := "created"
	if job != nil {
		state = job.state
	}
	if event := transition(state, given["state"]); event != "" {
		return 400, object{"message": fmt.Sprintf("Cannot transition status via :%s from :%s", event, state)}
	}
	if job == nil {
		g.next++
		job = &labStatus{id: g.next, sha: commit, name: given["name"], author: me, pipeline: at}
		g.statuses = append(g.statuses, job)
	}
	job.state, job.description, job.link = given["state"], given["description"], given["target_url"]
	return 201, job.shown()
}

// pipelineFor returns the newest pipeline for a commit and its status, or a new one.
func (g *GitLab) pipelineFor(commit string, given fields) (at *labPipeline, code int, said any) {
	for _, p := range slices.Backward(g.pipelines) {
		if p.sha == commit && (given["ref"] == "" || p.ref == given["ref"]) && (given["pipeline_id"] == "" || fmt.Sprint(p.id) == given["pipeline_id"]) {
			return p, 0, nil
		}
	}
	if given["pipeline_id"] != "" {
		code, said = missing("Pipeline for pipeline_id, sha and ref ")
		return nil, code, said
	}
	ref := given["ref"]
	if ref == "" {
		holding, err := g.tryGit(nil, "for-each-ref", "--contains", commit, "--format=%(refname:short)", "refs/heads")
		if err != nil || holding == "" {
			code, said = missing("References for commit ")
			return nil, code, said
		}
		ref, _, _ = strings.Cut(holding, "\n")
	}
	return g.pipeline(commit, ref, "external"), 0, nil
}

// transition returns the event that GitLab refuses; "" if GitLab accepts the new state.
func transition(from, to string) string {
	switch {
	case to == "pending" && from != "created":
		return "enqueue"
	case to == "running" && from == "running":
		return "run"
	}
	return ""
}
