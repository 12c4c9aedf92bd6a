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
)

// maxStatuses is the number of statuses of a commit that are read. If GitLab sorts them, the
// newest are read first. Anybody who may push can set any number of them. Older statuses are
// unknown.
const maxStatuses = 2_000

// states are our states in GitLab's words. An unknown outcome is a canceled job: GitLab has no
// state for errors, and a failed job would mean a failure of the manifests.
var states = map[forge.State]text{
	forge.Pending: "pending", forge.Success: "success", forge.Failure: "failed", forge.Error: "canceled",
}

// stateOf converts a state of GitLab. It also knows states that only other programs set.
func stateOf(s text) forge.State {
	switch s {
	case "pending", "running", "created", "waiting_for_resource", "preparing", "scheduled", "manual":
		return forge.Pending
	case "success":
		return forge.Success
	case "failed":
		return forge.Failure
	}
	return forge.Error
}

// Statuses implements [forge.CommitStatuses].
func (r *Repository) Statuses(ctx context.Context, commit string) ([]forge.Status, error) {
	what := "read the statuses of " + commit
	if !full.MatchString(commit) {
		return nil, r.refused(what, notFull(commit))
	}
	me, err := r.myID(ctx)
	if err != nil {
		return nil, err
	}
	var all []commitStatus
	query := url.Values{"all": {"true"}, "order_by": {"id"}, "sort": {"desc"}}
	err = list(ctx, r, what, "repository/commits/"+commit+"/statuses", query, func(page []commitStatus) error {
		if all = append(all, page...); len(all) >= maxStatuses {
			return forge.ErrTooMany
		}
		return nil
	})
	if err != nil && !errors.Is(err, forge.ErrTooMany) {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b commitStatus) int { return cmp.Compare(b.ID, a.ID) })
	var made []forge.Made
	for _, s := range slices.CompactFunc(all, func(a, b commitStatus) bool { return a.ID == b.ID }) {
		one := forge.Status{Context: string(s.Name), State: stateOf(s.Status), Description: string(s.Description), URL: string(s.TargetURL)}
		made = append(made, forge.Made{Status: one, Mine: s.Author.ID == me && s.ID > 0})
	}
	return forge.Ours(made), nil
}

// newStatus is the data of a request. Ref and PipelineID say to which pipeline it belongs.
type newStatus struct {
	State       text   `json:"state"`
	Name        string `json:"name"`
	Description string `json:"description"`
	TargetURL   string `json:"target_url,omitempty"`
	Ref         string `json:"ref,omitempty"`
	PipelineID  number `json:"pipeline_id,omitempty"`
}

// SetStatus implements [forge.CommitStatuses]. A status is a job of a pipeline. If the commit has a
// pipeline that people look at, the status belongs there; without its ID, GitLab would create
// another one.
func (r *Repository) SetStatus(ctx context.Context, commit string, s forge.Status) error {
	what := fmt.Sprintf("set the status %s of %.7s", s.Context, commit)
	state, ok := states[s.State]
	switch {
	case !full.MatchString(commit):
		return r.refused(what, notFull(commit))
	case !ok:
		return r.refused(what, fmt.Errorf("%w: there is no state %q", forge.ErrRefused, s.State))
	}
	source := r.sourceOf(commit)
	send := newStatus{State: state, Name: forge.FitContext(s.Context), Description: forge.Describe(s.Description), TargetURL: s.URL}
	at, err := r.pipelineOf(ctx, what, commit, source)
	if err != nil {
		return err
	}
	if at == 0 {
		send.Ref = source
	}
	send.PipelineID = at
	err = r.post(ctx, what, commit, send)
	if at != 0 && errors.Is(err, forge.ErrNotFound) { // the pipeline was archived, or was deleted meanwhile
		send.PipelineID, send.Ref = 0, source
		err = r.post(ctx, what, commit, send)
	}
	return err
}

// pipelineOf returns the newest pipeline of a commit to which a status belongs; 0 if there is none.
// For the head of a merge request, a pipeline of the merge request is preferred; otherwise it is a
// pipeline of the branch. Pipelines that only have statuses are left out, because GitLab itself
// finds them by the ref.
func (r *Repository) pipelineOf(ctx context.Context, what, commit, source string) (number, error) {
	var found []pipeline
	query := url.Values{"sha": {commit}, "order_by": {"id"}, "sort": {"desc"}, "per_page": {"100"}}
	err := r.call(ctx, what, http.MethodGet, "pipelines?"+query.Encode(), nil, &found)
	if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrRefused) { // CI is off in this project
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var other number
	for _, p := range found {
		reviewed := p.Source == "merge_request_event"
		switch {
		case p.ID <= 0 || string(p.SHA) != commit || p.Source == "external":
		case reviewed == (source != ""):
			return p.ID, nil
		case !reviewed && other == 0:
			other = p.ID
		}
	}
	return other, nil
}

// post sends a status. In some versions, a job has to be running between pending and its end, so
// post may send that state, too. GitLab refuses to repeat a state; post does not return this as an
// error.
func (r *Repository) post(ctx context.Context, what, commit string, s newStatus) error {
	err := r.call(ctx, what, http.MethodPost, "statuses/"+commit, s, nil)
	var a *answer
	if !errors.As(err, &a) || a.code != http.StatusBadRequest || !strings.Contains(a.message, "Cannot transition status") {
		return err
	}
	switch pending := strings.Contains(a.message, "from :pending"); {
	case s.State == "pending" && (pending || strings.Contains(a.message, "from :running")):
		return nil
	case s.State != "pending" && pending:
		run := s
		run.State = "running"
		if err := r.call(ctx, what, http.MethodPost, "statuses/"+commit, run, nil); err != nil {
			return err
		}
		return r.call(ctx, what, http.MethodPost, "statuses/"+commit, s, nil)
	}
	return err
}
