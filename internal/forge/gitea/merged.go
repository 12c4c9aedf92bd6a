package gitea

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// MergedBy implements forge.Pulls. Gitea only knows which pull request made the newest commit of a
// merge. For other commits, MergedBy follows the line of the branch:
//
//	main  ──a──────M──▶   merged:  x belongs to the pull request that made M, because M is the
//	       └─x─y──┘                oldest commit of the line that contains x
//	main  ──a─x'─y'──▶    rebased: x' belongs to the pull request that made y', if that pull
//	                               request has a commit x with the same author, time and subject
func (r *Repository) MergedBy(ctx context.Context, branch, commit string) (forge.Pull, error) {
	if !full.MatchString(commit) {
		return forge.Pull{}, r.refused("find the pull request of a commit", notFull(commit))
	}
	p, err := r.madeBy(ctx, branch, commit)
	if !errors.Is(err, forge.ErrNotFound) {
		return p, err
	}
	since, err := r.since(ctx, branch, commit)
	if err != nil {
		return forge.Pull{}, err
	}
	line, whole := since.line(commit)
	if !whole {
		// The merge is the oldest commit of the line that contains the commit.
		for i := len(line) - 1; i >= 0; i-- {
			if since.holds(line[i], commit) {
				return r.madeBy(ctx, branch, line[i])
			}
		}
		return forge.Pull{}, r.notMerged(branch, commit)
	}
	return r.rebased(ctx, branch, commit, line, since)
}

func (r *Repository) notMerged(branch, commit string) error {
	return r.refused(fmt.Sprintf("find the pull request that merged %s into %s", commit, branch), forge.ErrNotFound)
}

// madeBy returns the pull request whose merge made a commit.
func (r *Repository) madeBy(ctx context.Context, branch, commit string) (forge.Pull, error) {
	var found sdk.PullRequest
	if _, err := r.get(ctx, "find the pull request that merged "+commit, "commits/"+commit+"/pull", nil, &found); err != nil {
		return forge.Pull{}, err
	}
	if p := pullOf(&found); p.Base == branch && p.Merged {
		return p, nil
	}
	return forge.Pull{}, r.notMerged(branch, commit)
}

// maxRebased is the number of commits of a rebased pull request that are searched.
const maxRebased = 20

// rebased finds the pull request that ends with one of the next commits of the line, and that
// contains the commit. The newest commit of the line is the first one.
func (r *Repository) rebased(ctx context.Context, branch, commit string, line []string, since history) (forge.Pull, error) {
	for steps := 1; steps <= min(len(line), maxRebased); steps++ {
		after := line[len(line)-steps]
		if len(since.parents[after]) > 1 {
			break
		}
		p, err := r.madeBy(ctx, branch, after)
		if errors.Is(err, forge.ErrNotFound) {
			continue
		}
		if err != nil {
			return forge.Pull{}, err
		}
		has, err := r.copies(ctx, p.Number, commit)
		if err != nil || has {
			return p, err
		}
		break
	}
	return forge.Pull{}, r.notMerged(branch, commit)
}

// copies reports whether a pull request has the commit, or a copy of it on another base.
func (r *Repository) copies(ctx context.Context, number int, commit string) (bool, error) {
	api, err := r.api(ctx)
	if err != nil {
		return false, err
	}
	one, resp, err := api.GetSingleCommit(r.owner, r.name, commit)
	if err := r.fail("read the commit "+commit, resp, err); err != nil {
		return false, err
	}
	if one == nil || one.CommitMeta == nil {
		return false, r.notMerged("a pull request", commit)
	}
	list, resp, err := api.ListPullRequestCommits(r.owner, r.name, int64(number), sdk.ListPullRequestCommitsOptions{ListOptions: sdk.ListOptions{PageSize: pageSize}})
	if err := r.fail(fmt.Sprintf("list the commits of pull request %d", number), resp, err); err != nil {
		return false, err
	}
	return slices.ContainsFunc(commits(list), func(c *sdk.Commit) bool { return written(c) == written(one) }), nil
}

// written returns the parts of a commit that do not change when the commit is moved to another
// base.
func written(c *sdk.Commit) string {
	if c.RepoCommit == nil || c.RepoCommit.Author == nil {
		return c.SHA
	}
	subject, _, _ := strings.Cut(c.RepoCommit.Message, "\n")
	return c.RepoCommit.Author.Email + " " + c.RepoCommit.Author.Date + " " + subject
}

// history is the history of a branch since a commit.
type history struct {
	tip     string
	parents map[string][]string
}

// maxHistoryPages is the number of pages of the history that are read to find a commit, beginning at the
// tip.
const maxHistoryPages = 20

func (r *Repository) since(ctx context.Context, branch, commit string) (history, error) {
	h := history{parents: map[string][]string{}}
	api, err := r.api(ctx)
	if err != nil {
		return h, err
	}
	err = pages(func(page sdk.ListOptions) (bool, error) {
		list, resp, err := api.ListRepoCommits(r.owner, r.name, sdk.ListCommitOptions{ListOptions: page, SHA: branch, Not: commit})
		if err := r.fail("read the history of "+branch, resp, err); err != nil {
			return false, err
		}
		for _, c := range commits(list) {
			if h.tip == "" {
				h.tip = c.SHA
			}
			h.parents[c.SHA] = nil
			for _, p := range some(c.Parents) {
				h.parents[c.SHA] = append(h.parents[c.SHA], p.SHA)
			}
		}
		return next(resp.Header, len(list)) && page.Page < maxHistoryPages, nil
	})
	return h, err
}

// line follows the first parents from the tip. It returns the newest commit first. whole reports
// whether the line ends at the commit.
func (h history) line(commit string) (line []string, whole bool) {
	at := h.tip
	for {
		parents, known := h.parents[at]
		if !known {
			return line, at == commit
		}
		line = append(line, at)
		if len(parents) == 0 {
			return line, false
		}
		at = parents[0]
	}
}

// holds reports whether the commit at is commit or one of its descendants.
func (h history) holds(at, commit string) bool {
	seen, queue := map[string]bool{}, []string{at}
	for len(queue) > 0 {
		at, queue = queue[0], queue[1:]
		if at == commit {
			return true
		}
		if !seen[at] {
			seen[at] = true
			queue = append(queue, h.parents[at]...)
		}
	}
	return false
}
