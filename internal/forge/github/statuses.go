package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v55/github"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

var fullCommit = pattern.Of(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// maxStatuses is the number of pages of a commit's statuses that are read, newest first. Anybody
// who may push can set any number of them. Older statuses are unknown.
const maxStatuses = 20

// Statuses implements [forge.CommitStatuses]. It reads the list of statuses, because GitHub's
// combined status does not name the accounts that set them.
func (r *Repository) Statuses(ctx context.Context, commit string) ([]forge.Status, error) {
	me, err := r.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	read := 0
	list, err := pages(r, "read the statuses of "+commit, func(page github.ListOptions) ([]*github.RepoStatus, *github.Response, error) {
		if read++; read > maxStatuses {
			return nil, nil, forge.ErrTooMany
		}
		return r.client.Repositories.ListStatuses(ctx, r.owner, r.name, commit, &page)
	})
	if err != nil && !errors.Is(err, forge.ErrTooMany) {
		return nil, err
	}
	made := make([]forge.Made, len(list))
	for i, s := range list {
		made[i].Status = forge.Status{Context: s.GetContext(), State: forge.State(s.GetState()), Description: s.GetDescription(), URL: s.GetTargetURL()}
		made[i].Mine = me.is(s.GetCreator())
	}
	return forge.Ours(made), nil
}

// maxFullCommits is the number of commits that are remembered because they accept no more statuses.
const maxFullCommits = 10_000

// SetStatus implements [forge.CommitStatuses]. A commit accepts 1,000 statuses of a context. After
// that, no further request is sent for the commit and the context.
func (r *Repository) SetStatus(ctx context.Context, commit string, s forge.Status) error {
	what := fmt.Sprintf("set the status %s of %.7s", s.Context, commit)
	name := forge.FitContext(s.Context)
	key := [2]string{commit, name}
	r.mu.Lock()
	full := r.full[key]
	r.mu.Unlock()
	switch {
	case !fullCommit.MatchString(commit):
		return fmt.Errorf("github: %s: %s: %w: %q is not a full commit", r, what, forge.ErrRefused, commit)
	case s.State != forge.Pending && s.State != forge.Success && s.State != forge.Failure && s.State != forge.Error:
		return fmt.Errorf("github: %s: %s: %w: there is no state %q", r, what, forge.ErrRefused, s.State)
	case full:
		return fmt.Errorf("github: %s: %s: %w: the commit has as many statuses as GitHub allows", r, what, forge.ErrRefused)
	}
	state, description := string(s.State), forge.Describe(s.Description)
	status := &github.RepoStatus{State: &state, Context: &name, Description: &description}
	if s.URL != "" {
		status.TargetURL = &s.URL
	}
	_, _, err := r.client.Repositories.CreateStatus(ctx, r.owner, r.name, commit, status)
	if code(err) == http.StatusUnprocessableEntity && strings.Contains(err.Error(), "maximum number of statuses") {
		r.mu.Lock()
		if len(r.full) >= maxFullCommits {
			clear(r.full)
		}
		r.full[key] = true
		r.mu.Unlock()
	}
	return r.fail(err, what)
}
