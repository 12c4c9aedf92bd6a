package gitlab

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// A list of 10,000 open merge requests takes a hundred requests. So all of them are listed only from time to time, and in between only the changed
// ones.
//
//	merge request             the agent notices it
//	-----------------------   -----------------------------------------------------------------------------------
//	new, pushed, retargeted   by its updated_at, whatever its target branch and its state are now
//	closed, merged            by its updated_at, too; it is removed from the known merge requests
//	deleted                   when all merge requests are listed again, because no other answer shows a deletion
const (
	// listAll is the time after which all merge requests are listed again.
	listAll = time.Hour
	// overlap is the time by which each list begins before known.since. GitLab sets the time of a change before the change is visible.
	overlap = 2 * time.Minute
)

// opened are the open merge requests into a branch that are known from the lists.
type opened struct {
	requests map[number]mergeRequest
	all      time.Time // when all merge requests were listed; zero if they were never listed to the end.
	began    time.Time // when the last list began.
	since    time.Time // each change before this time is known; the time is by GitLab's clock.
}

// note adds a merge request from a list to the open ones, or removes it if it is no longer open.
func (o *opened) note(m mergeRequest, branch string) {
	if p := m.pull(); p.Number > 0 && p.Base == branch && p.Open {
		o.requests[m.IID] = m
	} else {
		delete(o.requests, m.IID)
	}
}

// OpenPulls implements [forge.Pulls].
func (r *Repository) OpenPulls(ctx context.Context, branch string) ([]forge.Pull, error) {
	r.mu.Lock()
	known := r.opened[branch]
	r.mu.Unlock()
	var err error
	whole := known.all.IsZero() || known.since.IsZero() || time.Since(known.all) >= listAll
	if !whole {
		known.requests = maps.Clone(known.requests)
		query := url.Values{"state": {"all"}, "updated_after": {known.since.Add(-overlap).UTC().Format(time.RFC3339)}, "order_by": {"updated_at"}, "sort": {"asc"}}
		err = r.readOpened(ctx, branch, &known, query)
	}
	if whole || errors.Is(err, forge.ErrTooMany) {
		known = opened{requests: map[number]mergeRequest{}, all: time.Now()}
		err = r.readOpened(ctx, branch, &known, url.Values{"state": {"opened"}, "target_branch": {branch}, "order_by": {"created_at"}, "sort": {"asc"}})
	}
	switch {
	case errors.Is(err, forge.ErrTooMany):
		known.all = time.Time{}
	case err != nil:
		return nil, err
	}
	r.mu.Lock()
	r.opened[branch] = known
	r.mu.Unlock()
	return known.pulls(), err
}

// readOpened reads a list of merge requests, and sets known.since: all changes before that time, by GitLab's clock, are known. It has two estimates and
// uses the later one. The first is the newest change in the list, minus the time that the reading took: the list began then or later.
// The second is the previous value plus the time between the beginnings of the two lists, by our own clock.
func (r *Repository) readOpened(ctx context.Context, branch string, known *opened, query url.Values) error {
	began, newest := time.Now(), time.Time{}
	err := list(ctx, r, "list the merge requests into "+branch, "merge_requests", query, func(page []mergeRequest) error {
		for _, m := range page {
			known.note(m, branch)
			if m.UpdatedAt.After(newest) {
				newest = m.UpdatedAt.Time
			}
		}
		return nil
	})
	if !known.since.IsZero() {
		known.since = known.since.Add(began.Sub(known.began))
	}
	if until := newest.Add(-time.Since(began)); until.After(known.since) {
		known.since = until
	}
	known.began = began
	return err
}

// pulls returns the merge requests as pull requests, sorted by number.
func (o opened) pulls() (list []forge.Pull) {
	for _, m := range o.requests {
		list = append(list, m.pull())
	}
	slices.SortFunc(list, func(a, b forge.Pull) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// sourceOf returns the ref of the pipelines of a commit that is the head of an open merge request; "" when none is known.
func (r *Repository) sourceOf(commit string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, branch := range slices.Sorted(maps.Keys(r.opened)) {
		for _, m := range r.opened[branch].requests {
			if string(m.SHA) == commit {
				return m.source()
			}
		}
	}
	return ""
}
