package gitlab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

var full = pattern.Of(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

func notFull(commit string) error {
	return fmt.Errorf("%w: %q is not a full commit", forge.ErrRefused, commit)
}

// Pull implements [forge.Pulls].
func (r *Repository) Pull(ctx context.Context, number int) (forge.Pull, error) {
	var m mergeRequest
	what := fmt.Sprintf("read !%d", number)
	if err := r.call(ctx, what, http.MethodGet, fmt.Sprintf("merge_requests/%d", number), nil, &m); err != nil {
		return forge.Pull{}, err
	}
	p := m.pull()
	if p.Number != number {
		return forge.Pull{}, r.refused(what, fmt.Errorf("%w: the answer is about another merge request", forge.ErrUnavailable))
	}
	return p, nil
}

// pull converts a merge request to a pull request. GitLab has a reference for each head in the
// target project, so commits of forks can be fetched there. A deleted fork has no number.
func (m mergeRequest) pull() forge.Pull {
	p := forge.Pull{
		Number: int(m.IID), Title: string(m.Title), URL: string(m.WebURL), Author: string(m.Author.Username),
		HeadRef: m.headRef(), Base: string(m.TargetBranch), Fork: m.fork(),
		Open: m.State == "opened" || m.State == "locked", Merged: m.State == "merged", Updated: m.UpdatedAt.Time,
	}
	if full.MatchString(string(m.SHA)) {
		p.Head = string(m.SHA)
	}
	if p.Merged {
		p.MergeCommit = m.result()
	}
	return p
}

func (m mergeRequest) fork() bool {
	return m.SourceProjectID <= 0 || m.SourceProjectID != m.TargetProjectID
}

func (m mergeRequest) headRef() string { return fmt.Sprintf("refs/merge-requests/%d/head", m.IID) }

// source is the ref that a pipeline for the head has in the target project.
func (m mergeRequest) source() string {
	if m.fork() {
		return m.headRef()
	}
	return string(m.SourceBranch)
}

// result is the new commit of the branch after the merge: a merge commit, or else the squashed
// commit, or else the head to which the branch was moved.
func (m mergeRequest) result() string {
	return string(cmp.Or(m.MergeCommitSHA, m.SquashCommitSHA, m.SHA))
}

// MergedBy implements [forge.Pulls].
func (r *Repository) MergedBy(ctx context.Context, branch, commit string) (forge.Pull, error) {
	what := fmt.Sprintf("find the merge request that merged %s into %s", commit, branch)
	if !full.MatchString(commit) {
		return forge.Pull{}, r.refused(what, notFull(commit))
	}
	var merged []mergeRequest
	err := list(ctx, r, what, "repository/commits/"+commit+"/merge_requests", url.Values{}, func(page []mergeRequest) error {
		for _, m := range page {
			if p := m.pull(); p.Merged && p.Base == branch && p.Number > 0 {
				merged = append(merged, m)
			}
		}
		return nil
	})
	if err != nil {
		return forge.Pull{}, err
	}
	if len(merged) == 0 {
		return forge.Pull{}, r.refused(what, forge.ErrNotFound)
	}
	// A commit can be in several merge requests. The result is the one whose merge made it, or else
	// the first that was merged.
	slices.SortFunc(merged, func(a, b mergeRequest) int { return cmp.Compare(a.IID, b.IID) })
	if i := slices.IndexFunc(merged, func(m mergeRequest) bool { return m.result() == commit }); i >= 0 {
		return merged[i].pull(), nil
	}
	return merged[0].pull(), nil
}

// LastTouch implements [forge.History].
func (r *Repository) LastTouch(ctx context.Context, branch, file string) (string, error) {
	var commits []struct {
		ID text `json:"id"`
	}
	what := "find who touched " + file
	query := url.Values{"ref_name": {branch}, "path": {file}, "per_page": {"1"}}
	if err := r.call(ctx, what, http.MethodGet, "repository/commits?"+query.Encode(), nil, &commits); err != nil {
		return "", err
	}
	if len(commits) == 0 || !full.MatchString(string(commits[0].ID)) {
		return "", r.refused(what, forge.ErrNotFound)
	}
	return string(commits[0].ID), nil
}

// These are levels of access, by GitLab's numbers.
const (
	developer  = 30
	maintainer = 40
)

// MayWrite implements [forge.Rights]. Developers may change a branch unless it is protected and
// they may neither push nor merge to it. Maintainers may change that protection, so they may always
// write.
func (r *Repository) MayWrite(ctx context.Context, who forge.Person, name string) (bool, error) {
	what := fmt.Sprintf("ask whether %s may change %s", who.Login, name)
	id, err := r.idOf(ctx, what, who)
	if err != nil || id <= 0 {
		return false, err
	}
	var m member
	err = r.call(ctx, what, http.MethodGet, fmt.Sprintf("members/all/%d", id), nil, &m)
	switch {
	case errors.Is(err, forge.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case m.ID != id || m.State != "active" || m.AccessLevel < developer:
		return false, nil
	case m.AccessLevel >= maintainer:
		return true, nil
	}
	var b branch
	if err := r.call(ctx, what, http.MethodGet, "repository/branches/"+url.PathEscape(name), nil, &b); err != nil {
		if errors.Is(err, forge.ErrNotFound) {
			return false, nil
		}
		return false, err
	}
	return string(b.Name) == name && bool(!b.Protected || b.DevelopersCanPush || b.DevelopersCanMerge), nil
}

// idOf is the number of an account: the known one, or else that of its name.
func (r *Repository) idOf(ctx context.Context, what string, who forge.Person) (number, error) {
	if who.ID != 0 || who.Login == "" {
		return number(who.ID), nil
	}
	var found []user
	if _, err := r.send(ctx, what, http.MethodGet, "users?"+url.Values{"username": {who.Login}}.Encode(), nil, &found); err != nil {
		return 0, err
	}
	for _, u := range found {
		if strings.EqualFold(string(u.Username), who.Login) {
			return u.ID, nil
		}
	}
	return 0, nil
}
