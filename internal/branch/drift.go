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

// drift is what is remembered of it between passes. It belongs to [state], which
// locks it.
type drift struct {
	open  bool      // the cloud differs now
	since time.Time // when it began, or had begun
	count int       // how many objects drifted, when the cloud was last seen
	news  bool      // it has begun since the branch last said so
	// carried is what passes have found that did not end as passes of a commit that
	// is in sync: it is reported with the next that does.
	carried []plan.Step
	// reported is the difference that pull requests have comments about, so as not to
	// find out again which.
	reported string
	// comments are the pull requests whose comments are about drift that is not over.
	comments map[int]bool
	// searched is set once comments of a process before this one were looked for.
	searched bool
}

// driftDecision is what follows for what is said about drift.
type driftDecision struct {
	commit  string // "" when nothing is said
	unknown string // why nothing is known of it; else its status is posted
	report  *driftReport
	closing *driftClosing
}

// driftReport is drift that pull requests get comments about.
type driftReport struct {
	comment.Drift
	difference string // the same for the same drift
}

// driftClosing are the comments about drift that is over.
type driftClosing struct {
	commit, parent string
	pulls          []int
	// search is set when a process before this one may have written more.
	search bool
}

const (
	// patientPasses is how many passes in a row may miss the cloud before the
	// branch says that nothing is known.
	patientPasses = 2
	// mostCarried bounds what is kept to be reported.
	mostCarried = 1000
)

// planned notes what a pass over the synced commit sets out to report or to correct.
func (d *drift) planned(p plan.Plan, now time.Time) (next driftDecision) {
	steps := p.Drifting()
	if len(steps) == 0 {
		return next
	}
	d.begin(len(steps), now)
	next.commit = p.Commit
	return next
}

// ran notes what a visit found. synced says that its revision is the commit that the cloud
// was last made equal to, unseen how many passes in a row could not see the cloud.
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

// begin notes that objects drift, which may be news.
func (d *drift) begin(objects int, now time.Time) {
	if !d.open {
		d.open, d.since, d.news = true, now, true
		d.reported = ""
	}
	d.count = objects
}

// report is what pull requests are to say; nil when they say it.
func (d *drift) report(about comment.Drift) *driftReport {
	about.Since = d.since
	difference := alike(about)
	if d.reported == difference {
		return nil
	}
	return &driftReport{Drift: about, difference: difference}
}

// close takes the comments that are to say that drift is over; nil for none.
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

// found is the drift that a pass found, in whichever round, and that is not
// reported yet; of several steps for an object the first.
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

// alike is the same where the same is said of drift.
func alike(d comment.Drift) string {
	all := checksum.New("drift comments")
	all.Add(d.Commit, strconv.FormatBool(d.Corrected))
	for _, s := range d.Steps {
		all.AddSums(s.Difference())
		all.Add(s.Drifted())
	}
	return all.Sum().Text()
}
