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

// drift is what is remembered about drift between passes. It belongs to [state], which holds the lock.
type drift struct {
	open  bool      // the cloud differs now
	since time.Time // start of the current or the last drift
	count int       // number of drifted objects, when the cloud was last read
	news  bool      // it has begun since the last report
	// carried are steps of passes that did not end as passes of a commit in sync. The next pass that does reports them.
	carried []plan.Step
	// reported is the difference that the comments describe. While it is the same, the pull requests are not searched again.
	reported string
	// comments are the pull requests with a comment about drift that is not over.
	comments map[int]bool
	// searched is set once the comments of an earlier process were searched for.
	searched bool
}

// driftDecision is what is to be reported about drift.
type driftDecision struct {
	commit  string // "" when nothing is reported
	unknown string // why nothing is known of it; otherwise its status is posted
	report  *driftReport
	closing *driftClosing
}

// driftReport is drift for comments on pull requests.
type driftReport struct {
	comment.Drift
	difference string // the same for the same drift
}

// driftClosing are the comments about drift that is over.
type driftClosing struct {
	commit, parent string
	pulls          []int
	// search is set when an earlier process may have written more.
	search bool
}

const (
	// patientPasses is how many passes in a row may fail to read the cloud before the branch reports that its state is unknown.
	patientPasses = 2
	// mostCarried is the maximum number of steps in carried.
	mostCarried = 1000
)

// planned records the drift that a pass over the synced commit starts with, to report or to correct it.
func (d *drift) planned(p plan.Plan, now time.Time) (next driftDecision) {
	steps := p.Drifting()
	if len(steps) == 0 {
		return next
	}
	d.begin(len(steps), now)
	next.commit = p.Commit
	return next
}

// ran records the drift that a run found. synced means that its revision is the commit that the cloud was last made equal to. unseen is how
// many passes in a row could not read the cloud.
func (d *drift) ran(run report.Run, synced bool, unseen int) (next driftDecision) {
	commit := run.Revision.Commit
	if run.Pass != nil && (run.Pass.Interrupted || !synced) {
		d.carried = d.found(*run.Pass)
	}
	if !synced || run.Refused != nil {
		return next
	}
	if why := unseenBecause(run); why != "" {
		if unseen >= patientPasses {
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

// begin records that objects drift, which may be new.
func (d *drift) begin(objects int, now time.Time) {
	if !d.open {
		d.open, d.since, d.news = true, now, true
		d.reported = ""
	}
	d.count = objects
}

// report returns what pull requests must report; nil when they already do.
func (d *drift) report(about comment.Drift) *driftReport {
	about.Since = d.since
	difference := alike(about)
	if d.reported == difference {
		return nil
	}
	return &driftReport{Drift: about, difference: difference}
}

// close returns the comments that must report the end of drift; nil for none.
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

// found returns the drift that a pass found, in any round, and that is not reported yet. Of several steps for an object it takes the first.
func (d *drift) found(p engine.Pass) (steps []plan.Step) {
	known := map[manifest.Key]bool{}
	for _, step := range slices.Concat(d.carried, p.First.Drifting(), p.Late) {
		if !known[step.Key] && len(steps) < mostCarried {
			steps = append(steps, step)
		}
		known[step.Key] = true
	}
	return steps
}

// alike returns the same text for drift with the same comment.
func alike(d comment.Drift) string {
	all := checksum.New("drift comments")
	all.Add(d.Commit, strconv.FormatBool(d.Corrected))
	for _, s := range d.Steps {
		all.AddSums(s.Difference())
		all.Add(s.Drifted())
	}
	return all.Sum().Text()
}
