// Package report reports the results of a stack's runs: as text for people, as JSON and YAML for programs, as log lines and as metrics.
//
// It knows plans, passes and problems, and not how they are made. It makes no decisions.
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

// Run is the record of one run of a stack: the fetched revision, and the results. Sinks receive it.
type Run struct {
	Stack    string
	Started  time.Time
	Took     time.Duration
	Revision source.Revision // that the cloud was compared with; zero for none
	// FetchErr is the reason why the revision may not be the newest.
	FetchErr error
	// Refused is the newest revision when its manifests are wrong. Then Revision is the last accepted one, if there is one.
	Refused *Refusal
	// Err is the reason why there was no pass.
	Err error
	// Pass is nil when there was no pass.
	Pass *engine.Pass
	// Trace is how long the parts of the run took; nil when that is not recorded.
	Trace *trace.Trace
}

// Refusal is a revision that is refused: nothing of it is applied.
type Refusal struct {
	Commit   string
	Problems manifest.Problems
	// Back is the reason why no earlier commit is kept instead, if one was searched for.
	Back string
	// Cautious is set when an earlier commit is kept that was found in the history, and that may not be the last applied one.
	Cautious bool
}

// Reason is one line: the number of problems, and the first of them.
func (f Refusal) Reason() string {
	if len(f.Problems) == 1 {
		return f.Problems[0].String()
	}
	return fmt.Sprintf("%d problems; the first: %s", len(f.Problems), f.Problems.Sorted()[0])
}

// Outcome is how the run ended, as an exit code. A run without a pass has found nothing in sync.
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

// Listed reports whether the whole cloud could be read.
func (r Run) Listed() bool { return r.Pass != nil && len(r.Pass.First.Unlisted) == 0 }

// Short is a commit as people write it.
func Short(commit string) string {
	const digits = 10
	if len(commit) > digits {
		return commit[:digits]
	}
	return commit
}
