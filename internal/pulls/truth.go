package pulls

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// truth is what a branch is told about its cloud: what is remembered of it
// between passes.
type truth struct {
	// synced is the commit that the cloud was last made equal to.
	synced string
	// unseen counts the passes in a row that could not see the cloud.
	unseen int
	seen   string // the branch whose pull requests were looked for
	hash   string // the last plan's
	begun  time.Time
	told   time.Time // when progress was last told
	// ended is the pass that made a commit's status what it is: what is told of
	// it, however many passes come before that.
	ended struct {
		commit string
		status forge.Status
		run    report.Run
	}
	drift drift
}

// Planned implements engine.Watcher: a pass begins.
func (s *Stack) Planned(p plan.Plan) {
	now := time.Now()
	s.mu.Lock()
	s.truth.begun, s.truth.told = now, now
	synced := s.truth.synced
	s.mu.Unlock()
	if p.Commit == "" {
		return
	}
	s.driftFound(p, now)
	if p.Commit == synced || p.Stopped() {
		return
	}
	if last, ok := s.Last(); ok && last.Commit != p.Commit {
		return // it is kept while the newest is refused: nothing would be said of its end
	}
	r := s.repository
	r.Outbox.Put(s.owed("sync", p.Commit), func(ctx context.Context) error {
		before, ok, err := r.Board.Get(ctx, p.Commit, s.context("sync"))
		if err != nil || ok && !begins(before, p) {
			return err
		}
		return s.set(ctx, p.Commit, "sync", forge.Pending, p.Summary().String())
	})
}

// begins tells whether a pass begins something new on a commit that has a status:
// it was held and is not any more, or the branch went back to it.
func begins(before forge.Status, p plan.Plan) bool {
	return strings.HasPrefix(before.Description, heldWord) || strings.HasPrefix(before.Description, suspendedWord) || before.State == forge.Success && !p.InSync()
}

// Started implements engine.Watcher.
func (s *Stack) Started(plan.Step) {}

// Finished implements engine.Watcher.
func (s *Stack) Finished(engine.Result) {}

// firstProgress is when a pass is long enough to tell how far it is; after that
// the pauses double.
const firstProgress = 15 * time.Second

// Progress implements engine.Watcher.
func (s *Stack) Progress(p engine.Progress) {
	now := time.Now()
	s.mu.Lock()
	ran, pause := now.Sub(s.truth.begun), s.truth.told.Sub(s.truth.begun)
	quiet := now.Sub(s.truth.told)
	tell := ran >= firstProgress && quiet >= max(firstProgress, pause)
	if tell {
		s.truth.told = now
	}
	s.mu.Unlock()
	rev, ok := s.Last()
	if !tell || !ok || p.Total == 0 {
		return
	}
	text := fmt.Sprintf("%d of %d done", p.Done, p.Total)
	if len(p.Waiting) > 0 {
		text += ", waiting for " + p.Waiting[0].Step.Key.String()
	}
	r := s.repository
	r.Outbox.Put(s.owed("sync", rev.Commit), func(ctx context.Context) error {
		now, _, err := r.Board.Get(ctx, rev.Commit, s.context("sync"))
		if err != nil || now.State != forge.Pending {
			return err
		}
		return s.set(ctx, rev.Commit, "sync", forge.Pending, text)
	})
}

// Ran takes note of a look at the branch. It is a sink.
func (s *Stack) Ran(run report.Run) {
	s.note(run)
	s.sync(run)
	s.drifted(run)
}

// note remembers what the next look compares with, and asks for new plans when
// the branch or its cloud moved.
func (s *Stack) note(run report.Run) {
	s.mu.Lock()
	t := &s.truth
	rev, seen := s.Last()
	moved, news := false, seen && t.seen != rev.Branch
	if seen {
		t.seen = rev.Branch
	}
	s.held = nil
	if run.Pass != nil {
		hash := run.Revision.Commit + run.Pass.Last.Hash()
		moved = run.Pass.Writes() > 0 || t.hash != "" && t.hash != hash
		t.hash = hash
		if run.Pass.First.Held != "" {
			s.held = &run.Pass.First
		}
	}
	switch {
	case run.Err != nil || run.Pass != nil && len(run.Pass.Last.Unlisted) > 0:
		t.unseen++
	case run.Pass != nil:
		moved = moved || t.unseen > 0 // plans may have failed for the same reason
		t.unseen = 0
	}
	news = news || s.held != nil
	s.mu.Unlock()
	if moved {
		s.repository.Moved(time.Now())
	}
	if news {
		s.repository.Wake()
	}
}

// sync says on a commit whether the cloud was made equal to it.
func (s *Stack) sync(run report.Run) {
	commit, status, ok := s.verdict(run)
	if !ok {
		return
	}
	status.Context = s.context("sync")
	s.mu.Lock()
	if e := &s.truth.ended; e.commit != commit || e.status != status {
		e.commit, e.status, e.run = commit, status, run
	}
	run = s.truth.ended.run
	s.mu.Unlock()
	r := s.repository
	told := false // the outcome was, in this try or one before
	r.Outbox.Put(s.owed("sync", commit), func(ctx context.Context) error {
		news, err := r.Board.News(ctx, commit, status)
		if later(err) || err == nil && !news && !told {
			return err
		}
		// The comment comes first: whoever is killed in between says both again.
		said, err := s.outcome(ctx, commit, run, &status)
		if later(err) || said == superseded {
			return err
		}
		told = true
		_, err2 := r.Board.Set(ctx, commit, status)
		return errors.Join(err, err2)
	})
}

// inSync and wasSync begin the description of a commit that the cloud equals, and
// of one that it equalled until another took its place: should the branch go
// back to that one, it has to be applied again.
const (
	inSync  = "in sync: "
	wasSync = "in sync until "
)

// supersede says on the commit that the cloud equalled that it does so no more.
func (s *Stack) supersede(old, commit string) {
	if old == "" || old == commit {
		return
	}
	s.repository.Outbox.Put(s.owed("end of sync", old), func(ctx context.Context) error {
		before, ok, err := s.repository.Board.Get(ctx, old, s.context("sync"))
		if err != nil || !ok || before.State != forge.Success {
			return err
		}
		before.Description = wasSync + report.Short(commit)
		_, err = s.repository.Board.Set(ctx, old, before)
		return err
	})
}

// owed is the key under which something about a commit is owed.
func (s *Stack) owed(what, commit string) string {
	return what + " " + s.Name + " " + report.Short(commit)
}

// set writes a status of the stack.
func (s *Stack) set(ctx context.Context, commit, what string, state forge.State, text string) error {
	_, err := s.repository.Board.Set(ctx, commit, forge.Status{Context: s.context(what), State: state, Description: text})
	return err
}

// WasSynced tells whether the forge knows that a commit was applied: what a new
// process, on an empty disk, cannot know otherwise.
func (s *Stack) WasSynced(ctx context.Context, commit string) bool {
	ctx, cancel := context.WithTimeout(ctx, patienceTime)
	defer cancel()
	status, _, err := s.repository.Board.Get(ctx, commit, s.context("sync"))
	synced := err == nil && status.State == forge.Success && !strings.HasPrefix(status.Description, wasSync)
	if synced {
		s.mu.Lock()
		s.truth.synced = commit
		s.mu.Unlock()
	}
	return synced
}
