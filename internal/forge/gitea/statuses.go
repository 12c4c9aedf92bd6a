package gitea

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// maxStatuses is the number of pages of a commit's statuses that are read, newest first. Anybody
// who may push can set any number of them. Older statuses are unknown.
const maxStatuses = 40

// newestFirst is the sort order by the number that each status of a commit gets. Gitea's
// "leastindex" returns the highest number first (models/git, commit_status.go). We do not rely on
// that, and sort the result once more.
const newestFirst = "leastindex"

// Statuses implements forge.CommitStatuses.
func (r *Repository) Statuses(ctx context.Context, commit string) ([]forge.Status, error) {
	if !full.MatchString(commit) {
		return nil, r.refused("read the statuses", notFull(commit))
	}
	me, err := r.myID(ctx)
	if err != nil {
		return nil, err
	}
	var list []*sdk.Status
	err = pages(func(page sdk.ListOptions) (bool, error) {
		var found []*sdk.Status
		query := url.Values{"sort": {newestFirst}, "page": {strconv.Itoa(page.Page)}, "limit": {strconv.Itoa(page.PageSize)}}
		header, err := r.get(ctx, "read the statuses of "+commit, "commits/"+commit+"/statuses", query, &found)
		if err != nil {
			return false, err
		}
		list = append(list, some(found)...)
		return next(header, len(found)) && page.Page < maxStatuses, nil
	})
	slices.SortStableFunc(list, func(a, b *sdk.Status) int { return cmp.Compare(b.ID, a.ID) })
	var made []forge.Made
	for _, s := range slices.CompactFunc(list, func(a, b *sdk.Status) bool { return a.ID == b.ID && a.ID != 0 }) {
		one := forge.Status{Context: s.Context, State: stateOf(s.State), Description: s.Description, URL: s.TargetURL}
		made = append(made, forge.Made{Status: one, Mine: s.Creator != nil && s.Creator.ID == me})
	}
	return forge.Ours(made), err
}

// stateOf converts a state. Other programs may have set it: Gitea has a state "warning", and stores
// any text.
func stateOf(s sdk.StatusState) forge.State {
	switch s := forge.State(s); s {
	case forge.Pending, forge.Success, forge.Failure, forge.Error:
		return s
	default:
		return forge.Error
	}
}

var full = pattern.Of(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

func notFull(commit string) error {
	return fmt.Errorf("%w: %q is not a full commit", forge.ErrRefused, commit)
}

// SetStatus implements forge.CommitStatuses. Gitea accepts any state, commit and length. SetStatus
// refuses and shortens what other forges would.
func (r *Repository) SetStatus(ctx context.Context, commit string, s forge.Status) error {
	switch {
	case !full.MatchString(commit):
		return r.refused("set a status", notFull(commit))
	case s.State != forge.Pending && s.State != forge.Success && s.State != forge.Failure && s.State != forge.Error:
		return r.refused("set a status", fmt.Errorf("%w: there is no state %q", forge.ErrRefused, s.State))
	}
	api, err := r.api(ctx)
	if err != nil {
		return err
	}
	_, resp, err := api.CreateStatus(r.owner, r.name, commit, sdk.CreateStatusOption{
		State: sdk.StatusState(s.State), Context: forge.FitContext(s.Context), Description: forge.Describe(s.Description), TargetURL: s.URL,
	})
	err = r.fail(fmt.Sprintf("set the status %s of %.7s", s.Context, commit), resp, err)
	return orMissing(ctx, err, func(ctx context.Context) error {
		_, resp, err := api.GetSingleCommit(r.owner, r.name, commit)
		return r.fail("read the commit "+commit, resp, err)
	})
}
