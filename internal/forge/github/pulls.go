package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/go-github/v55/github"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// OpenPulls implements [forge.Pulls].
func (r *Repository) OpenPulls(ctx context.Context, branch string) ([]forge.Pull, error) {
	what := "list the pull requests into " + branch
	list, err := pages(r, what, func(page github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		return r.client.PullRequests.List(ctx, r.owner, r.name, &github.PullRequestListOptions{
			State: "open", Base: branch, Sort: "created", Direction: "asc", ListOptions: page,
		})
	})
	if err != nil && !errors.Is(err, forge.ErrTooMany) {
		return nil, err
	}
	// A pull request that is closed while pages are read moves others from page to page.
	slices.SortFunc(list, func(a, b *github.PullRequest) int { return cmp.Compare(a.GetNumber(), b.GetNumber()) })
	list = slices.CompactFunc(list, func(a, b *github.PullRequest) bool { return a.GetNumber() == b.GetNumber() })
	var pulls []forge.Pull
	for _, p := range list {
		if p.GetNumber() > 0 && p.GetBase().GetRef() == branch && p.GetState() == "open" {
			pulls = append(pulls, pull(p))
		}
	}
	return pulls, err
}

// Pull implements [forge.Pulls].
func (r *Repository) Pull(ctx context.Context, number int) (forge.Pull, error) {
	p, _, err := r.client.PullRequests.Get(ctx, r.owner, r.name, number)
	if err != nil {
		return forge.Pull{}, r.fail(err, fmt.Sprintf("read #%d", number))
	}
	return pull(p), nil
}

// pull converts a pull request. GitHub has a reference for each head in the base repository, so
// commits of forks can be fetched there. Until the pull request is merged, its merge_commit_sha is
// a trial merge.
func pull(p *github.PullRequest) forge.Pull {
	out := forge.Pull{
		Number: p.GetNumber(), Title: p.GetTitle(), URL: p.GetHTMLURL(), Author: p.GetUser().GetLogin(),
		Head: p.GetHead().GetSHA(), HeadRef: "refs/pull/" + strconv.Itoa(p.GetNumber()) + "/head", Base: p.GetBase().GetRef(),
		Open: p.GetState() == "open", Merged: p.MergedAt != nil, Updated: p.GetUpdatedAt().Time,
	}
	// The repository of a head is missing after its fork was deleted.
	head, base := p.GetHead().GetRepo(), p.GetBase().GetRepo()
	out.Fork = head == nil || head.GetID() != base.GetID()
	if out.Merged {
		out.MergeCommit = p.GetMergeCommitSHA()
	}
	return out
}

// MergedBy implements [forge.Pulls].
func (r *Repository) MergedBy(ctx context.Context, branch, commit string) (forge.Pull, error) {
	what := "find the pull request that merged " + commit
	if !fullCommit.MatchString(commit) {
		return forge.Pull{}, fmt.Errorf("github: %s: %s: %w: not a full commit", r, what, forge.ErrRefused)
	}
	list, err := pages(r, what, func(page github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		list, resp, err := r.client.PullRequests.ListPullRequestsWithCommit(ctx, r.owner, r.name, commit, &page)
		if code(err) == http.StatusUnprocessableEntity {
			// GitHub's message is "No commit found for SHA".
			return nil, resp, fmt.Errorf("%w: %w", forge.ErrNotFound, err)
		}
		return list, resp, err
	})
	if err != nil {
		return forge.Pull{}, err
	}
	list = slices.DeleteFunc(list, func(p *github.PullRequest) bool { return p.MergedAt == nil || p.GetBase().GetRef() != branch })
	if len(list) == 0 {
		return forge.Pull{}, fmt.Errorf("github: %s: %s: %w: the commit was pushed to %s without a pull request", r, what, forge.ErrNotFound, branch)
	}
	// A commit can be in several pull requests. The result is the one whose merge made the commit,
	// or else the first that was merged.
	return pull(slices.MinFunc(list, func(a, b *github.PullRequest) int {
		if x, y := a.GetMergeCommitSHA() == commit, b.GetMergeCommitSHA() == commit; x != y {
			if x {
				return -1
			}
			return 1
		}
		return a.GetMergedAt().Compare(b.GetMergedAt().Time)
	})), nil
}

// LastTouch implements [forge.History].
func (r *Repository) LastTouch(ctx context.Context, branch, file string) (string, error) {
	what := "find who touched " + file
	list, _, err := r.client.Repositories.ListCommits(ctx, r.owner, r.name, &github.CommitsListOptions{
		SHA: branch, Path: file, ListOptions: github.ListOptions{PerPage: 1},
	})
	if err == nil && len(list) > 0 {
		return list[0].GetSHA(), nil
	}
	// GitHub answers 409 for a repository without a commit.
	if err == nil || code(err) == http.StatusConflict {
		return "", fmt.Errorf("github: %s: %s: %w: no commit of %s changed the file", r, what, forge.ErrNotFound, branch)
	}
	return "", r.fail(err, what)
}

var anyLogin = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$`)

// MayWrite implements [forge.Rights]. GitHub reports the role maintain as write.
func (r *Repository) MayWrite(ctx context.Context, who forge.Person, _ string) (bool, error) {
	login := who.Login
	if !anyLogin.MatchString(login) {
		return false, nil
	}
	level, _, err := r.client.Repositories.GetPermissionLevel(ctx, r.owner, r.name, url.PathEscape(login))
	if code(err) == http.StatusNotFound {
		return false, nil // no such account, or one that we may not see
	}
	if err != nil {
		return false, r.fail(err, "ask what "+login+" may do")
	}
	switch level.GetPermission() {
	case "admin", "maintain", "write":
		return true, nil
	}
	return false, nil
}
