package branch

import (
	"slices"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
)

// drift contains the knowledge about drift between passes. It is a part of [state], and the lock of [state] protects it.
type drift struct {
	open  bool      // the cloud differs now.
	since time.Time // start of the current or the last drift
	count int       // number of drifted objects when the cloud was last read.
	news  bool      // the start of the drift is not reported yet.
	// carried are drifted steps of passes that were interrupted, or whose commit was not in sync. The next complete pass of a commit in
	// sync reports them.
	carried []plan.Step
	// reported is the difference that the comments describe. While it stays the same, the pull requests are not searched again.
	reported string
	// comments are the pull requests with a comment about drift. The value is true until the comment is closed.
	comments map[int]bool
	// searched is true once the comments of an earlier process have been searched for.
	searched bool
}

// driftDecision says which reports about drift must be written.
type driftDecision struct {
	commit  string // "" if nothing must be reported
	unknown string // the reason why the drift is unknown; if it is "", the drift status is posted
	report  *driftReport
	closing *driftClosing
}

// driftReport is the drift that comments on pull requests must report.
type driftReport struct {
	comment.Drift
	difference string // a text that is equal for equal drift
}

// driftClosing contains the comments that must report the end of drift.
type driftClosing struct {
	commit, parent string
	pulls          []int
	// search is true if an earlier process may have written more comments.
	search bool
}

const (
	// failuresBeforeUnknown is the number of passes in a row that must fail to read the cloud before the branch reports an unknown state.
	failuresBeforeUnknown = 2
	// maxCarried is the maximum number of steps in carried.
	maxCarried = 1000
)

// planned records the drift in the plan of a pass whose commit was in sync. The pass may report it or correct it.
func (d *drift) planned(p plan.Plan, now time.Time) (next driftDecision) {
	steps := p.Drifting()
	if len(steps) == 0 {
		return next
	}
	d.begin(len(steps), now)
	next.commit = p.Commit
	return next
}

// ran records the drift that a run found. synced means that the cloud was last made equal to the run's revision. unseen is the number of
// passes in a row that could not read the cloud.
func (d *drift) ran(run report.Run, synced bool, unseen int) (next driftDecision) {
	commit := run.Revision.Commit
	if run.Pass != nil && (run.Pass.Interrupted || !synced) {
		d.carried = d.found(*run.Pass)
	}
	if !synced || run.Refused != nil {
		return next
	}
	if why := whyUnread(run); why != "" {
		if unseen >= failuresBeforeUnknown {
			next.commit, next.unknown = commit, why
		}
		return next
	}
	if run.Pass == nil || run.Pass.Interrupted {
		return next
	}
	next.commit = commit
	found, left := d.found(*run.Pass), run.Pass.Last.Drifting()
	d.carried = nil
	switch {
	case len(left) > 0:
		d.begin(len(left), run.Started)
		next.report = d.report(comment.Drift{Commit: commit, Steps: left})
	case len(found) > 0:
		d.begin(len(found), run.Started)
		next.report = d.report(comment.Drift{Commit: commit, Steps: found, Corrected: true})
	default:
		next.closing = d.close(commit, run.Revision.Parent)
	}
	d.open = len(left) > 0
	return next
}

// begin records that objects are drifted now. If the drift is new, its start time is stored.
func (d *drift) begin(objects int, now time.Time) {
	if !d.open {
		d.open, d.since, d.news = true, now, true
		d.reported = ""
	}
	d.count = objects
}

// report returns the drift that pull requests must report; nil if their comments report it already.
func (d *drift) report(about comment.Drift) *driftReport {
	about.Since = d.since
	difference := commentKey(about)
	if d.reported == difference {
		return nil
	}
	return &driftReport{Drift: about, difference: difference}
}

// close returns the comments that must report the end of drift; nil if there are none.
func (d *drift) close(commit, parent string) *driftClosing {
	c := &driftClosing{commit: commit, parent: parent, search: !d.searched}
	for number, open := range d.comments {
		if open {
			c.pulls = append(c.pulls, number)
		}
	}
	slices.Sort(c.pulls)
	d.comments, d.searched = nil, true
	if len(c.pulls) == 0 && !c.search {
		return nil
	}
	return c
}

// found returns the drift of a pass, in any of its rounds, together with the carried steps. If an object has several steps, it returns the
// first.
func (d *drift) found(p engine.Pass) (steps []plan.Step) {
	known := map[manifest.Key]bool{}
	for _, step := range slices.Concat(d.carried, p.First.Drifting(), p.LateDrift) {
		if !known[step.Key] && len(steps) < maxCarried {
			steps = append(steps, step)
		}
		known[step.Key] = true
	}
	return steps
}

// commentKey returns a text that is equal for drifts that would get the same comment.
func commentKey(d comment.Drift) string {
	all := checksum.New("drift comments")
	all.Add(d.Commit, strconv.FormatBool(d.Corrected))
	for _, s := range d.Steps {
		all.AddSums(s.Difference())
		all.Add(s.DriftText())
	}
	return all.Sum().Text()
}
