package gitea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// OpenPulls implements forge.Pulls.
func (r *Repository) OpenPulls(ctx context.Context, branch string) ([]forge.Pull, error) {
	api, err := r.api(ctx)
	if err != nil {
		return nil, err
	}
	var list []forge.Pull
	err = pages(func(page sdk.ListOptions) (bool, error) {
		found, resp, err := api.ListRepoPullRequests(r.owner, r.name, sdk.ListPullRequestsOptions{ListOptions: page, State: sdk.StateOpen, Sort: "oldest"})
		if err := r.fail("list pull requests", resp, err); err != nil {
			return false, err
		}
		for _, p := range some(found) {
			if one := pullOf(p); one.Number > 0 && one.Base == branch && one.Open {
				list = append(list, one)
			}
		}
		return next(resp.Header, len(found)), nil
	})
	// A pull request that is opened or closed meanwhile can be on two pages.
	slices.SortFunc(list, func(a, b forge.Pull) int { return cmp.Compare(a.Number, b.Number) })
	return slices.CompactFunc(list, func(a, b forge.Pull) bool { return a.Number == b.Number }), err
}

// Pull implements forge.Pulls.
func (r *Repository) Pull(ctx context.Context, number int) (forge.Pull, error) {
	api, err := r.api(ctx)
	if err != nil {
		return forge.Pull{}, err
	}
	found, resp, err := api.GetPullRequest(r.owner, r.name, int64(number))
	what := fmt.Sprintf("read pull request %d", number)
	if err := r.fail(what, resp, err); err != nil {
		return forge.Pull{}, err
	}
	p := pullOf(found)
	if p.Number != number {
		return forge.Pull{}, r.refused(what, fmt.Errorf("%w: the answer is about another pull request", forge.ErrUnavailable))
	}
	// For a single pull request, Gitea returns the present tip of its branch. That may be ahead of
	// the reference that can be fetched, or a different commit after a merge.
	refs, resp, err := api.GetRepoRefs(r.owner, r.name, p.HeadRef)
	err = r.fail(what+": its head", resp, err)
	switch {
	case errors.Is(err, forge.ErrNotFound):
		return p, nil
	case err != nil:
		return forge.Pull{}, err
	}
	for _, ref := range some(refs) {
		if ref.Ref == p.HeadRef && ref.Object != nil {
			p.Head = ref.Object.SHA
		}
	}
	return p, nil
}

// pullOf converts a pull request. It drops Gitea's merge base, because Gitea computes that some
// time after a push. An outdated merge base leads to conflicts that do not exist.
func pullOf(p *sdk.PullRequest) forge.Pull {
	one := forge.Pull{
		Number: int(p.Index), Title: p.Title, URL: p.HTMLURL, HeadRef: fmt.Sprintf("refs/pull/%d/head", p.Index),
		Fork: true, Open: p.State == sdk.StateOpen, Merged: p.HasMerged,
	}
	if p.Poster != nil {
		one.Author = p.Poster.UserName
	}
	if p.Base != nil {
		one.Base = p.Base.Ref
	}
	if p.Head != nil {
		one.Head = p.Head.Sha
	}
	if p.Base != nil && p.Head != nil {
		one.Fork = p.Head.RepoID != p.Base.RepoID || isAgit(p.Head)
	}
	if p.HasMerged && p.MergedCommitID != nil {
		one.MergeCommit = *p.MergedCommitID
	}
	if p.Updated != nil {
		one.Updated = *p.Updated
	}
	return one
}

// isAgit reports whether a pull request was pushed to refs/for/…. Everybody who can read the
// repository may do that. The head of such a pull request names the repository, and no branch.
func isAgit(head *sdk.PRBranchInfo) bool { return head.Name == "" }

// LastTouch implements forge.History.
func (r *Repository) LastTouch(ctx context.Context, branch, file string) (string, error) {
	api, err := r.api(ctx)
	if err != nil {
		return "", err
	}
	what := fmt.Sprintf("find who changed %s last", file)
	list, resp, err := api.ListRepoCommits(r.owner, r.name, sdk.ListCommitOptions{ListOptions: sdk.ListOptions{PageSize: 1}, SHA: branch, Path: file})
	if err := r.fail(what, resp, err); err != nil {
		return "", err
	}
	if list = commits(list); len(list) == 0 {
		return "", r.refused(what, forge.ErrNotFound)
	}
	return list[0].SHA, nil
}

// MayWrite implements forge.Rights. Gitea reports this right to administrators only, and for the
// whole repository only.
func (r *Repository) MayWrite(ctx context.Context, who forge.Person, _ string) (bool, error) {
	login := who.Login
	if login == "" {
		return false, nil
	}
	api, err := r.api(ctx)
	if err != nil {
		return false, err
	}
	found, resp, err := api.CollaboratorPermission(r.owner, r.name, login)
	err = r.fail(fmt.Sprintf("ask whether %s may write", login), resp, err)
	switch {
	case errors.Is(err, forge.ErrNotFound):
		return false, nil
	case errors.Is(err, forge.ErrRefused):
		return false, fmt.Errorf("%w; the token's user has to be an administrator of %s/%s", err, r.owner, r.name)
	case err != nil:
		return false, err
	}
	may := []sdk.AccessMode{sdk.AccessModeWrite, sdk.AccessModeAdmin, sdk.AccessModeOwner}
	return slices.Contains(may, found.Permission), nil
}
