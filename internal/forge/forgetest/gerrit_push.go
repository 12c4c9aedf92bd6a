package forgetest

import (
	"net/http"
	"regexp"
	"strings"
)

// gerritHook is the Git hook that Gerrit offers for people's clones. It adds a Change-Id to the
// message of a commit.
const gerritHook = `#!/bin/sh
grep -q '^Change-Id: ' "$1" && exit 0
printf '\nChange-Id: I%s\n' "$( (git var GIT_COMMITTER_IDENT; cat "$1") | git hash-object --stdin)" >>"$1"
`

var changeID = regexp.MustCompile(`(?m)^Change-Id: (I[0-9a-f]{40})$`)

// serveGit serves the repository. Anybody may read it, and every account may push for review.
func (g *Gerrit) serveGit(w http.ResponseWriter, r *http.Request) {
	pushes := strings.HasSuffix(r.URL.Path, "/git-receive-pack") || r.URL.Query().Get("service") == "git-receive-pack"
	g.mu.Lock()
	who := g.who(r)
	g.mu.Unlock()
	if pushes && who == nil {
		w.Header().Set("WWW-Authenticate", `Basic realm="Gerrit"`)
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return
	}
	g.repo.serveGit(w, r)
	if pushes && r.Method == http.MethodPost {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.receive(who)
	}
}

// receive makes changes of the commits that were pushed to refs/for/, or new patch sets of existing
// changes.
func (g *Gerrit) receive(who *gerritAccount) {
	for line := range strings.Lines(g.repo.git("for-each-ref", "--format=%(objectname) %(refname)", "refs/for")) {
		commit, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		branch, _, _ := strings.Cut(strings.TrimPrefix(ref, "refs/for/"), "%")
		g.repo.git("update-ref", "-d", ref)
		id := changeID.FindStringSubmatch(g.repo.git("log", "-1", "--format=%B", commit))
		if id == nil {
			g.t.Errorf("%s was pushed for review without a Change-Id", commit)
			continue
		}
		set := gerritSet{commit: commit, uploader: who}
		if c := g.named(id[1], branch); c != nil {
			g.upload(c, set)
			continue
		}
		c := &gerritChange{
			number: len(g.changes) + 1, source: id[1], branch: branch, title: g.repo.git("log", "-1", "--format=%s", commit), state: "NEW", owner: who,
			votes: map[string]int{},
		}
		g.changes = append(g.changes, c)
		g.upload(c, set)
	}
}

// named returns the open change with this Change-Id for a branch, or nil if there is none.
func (g *Gerrit) named(id, branch string) *gerritChange {
	for _, c := range g.changes {
		if c.source == id && c.branch == branch && c.state == "NEW" {
			return c
		}
	}
	return nil
}
