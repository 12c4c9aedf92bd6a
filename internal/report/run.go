// Package report reports what came of a stack's runs: as text for
// people, as JSON and YAML for programs, as log lines and as metrics.
//
// It knows plans, passes and problems, and nothing of how they came about. It
// decides nothing.
package report

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// Run is the record of one run of a stack: what was fetched, and what came of
// it. Sinks receive it.
type Run struct {
	Stack    string
	Started  time.Time
	Took     time.Duration
	Revision source.Revision // what the cloud was compared with; zero when nothing was
	// FetchErr says why the revision may not be the newest.
	FetchErr error
	// Refused is the newest revision when its manifests are wrong; then
	// Revision is the last one that was not, if there was one.
	Refused *Refusal
	// Err says why no pass took place.
	Err error
	// Pass is nil when no pass took place.
	Pass *engine.Pass
	// Trace is what the run spent its time on; nil where that is not recorded.
	Trace *trace.Trace
}

// Refusal is a revision of which nothing is applied.
type Refusal struct {
	Commit   string
	Problems manifest.Problems
	// Back says why no earlier commit is kept in its place, when one was searched for.
	Back string
	// Cautious is set when one is kept that was found by going back, and may not
	// be the last that was applied.
	Cautious bool
}

// Reason is what is wrong with it, in a line: how much, and the first problem.
func (f Refusal) Reason() string {
	if len(f.Problems) == 1 {
		return f.Problems[0].String()
	}
	return fmt.Sprintf("%d problems; the first: %s", len(f.Problems), f.Problems.Sorted()[0])
}

// Outcome is how the run ended, and the exit code that says so. One that looked at nothing found nothing in sync.
func (r Run) Outcome() plan.Outcome {
	switch {
	case r.Refused != nil:
		return plan.Invalid
	case r.Err != nil || r.FetchErr != nil:
		return plan.Broken
	case r.Pass != nil:
		return r.Pass.Outcome()
	}
	return plan.Broken
}

// Listed reports whether the whole cloud could be seen.
func (r Run) Listed() bool { return r.Pass != nil && len(r.Pass.First.Unlisted) == 0 }

// Short is a commit as people write it.
func Short(commit string) string {
	const digits = 10
	if len(commit) > digits {
		return commit[:digits]
	}
	return commit
}
