package pulls

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
)

// drift is what is remembered of it between passes.
type drift struct {
	open   bool      // the cloud differs now
	since  time.Time // when it began, or had begun
	count  int       // how many objects drifted, when last looked
	news   bool      // it has begun since the branch was last told
	traces *traces   // of what drifted
	// carried is what passes have found that did not end as passes of a commit that
	// is in sync: it is reported with the next that does.
	carried []plan.Step
	// reported is what pull requests were told, so as not to find out again whom
	// to tell.
	reported string
	// told are the pull requests that were told and not yet that it is over.
	told map[int]bool
	// looked is set once comments of a process before this one were looked for.
	looked bool
}

// begin takes note of drift.
func (d *drift) begin(objects int, now time.Time) {
	if !d.open {
		d.open, d.since, d.news = true, now, true
		d.reported, d.traces = "", nil
	}
	d.count = objects
}

const (
	// mostTraced bounds what is asked about who changed objects.
	mostTraced = 20
	traceTime  = 20 * time.Second
	// patientPasses is how many passes in a row may miss the cloud before the
	// branch is told that nothing is known.
	patientPasses = 2
	// mostCarried bounds what is kept to be reported.
	mostCarried = 1000
)

// driftFound remembers what a pass sets out to report or to correct, and asks
// who did it before correcting hides the traces.
func (s *Stack) driftFound(p plan.Plan, now time.Time) {
	steps := drifting(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &s.truth.drift
	if p.Commit != s.truth.synced || len(steps) == 0 {
		return
	}
	d.begin(len(steps), now)
	s.traced(steps)
	s.tell(p.Commit)
}

// traced asks who changed what drifted, once for the same differences.
func (s *Stack) traced(steps []plan.Step) {
	d := &s.truth.drift
	if about := alike(steps); d.traces == nil || d.traces.about != about {
		d.traces = &traces{about: about, done: make(chan struct{})}
		go s.trace(steps, d.traces)
	}
}

// corrected is the drift that a pass found, in whichever round, and that is not
// reported yet; of several steps for an object the first.
func (d *drift) corrected(p engine.Pass) (steps []plan.Step) {
	known := map[manifest.Key]bool{}
	for _, step := range slices.Concat(d.carried, drifting(p.First), p.Late) {
		if !known[step.Key] && len(steps) < mostCarried {
			steps = append(steps, step)
		}
		known[step.Key] = true
	}
	return steps
}

// drifting are the steps that are about a change in the cloud.
func drifting(p plan.Plan) (steps []plan.Step) {
	for _, step := range p.Steps {
		if step.Drift && (step.Action != plan.Keep || len(step.Changes) > 0) {
			steps = append(steps, step)
		}
	}
	return steps
}

// drifted says on the branch's newest commit whether the cloud still equals it,
// and tells the pull requests that wrote what drifted.
func (s *Stack) drifted(run report.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.truth
	d := &t.drift
	commit := run.Revision.Commit
	if run.Pass != nil && (run.Pass.Interrupted || commit != t.synced) {
		d.carried = d.corrected(*run.Pass)
	}
	if commit == "" || commit != t.synced || run.Refused != nil {
		return
	}
	if reason := unseen(run); reason != "" {
		if t.unseen >= patientPasses {
			s.owe(commit, "cannot be told: "+steady(reason))
		}
		return
	}
	if run.Pass == nil || run.Pass.Interrupted {
		return
	}
	found, left := d.corrected(*run.Pass), drifting(run.Pass.Last)
	d.carried = nil
	said := comment.Drift{Stack: s.Name, Commit: commit, Steps: left}
	switch {
	case len(left) > 0:
		d.begin(len(left), run.Started)
	case len(found) > 0:
		d.begin(len(found), run.Started)
		s.traced(found)
		said.Steps, said.Corrected = found, true
	}
	said.Since = d.since
	if len(said.Steps) > 0 {
		s.report(said, d.traces)
	} else {
		s.over(commit, run.Revision.Parent)
	}
	if len(left) == 0 {
		d.open = false
	}
	s.tell(commit)
}

// unseen is why a look says nothing about the cloud, "" when it does.
func unseen(run report.Run) string {
	switch {
	case run.Err != nil:
		return run.Err.Error()
	case run.Pass != nil && len(run.Pass.Last.Unlisted) > 0:
		return run.Pass.Last.Unlisted[0]
	}
	return ""
}

// owe says that nothing is known.
func (s *Stack) owe(commit, text string) {
	s.repository.Outbox.Put(s.owed("drift", commit), func(ctx context.Context) error {
		return s.set(ctx, commit, "drift", forge.Error, text)
	})
}

const (
	// sinceLayout is how a status says since when.
	sinceLayout = "15:04 UTC, 2 Jan 2006"
	// calmAfter is how many drift statuses a commit gets before those that would
	// be over at once are left out: a forge takes 1,000.
	calmAfter = 200
)

// tell owes the branch the state of the drift as it is when it is delivered.
func (s *Stack) tell(commit string) {
	board, name := s.repository.Board, s.context("drift")
	s.repository.Outbox.Put(s.owed("drift", commit), func(ctx context.Context) error {
		before, known, err := board.Get(ctx, commit, name)
		if err != nil {
			return err
		}
		s.mu.Lock()
		d := s.truth.drift
		s.truth.drift.news = false
		s.mu.Unlock()
		if d.open || d.news && board.Count(commit, name) < calmAfter {
			status := forge.Status{Context: name, State: forge.Failure, URL: before.URL, Description: drifted(d, before)}
			if _, err := board.Set(ctx, commit, status); err != nil || d.open {
				return err
			}
			before = status
		}
		if d.open || known && before.State == forge.Success && !before.Covered {
			return nil
		}
		_, err = board.Set(ctx, commit, forge.Status{Context: name, State: forge.Success, URL: before.URL, Description: "no drift"})
		return err
	})
}

// drifted is the description of a status. What a process before this one said
// about the time counts.
func drifted(d drift, before forge.Status) string {
	since := d.since.UTC().Format(sinceLayout)
	if _, text, ok := strings.Cut(before.Description, " since "); ok && before.State == forge.Failure {
		since = text
	}
	return "drifted: " + report.Plural(d.count, "object") + " since " + since
}
