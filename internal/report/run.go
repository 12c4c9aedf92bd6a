// Package report reports the results of a stack's runs. It writes text for people, JSON and YAML for programs, log lines and metrics.
//
// It reads plans, passes and problems. It neither makes them nor makes decisions.
package report

import (
	"fmt"
	"strings"
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
	Revision source.Revision // the revision that the cloud was compared with; zero if there is none
	// FetchErr is the reason why the revision may not be the newest.
	FetchErr error
	// Refused is the newest revision if its manifests have problems. Then Revision is the last accepted revision, if there is one.
	Refused *Refusal
	// Err is the reason why there was no pass.
	Err error
	// Pass is nil if there was no pass.
	Pass *engine.Pass
	// Trace contains the durations of the parts of the run. It is nil if they are not recorded.
	Trace *trace.Trace
}

// Refusal is a revision that is refused. Then no manifest of it is applied.
type Refusal struct {
	Commit   string
	Problems manifest.Problems
	// Unverified is set if the signatures of the revision are not those that the configuration wants. Then nothing of it was read.
	Unverified bool
	// Back is the reason why no earlier commit is used instead, if one was searched for.
	Back string
	// Cautious is set if the earlier commit that is used instead was found in the history. That commit may not be the last applied one.
	Cautious bool
}

// Reason returns one line: the number of problems, and the first problem.
func (f Refusal) Reason() string {
	if len(f.Problems) == 1 {
		return f.Problems[0].String()
	}
	return fmt.Sprintf("%d problems; the first: %s", len(f.Problems), f.Problems.Sorted()[0])
}

// Outcome returns the outcome of the run as an exit code. If there was no pass, it is not "in sync".
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

// Limited reports whether the pass was limited to some objects, so that it says nothing about its commit as a whole.
func (r Run) Limited() bool { return r.Pass != nil && r.Pass.First.Limit != nil }

// Short returns the first digits of a commit, as people write it. Those of an artifact follow the name of its hash.
func Short(commit string) string {
	digits := 10
	if strings.HasPrefix(commit, "sha256:") {
		digits += len("sha256:")
	}
	if len(commit) > digits {
		return commit[:digits]
	}
	return commit
}
