package branch

import (
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/insync"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// state is what is remembered of a branch between passes. Each of its methods
// locks it, takes note of something, and returns as data what follows.
type state struct {
	mu   sync.Mutex
	sync insync.State
	// pass and parent are the commit of the pass in progress and the one before it;
	// works is set when that has something to do which its commit is to say.
	pass, parent string
	works        bool
	// unseen counts the passes in a row that could not see the cloud.
	unseen   int
	branch   string // whose pull requests were looked for
	plan     string // the last plan, by its commit and hash
	begun    time.Time
	reported time.Time // when progress was last reported
	// outcome is the pass that made a commit's status what it is: what is said of
	// it, however many passes come before that is delivered.
	outcome outcome
	drift   drift
}

// outcome is what a pass makes of a commit, and the pass.
type outcome struct {
	commit string
	means  memory.Status
	run    report.Run
}

// beginning is what follows when a pass begins.
type beginning struct {
	begins bool // something that its commit is to say
	drift  driftDecision
}

// planned notes that a pass begins; parent is the commit before its own, "" if that
// is not known.
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

// started notes that a step of the pass in progress begins. It returns the commit whose
// place its own takes by that, and its own; "" for none.
func (s *state) started() (replaced, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replace(s.pass, s.parent), s.pass
}

// replace notes that a commit changes the cloud, or is in sync: no other one is any
// more. It returns the one that was, or may have been for a process before this one;
// "" when that was said.
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

// replacedBy is the commit that has taken the place of one since the cloud equalled
// that; "" for none.
func (s *state) replacedBy(commit string) (by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sync.Since(commit)
}

// firstProgress is when a pass is long enough to say how far it is; after that
// the pauses double.
const firstProgress = 15 * time.Second

// progressed notes that a pass goes on, and reports whether it is time to say so.
// works is the commit that is to say what the pass does, "" for none: of one that the
// cloud equals an outcome may wait to be delivered.
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

// restore notes that a process before this one made the cloud equal to a commit.
func (s *state) restore(commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sync = s.sync.Answered(commit, true)
}

// decision is what follows from a visit of the branch.
type decision struct {
	outdates bool       // plans of pull requests are out of date
	wakes    bool       // pull requests are to be visited
	held     *plan.Plan // what the branch is held with
	// replaced is the commit that the cloud equalled until by changed it, or took its
	// place; "" for none.
	replaced, by string
	outcome      *outcome // nil when the visit says nothing about its commit
	drift        driftDecision
}

// ran notes a visit of the branch. branch is what it is called, if that is known.
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

// seen notes what the next visit compares with.
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

// judged notes what a visit makes of its commit.
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

// heldPlan is the plan that a run was held with.
func heldPlan(run report.Run) *plan.Plan {
	if run.Pass == nil || run.Pass.First.Held == nil {
		return nil
	}
	return &run.Pass.First
}

// unseenBecause is why a visit says nothing about the cloud, "" when it does or when it was
// interrupted, which is no fault of the cloud's.
func unseenBecause(run report.Run) string {
	switch {
	case run.Err != nil:
		return run.Err.Error()
	case run.Pass != nil && len(run.Pass.Last.Unlisted) > 0 && !run.Pass.Interrupted:
		return run.Pass.Last.Unlisted[0]
	}
	return ""
}
