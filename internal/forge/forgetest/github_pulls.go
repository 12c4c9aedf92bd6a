package forgetest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// fix adds the data that emulate does not have to a pull request: commits, deleted forks, and times
// in seconds.
func (g *GitHub) fix(pull object) {
	number, _ := pull["number"].(float64)
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.pulls[int(number)]
	if p == nil {
		return
	}
	if head, ok := pull["head"].(object); ok {
		head["sha"] = p.head
		if p.forkGone {
			head["repo"] = nil
			head["label"] = "unknown:" + strings.TrimPrefix(p.branch, "refs/heads/")
		}
	}
	if base, ok := pull["base"].(object); ok {
		base["sha"] = p.tip
	}
	pull["merge_commit_sha"] = p.mergeCommit
	if p.mergeCommit == "" { // the commit of GitHub's trial merge
		pull["merge_commit_sha"] = strings.Repeat("7", 40)
	}
	if at, err := time.Parse(time.RFC3339, text(pull["updated_at"])); err == nil {
		if at.Before(p.updated) {
			at = p.updated
		}
		pull["updated_at"] = stamp(at)
	}
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

func (g *GitHub) onePull(r *http.Request, body []byte) reply {
	return g.change(g.pass(r, body), g.fix)
}

// listPulls lists pull requests. It removes the fields that exist only in the answer about a single
// pull request.
func (g *GitHub) listPulls(r *http.Request, body []byte) reply {
	a := g.pass(r, body)
	var list []object
	if a.code != http.StatusOK || json.Unmarshal(a.body, &list) != nil {
		return a
	}
	for _, pull := range list {
		g.fix(pull)
		for _, name := range []string{"merged", "mergeable", "merged_by", "comments", "commits", "additions", "deletions", "changed_files"} {
			delete(pull, name)
		}
	}
	out := say(a.code, list)
	out.header = a.header
	return out
}

// pullsOf lists the pull requests that contain a commit.
func (g *GitHub) pullsOf(r *http.Request, _ []byte) reply {
	commit := r.PathValue("commit")
	if !g.has(commit) {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+commit)
	}
	list := r.Clone(r.Context())
	list.URL.Path, list.URL.RawQuery = "/repos/"+g.Repository+"/pulls", "state=all&per_page=100"
	a := g.listPulls(list, nil)
	var all []object
	if a.code != http.StatusOK || json.Unmarshal(a.body, &all) != nil {
		return a
	}
	in := []object{}
	for _, pull := range all {
		number, _ := pull["number"].(float64)
		g.mu.Lock()
		p := g.pulls[int(number)]
		is := p != nil && (p.mergeCommit == commit || p.commits[commit])
		g.mu.Unlock()
		if is {
			in = append(in, pull)
		}
	}
	page, link := paged(r, in)
	out := say(http.StatusOK, page)
	if link != "" {
		out.header.Set("Link", link)
	}
	return out
}

// log returns the history of a branch or a file, which it reads with Git.
func (g *GitHub) log(r *http.Request, _ []byte) reply {
	query := r.URL.Query()
	args := []string{"log", "--format=%H"}
	if sha := query.Get("sha"); sha != "" {
		args = append(args, "--end-of-options", sha)
	} else {
		args = append(args, g.Branch())
	}
	args = append(args, "--")
	if path := query.Get("path"); path != "" {
		args = append(args, ":(literal)"+path)
	}
	out, err := g.tryGit(g.bare(), args...)
	if err != nil {
		return refuse(http.StatusNotFound, "Not Found")
	}
	commits := []object{}
	for line := range strings.Lines(out) {
		commits = append(commits, object{"sha": strings.TrimSpace(line), "commit": object{"message": ""}})
	}
	page, link := paged(r, commits)
	a := say(http.StatusOK, page)
	if link != "" {
		a.header.Set("Link", link)
	}
	return a
}
