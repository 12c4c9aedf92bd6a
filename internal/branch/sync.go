package branch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
)

// postPending writes the pending status of a commit: its pass has begun, and will make these changes.
func (s *Tracker) postPending(p plan.Plan) {
	s.put("sync", p.Commit, func(ctx context.Context) error {
		before, ok, err := s.repository.Board.Get(ctx, p.Commit, s.context("sync"))
		if err != nil || ok && !pendingReplaces(before, p.InSync()) {
			return err
		}
		return s.set(ctx, p.Commit, "sync", memory.Status{Is: memory.Running, Why: p.Summary().String()}, "")
	})
}

// pendingReplaces reports whether the pending status of a new pass replaces the status of its commit. That is so if the commit was held or
// suspended. It is also so if the commit was in sync, but now there is something to do, because the branch went back to the commit. A failure
// stays until there is another result.
func pendingReplaces(before forge.Status, inSync bool) bool {
	switch memory.ParseStatus(before).Is {
	case memory.Held, memory.Suspended:
		return true
	default:
		return before.State == forge.Success && !inSync
	}
}

// postProgress reports the progress of a pass on its commit. It replaces only the report that the pass has begun, no matter whether that is
// delivered or still in the outbox.
func (s *Tracker) postProgress(commit string, p engine.Progress) {
	now := report.StateDuring(p, time.Now())
	text := now.Message
	if len(p.Rollouts) > 0 {
		text = now.State + "; " + text + "; " + p.Rollouts[0].String()
	}
	if more := len(p.Rollouts) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more groups", more)
	}
	if len(p.Waiting) > 0 {
		text += ", waiting for " + p.Waiting[0].Key.String()
	}
	s.put("sync", commit, func(ctx context.Context) error {
		before, ok, err := s.repository.Board.Get(ctx, commit, s.context("sync"))
		if err != nil || ok && before.State != forge.Pending && !pendingReplaces(before, false) {
			return err
		}
		return s.set(ctx, commit, "sync", memory.Status{Is: memory.Running, Why: text}, "")
	})
}

// postReplaced reports on a commit that it is in sync no longer, because another commit changed the cloud or is in sync now. If the branch
// goes back to the commit, it must be applied again.
func (s *Tracker) postReplaced(commit, by string) {
	s.put("end of sync", commit, func(ctx context.Context) error {
		if s.state.equals(commit) {
			return nil // before this was delivered, the commit got in sync again
		}
		before, ok, err := s.repository.Board.Get(ctx, commit, s.context("sync"))
		if err != nil || !ok || before.State != forge.Success {
			return err
		}
		return s.set(ctx, commit, "sync", memory.Status{Is: memory.WasInSync, Commit: report.Short(by)}, before.URL)
	})
}

// postOutcome reports the outcome of a pass on the pull request and then on the commit.
func (s *Tracker) postOutcome(o outcome) {
	written := false // the comment was written, now or in an earlier attempt
	s.put("sync", o.commit, func(ctx context.Context) error {
		news, err := s.repository.Board.News(ctx, o.commit, s.status("sync", o.status, ""))
		if review.TryLater(err) || err == nil && !news && !written {
			return err
		}
		// The comment is written first. If the process is killed after that, the status is missing, so the next process reports both again.
		status, err := s.writeOutcome(ctx, o)
		if review.TryLater(err) || status == nil {
			return err
		}
		written = true
		if by := s.state.replacedBy(o.commit); by != "" && o.status.Is == memory.InSync {
			*status = s.status("sync", memory.Status{Is: memory.WasInSync, Commit: report.Short(by)}, status.URL)
		}
		_, err2 := s.repository.Board.Set(ctx, o.commit, *status)
		return errors.Join(err, err2)
	})
}
