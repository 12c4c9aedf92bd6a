package branch

import (
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// state is what is remembered of a branch between passes. Each of its methods takes the lock, records an event, and returns what follows as
// data.
type state struct {
	mu   sync.Mutex
	sync insync.State
	// pass and parent are the commit of the pass in progress and the commit before it. works is set when the pass has something to do that its
	// commit must report.
	pass, parent string
	works        bool
	// unseen counts the passes in a row that could not read the cloud.
	unseen   int
	branch   string // whose pull requests were looked for
	plan     string // the last plan, by its commit and hash
	begun    time.Time
	reported time.Time // time of the last report of progress
	// outcome is the outcome that the commit's status must report, however many passes follow before the status is delivered.
	outcome outcome
	drift   drift
}

// outcome is the meaning of a pass for its commit, and the pass.
type outcome struct {
	commit string
	means  memory.Status
	run    report.Run
}

// beginning is what follows when a pass begins.
type beginning struct {
	begins bool // its commit must report something
	drift  driftDecision
}

// planned records that a pass begins. parent is the commit before the pass's commit, "" when unknown.
func (s *state) planned(p plan.Plan, parent string, now time.Time) beginning {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun, s.reported, s.pass, s.parent, s.works = now, now, p.Commit, parent, false
	if p.Commit == "" {
		return beginning{}
	}
	synced := s.sync.Was(p.Commit) == insync.Yes
	b := beginning{begins: !synced && !p.Stopped()}
	s.works = b.begins && !p.InSync()
	if synced {
		b.drift = s.drift.planned(p, now)
	}
	return b
}

// started records that a step of the pass in progress begins. It returns the commit that the pass's commit replaces by that, and the pass's
// own commit; "" for none.
func (s *state) started() (replaced, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replace(s.pass, s.parent), s.pass
}

// replace records that a commit changes the cloud, or is in sync: then no other commit is. It returns the commit that was in sync, or may have
// been for an earlier process; "" when that was reported already.
func (s *state) replace(commit, parent string) (replaced string) {
	replaced = s.sync.Replaced(commit, parent)
	s.sync = s.sync.Changed(commit)
	return replaced
}

// equals reports whether the cloud was last made equal to a commit.
func (s *state) equals(commit string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sync.Was(commit) == insync.Yes
}

// replacedBy is the commit that replaced another one since the cloud equalled that; "" for none.
func (s *state) replacedBy(commit string) (by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sync.Since(commit)
}

// firstProgress is the time after which a pass is long enough to report its progress. After that the pauses double.
const firstProgress = 15 * time.Second

// progressed records that a pass goes on, and reports whether progress is due. works is the commit that must report it. It is "" when the
// cloud already equals the commit, since its outcome may still wait for delivery.
func (s *state) progressed(now time.Time) (due bool, works string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ran, pause, quiet := now.Sub(s.begun), s.reported.Sub(s.begun), now.Sub(s.reported)
	if due = ran >= firstProgress && quiet >= max(firstProgress, pause); due {
		s.reported = now
	}
	if s.works {
		works = s.pass
	}
	return due, works
}

// restore records that an earlier process made the cloud equal to a commit.
func (s *state) restore(commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sync = s.sync.Answered(commit, true)
}

// decision is what follows from a run.
type decision struct {
	outdates bool       // plans of pull requests are outdated
	wakes    bool       // pull requests must be visited
	held     *plan.Plan // the plan with which the branch is held
	// replaced is the commit that the cloud equalled until commit `by` changed the cloud or took its place; "" for none.
	replaced, by string
	outcome      *outcome // nil when the run says nothing about its commit
	drift        driftDecision
}

// ran records a run. branch is the name of the branch, if known is true.
func (s *state) ran(run report.Run, branch string, known bool) (d decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen(run, &d)
	if known && s.branch != branch {
		s.branch, d.wakes = branch, true
	}
	s.judged(run, &d)
	d.drift = s.drift.ran(run, s.sync.Was(run.Revision.Commit) == insync.Yes, s.unseen)
	return d
}

// seen records what the next run compares with.
func (s *state) seen(run report.Run, d *decision) {
	if run.Pass != nil {
		plan := run.Revision.Commit + run.Pass.Last.Hash()
		d.outdates = run.Pass.Writes() > 0 || s.plan != "" && s.plan != plan
		s.plan = plan
		d.held = heldPlan(run)
		d.wakes = d.held != nil
	}
	switch {
	case unseenBecause(run) != "":
		s.unseen++
	case run.Pass != nil && len(run.Pass.Last.Unlisted) == 0:
		d.outdates = d.outdates || s.unseen > 0 // plans may have failed for the same reason
		s.unseen = 0
	}
}

// judged records what a run means for its commit.
func (s *state) judged(run report.Run, d *decision) {
	commit, means, ok := verdict(run, s.sync.Was(run.Revision.Commit) == insync.Yes)
	inSync := ok && means.Is == memory.InSync
	if inSync || run.Pass != nil && len(run.Pass.Results) > 0 {
		d.by = run.Revision.Commit
		d.replaced = s.replace(d.by, run.Revision.Parent)
	}
	if inSync {
		s.sync = s.sync.InSync(commit)
	}
	if !ok {
		return
	}
	if s.outcome.commit != commit || s.outcome.means != means {
		s.outcome = outcome{commit, means, run}
	}
	one := s.outcome
	d.outcome = &one
}

// heldPlan is the plan with which a run was held.
func heldPlan(run report.Run) *plan.Plan {
	if run.Pass == nil || run.Pass.First.Held == nil {
		return nil
	}
	return &run.Pass.First
}

// unseenBecause is why a run says nothing about the cloud. It is "" when the run does, or when it was interrupted, which is not the cloud's
// fault.
func unseenBecause(run report.Run) string {
	switch {
	case run.Err != nil:
		return run.Err.Error()
	case run.Pass != nil && len(run.Pass.Last.Unlisted) > 0 && !run.Pass.Interrupted:
		return run.Pass.Last.Unlisted[0]
	}
	return ""
}
