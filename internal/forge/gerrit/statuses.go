package gerrit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// A status is a message on the patch set. Its lines are the context, the state with the
// description, the address if there is one, and statusEnd. All of our statuses on a patch set make
// one vote together.
const statusEnd = "[stackreeve: status]"

// refusedAge is the time for which the agent does not try to vote after Gerrit refused a vote.
const refusedAge = 10 * time.Minute

// statusText returns the text of the message for a status.
func statusText(s forge.Status) string {
	lines := []string{s.Context, string(s.State) + ": " + s.Description}
	if s.URL != "" {
		lines = append(lines, s.URL)
	}
	return strings.Join(append(lines, statusEnd), "\n")
}

// statusOf parses the message of a status.
func statusOf(body string) (s forge.Status, ok bool) {
	lines := strings.Split(body, "\n")
	if len(lines) < 3 || len(lines) > 4 || lines[len(lines)-1] != statusEnd {
		return s, false
	}
	state, description, ok := strings.Cut(lines[1], ": ")
	s = forge.Status{Context: lines[0], State: forge.State(state), Description: description}
	if len(lines) == 4 {
		s.URL = lines[2]
	}
	return s, ok && isState(s.State)
}

func isState(s forge.State) bool {
	return slices.Contains([]forge.State{forge.Pending, forge.Success, forge.Failure, forge.Error}, s)
}

// changesWith returns the open changes whose current patch set is commit, sorted by number.
func (r *Repository) changesWith(ctx context.Context, what, commit string) ([]change, error) {
	if !full.MatchString(commit) {
		return nil, r.refuse(what, notFull(commit))
	}
	found, err := r.query(ctx, what, "status:open commit:"+commit, "MESSAGES")
	return slices.DeleteFunc(found, func(c change) bool { return c.Status != "NEW" || string(c.CurrentRevision) != commit }), tooBig(err)
}

// Statuses implements [forge.CommitStatuses]. A commit has no statuses if it is not the current
// patch set of an open change.
func (r *Repository) Statuses(ctx context.Context, commit string) ([]forge.Status, error) {
	found, err := r.changesWith(ctx, "read the statuses of "+commit, commit)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return r.statuses(ctx, found[0])
}

func (r *Repository) statuses(ctx context.Context, c change) ([]forge.Status, error) {
	me, err := r.myID(ctx)
	if err != nil {
		return nil, err
	}
	at := c.Revisions[string(c.CurrentRevision)].Number
	var made []forge.Made
	for _, m := range slices.Backward(c.Messages) {
		if s, ok := statusOf(messageText(m)); ok && m.Tag == statusTag && m.Revision == at {
			made = append(made, forge.Made{Status: s, Mine: m.Author.ID == me && m.RealAuthor == nil})
		}
	}
	return forge.Ours(made), nil
}

// SetStatus implements [forge.CommitStatuses].
func (r *Repository) SetStatus(ctx context.Context, commit string, s forge.Status) error {
	what := fmt.Sprintf("set the status %s of %.7s", s.Context, commit)
	if !isState(s.State) || strings.ContainsAny(s.URL, "\r\n") {
		return r.refuse(what, fmt.Errorf("%w: there is no state %q, or not at %q", forge.ErrRefused, s.State, s.URL))
	}
	found, err := r.changesWith(ctx, what, commit)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return r.refuse(what, fmt.Errorf("%w: the commit is not a patch set of an open change", forge.ErrUnsupported))
	}
	s.Context, s.Description = forge.FitContext(s.Context), forge.Describe(s.Description)
	// Statuses reads the first change. So the first change is written last: when it has the status,
	// all others have it, too.
	for _, c := range slices.Backward(found) {
		before, err := r.statuses(ctx, c)
		if err != nil {
			return err
		}
		if err := r.vote(ctx, what, c, s, vote(append(before, s))); err != nil {
			return err
		}
	}
	return nil
}

// vote returns the vote that statuses make together. If several have the same context, the last one
// counts.
func vote(list []forge.Status) int {
	newest := map[string]forge.State{}
	for _, s := range list {
		newest[s.Context] = s.State
	}
	sum := 1
	for _, state := range newest {
		switch state {
		case forge.Failure:
			return -1
		case forge.Success:
		case forge.Pending, forge.Error:
			sum = 0
		}
	}
	return sum
}

// vote writes the message of a status with a vote, or without a vote if the account may not vote.
func (r *Repository) vote(ctx context.Context, what string, c change, s forge.Status, value int) error {
	path := r.changePath(int(c.Number)) + "/revisions/" + string(c.CurrentRevision) + "/review"
	send := review{Message: statusText(s), Tag: statusTag, Notify: "NONE", IgnoreAttentionOf: true}
	r.mu.Lock()
	votes := r.label != "" && time.Since(r.refused) >= refusedAge
	r.mu.Unlock()
	if votes {
		send.Labels = map[string]int{r.label: value}
		err := r.send(ctx, what, http.MethodPost, path, send, nil)
		if !errors.Is(err, forge.ErrRefused) {
			return err
		}
		r.mu.Lock()
		r.refused = time.Now()
		r.mu.Unlock()
		send.Labels = nil
	}
	return r.send(ctx, what, http.MethodPost, path, send, nil)
}
