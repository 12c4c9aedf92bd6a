package branch

import (
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// state is the knowledge about a branch between passes. Each method takes the lock, records an event, and returns the necessary reports as
// data.
type state struct {
	mu   sync.Mutex
	sync insync.State
	// pass is the commit of the pass in progress, and parent is the commit before it. hasWork is true if the pass has something to do, so that
	// its commit must report the progress.
	pass, parent string
	hasWork      bool
	// unread counts the passes in a row that could not read the cloud.
	unread   int
	branch   string // the branch whose pull requests were last looked for
	plan     string // the last plan, by its commit and hash
	begun    time.Time
	reported time.Time // time of the last report of progress
	// outcome is the outcome that the commit's status must report. It stays until the status is delivered, even if more passes follow.
	outcome outcome
	drift   drift
}

// outcome is the result of a pass: the meaning that it gives to the status of its commit, and the run.
type outcome struct {
	commit string
	status memory.Status
	run    report.Run
}

// beginning contains the reports that are necessary when a pass begins.
type beginning struct {
	begins bool // the commit must report that the pass has begun
	drift  driftDecision
}

// planned records that a pass begins. parent is the commit before the pass's commit, "" when unknown.
func (s *state) planned(p plan.Plan, parent string, now time.Time) beginning {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun, s.reported, s.pass, s.parent, s.hasWork = now, now, p.Commit, parent, false
	if p.Commit == "" {
		return beginning{}
	}
	synced := s.sync.Was(p.Commit) == insync.Yes
	b := beginning{begins: !synced && !p.Stopped() && p.Limit == nil}
	s.hasWork = b.begins && !p.InSync()
	if synced && p.Limit == nil {
		b.drift = s.drift.planned(p, now)
	}
	return b
}

// started records that the pass in progress starts a step. From now on, the cloud does not equal the commit that was in sync before. It
// returns that commit (replaced), or "" if there is none to report, and the commit of the pass (by).
func (s *state) started() (replaced, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replace(s.pass, s.parent), s.pass
}

// replace records that a commit changes the cloud or is in sync, so that no other commit is in sync any more. It returns the commit that was
// in sync, or that was perhaps in sync for an earlier process. It returns "" if the replacement was reported already.
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

// replacedBy returns the commit that has replaced the given one, since the cloud was equal to it, or "" if there is none.
func (s *state) replacedBy(commit string) (by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sync.Since(commit)
}

// firstProgress is the time after which a pass reports its progress for the first time. After that, the pauses between reports double.
const firstProgress = 15 * time.Second

// progressed records that a pass makes progress, and reports whether it is time for a report. works is the commit that must report the
// progress. It is "" if the cloud already equals the commit, because the commit's outcome may still wait for delivery.
func (s *state) progressed(now time.Time) (due bool, works string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ran, pause, quiet := now.Sub(s.begun), s.reported.Sub(s.begun), now.Sub(s.reported)
	if due = ran >= firstProgress && quiet >= max(firstProgress, pause); due {
		s.reported = now
	}
	if s.hasWork {
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

// decision contains the reports and actions that are necessary after a run.
type decision struct {
	outdatesPlans bool       // plans of pull requests are outdated
	wakesReview   bool       // pull requests must be visited
	held          *plan.Plan // the held plan of the branch; nil if there is none
	// replaced is the commit that the cloud equalled until commit `by` changed the cloud or took its place; "" if there is none.
	replaced, by string
	outcome      *outcome // nil if the run says nothing about its commit
	drift        driftDecision
}

// ran records a run. branch is the name of the branch, if known is true.
func (s *state) ran(run report.Run, branch string, known bool) (d decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordPass(run, &d)
	if known && s.branch != branch {
		s.branch, d.wakesReview = branch, true
	}
	s.recordVerdict(run, &d)
	if run.Limited() {
		return d
	}
	d.drift = s.drift.ran(run, s.sync.Was(run.Revision.Commit) == insync.Yes, s.unread)
	return d
}

// recordPass records the values with which the next run is compared.
func (s *state) recordPass(run report.Run, d *decision) {
	if run.Pass != nil {
		plan := run.Revision.Commit + run.Pass.Last.Hash()
		d.outdatesPlans = run.Pass.Writes() > 0 || s.plan != "" && s.plan != plan
		s.plan = plan
		d.held = heldPlan(run)
		d.wakesReview = d.held != nil
	}
	switch {
	case whyUnread(run) != "":
		s.unread++
	case run.Pass != nil && len(run.Pass.Last.Unlisted) == 0:
		d.outdatesPlans = d.outdatesPlans || s.unread > 0 // plans may have failed for the same reason
		s.unread = 0
	}
}

// recordVerdict records the meaning of a run for its commit.
func (s *state) recordVerdict(run report.Run, d *decision) {
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
	if s.outcome.commit != commit || s.outcome.status != means {
		s.outcome = outcome{commit, means, run}
	}
	one := s.outcome
	d.outcome = &one
}

// heldPlan returns the held plan of a run; nil if it was not held.
func heldPlan(run report.Run) *plan.Plan {
	if run.Pass == nil || run.Pass.First.Held == nil || run.Limited() {
		return nil
	}
	return &run.Pass.First
}

// whyUnread returns the reason why a run says nothing about the cloud. It returns "" if the cloud was read. It also returns "" if the
// run was interrupted, because the cloud did not cause that.
func whyUnread(run report.Run) string {
	switch {
	case run.Err != nil:
		return run.Err.Error()
	case run.Pass != nil && len(run.Pass.Last.Unlisted) > 0 && !run.Pass.Interrupted:
		return run.Pass.Last.Unlisted[0]
	}
	return ""
}
