package engine

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// Result is a step that was carried out, or tried.
type Result struct {
	Step    plan.Step
	Err     error
	Started time.Time
	// Took is the time until the step was finished: its object was usable, or gone. For a step that failed or is
	// unfinished, it is the time until the cloud had answered.
	Took time.Duration
	// Unfinished is true if the cloud has accepted the step and the pass has not seen it finished.
	Unfinished bool
}

// Failure says why an object still differs from Git at the end of a pass.
type Failure struct {
	Key    manifest.Key
	Origin manifest.Origin
	Causes cause.List
	// Fault is the reason for the object's condition, if a step of the pass failed; see [status.Fault].
	Fault string
	// Dependents are the objects that depend on Key and had to wait.
	Dependents []manifest.Key
}

// Pass is the record of one run over one revision.
type Pass struct {
	Stack   string
	Commit  string
	Started time.Time
	Took    time.Duration
	// First is the plan that the pass started with; after healing, the held plan that was made again. Last is the plan that it ended with.
	First, Last plan.Plan
	// Preflight is what the last plan needs from the cloud. It is set only if the first plan is also the last, because it is computed only
	// for the first plan.
	Preflight preflight.Findings
	// LateDrift has the steps about drift that was detected after the first plan was made.
	LateDrift []plan.Step
	// Rounds counts how often the cloud was compared with the manifests.
	Rounds   int
	Results  []Result
	Failures []Failure
	// Interrupted is true when the pass was asked to stop.
	Interrupted bool
	// Superseded is the reason why an interrupted pass ended early; "" if the
	// process itself ended.
	Superseded Superseded
	// RollsBack is true when the next pass returns a group to an earlier commit.
	RollsBack bool
	// LeavesUnforeseen is true if the last plan has a deletion or replacement that the first plan did not have. For example, the cloud was still
	// building the object when the pass started. The brake checks only the first plan of a pass, so the next pass decides about such a
	// step.
	LeavesUnforeseen bool
	want             []kind.Desired
}

// Reason returns the causes in words.
func (f Failure) Reason() string { return f.Causes.String() }

// String names the object that failed, and why.
func (f Failure) String() string { return f.Key.String() + ": " + f.Reason() }

// Outcome returns how the pass ended.
func (p Pass) Outcome() plan.Outcome {
	if p.Interrupted || len(p.Failures) > 0 {
		return plan.Broken
	}
	return p.Last.Outcome()
}

// Writes counts the steps that changed the cloud.
func (p Pass) Writes() int {
	n := 0
	for _, r := range p.Results {
		if r.Err == nil {
			n++
		}
	}
	return n
}

// Faults returns why steps of the last plan failed, by the keys of their objects. An interrupted pass has no faults: its steps had too
// little time.
func (p Pass) Faults() map[manifest.Key]status.Fault {
	if p.Interrupted {
		return nil
	}
	faults := map[manifest.Key]status.Fault{}
	for _, f := range p.Failures {
		if f.Fault != "" {
			faults[f.Key] = status.Fault{Text: f.Reason(), Reason: f.Fault}
		}
	}
	return faults
}

// Drifted counts the objects whose difference no commit explains, found in any round of the pass.
func (p Pass) Drifted() int {
	return p.First.Summary().Drifted + len(p.LateDrift)
}

// failuresOf returns the objects that still differ after the last plan because of an error, each with the objects that depend on it. errs
// are the last errors by key.
func failuresOf(last plan.Plan, errs map[manifest.Key]error, now time.Time) []Failure {
	var list []Failure
	at := map[manifest.Key]int{}
	add := func(s plan.Step, fault string, why ...cause.Cause) {
		if _, dup := at[s.Key]; !dup {
			at[s.Key] = len(list)
			list = append(list, Failure{Key: s.Key, Origin: s.Origin, Causes: why, Fault: fault})
		}
	}
	tried := failedSteps(last, errs, now)
	for _, s := range last.Steps {
		if why := tried[s.Key]; why.Text != "" {
			add(s, why.Reason, cause.Of(cause.Tried, why.Text))
		} else if s.Error && s.Action != plan.Keep && !s.Until().After(now) {
			add(s, "", s.Causes.And(s.Turn)...)
		}
	}
	later := map[manifest.Key]bool{} // objects whose steps wait until a known time
	for _, s := range last.Steps {
		later[s.Key] = later[s.Key] || s.Until().After(now)
	}
	for _, s := range last.Steps {
		for _, key := range s.Awaits {
			if later[key] {
				continue
			}
			if i, ok := at[key]; ok {
				list[i].Dependents = append(list[i].Dependents, s.Key)
			} else if !s.Error && errs[s.Key] == nil {
				add(s, "", cause.Of(cause.WaitsFor, key))
			}
		}
		if len(s.Blockers) > 0 && errs[s.Key] == nil && s.Action.Destroys() {
			add(s, "", cause.Of(cause.StillUsed, s.Blockers[0]))
		}
	}
	for _, f := range last.Fallbacks {
		list = append(list, Failure{Key: f.Group, Causes: cause.List{cause.Of(cause.WentBack, f.String())}})
	}
	for _, reason := range last.Unlisted {
		list = append(list, Failure{Key: manifest.Key{Kind: "cloud"}, Causes: cause.List{cause.Of(cause.Unlisted, reason)}})
	}
	return list
}

// failedSteps returns, by key, the faults of the steps that were tried and failed. An object that has become up to date since has not failed.
func failedSteps(last plan.Plan, errs map[manifest.Key]error, now time.Time) map[manifest.Key]status.Fault {
	why := map[manifest.Key]status.Fault{}
	for _, s := range last.Steps {
		done := s.Action == plan.Keep && !s.Settling() && !upkeepDue(s)
		if err := errs[s.Key]; err != nil && !done && !s.Until().After(now) {
			why[s.Key] = status.FaultOf(err)
		}
	}
	return why
}

// upkeepDue reports whether upkeep is due for an object that is up to date.
func upkeepDue(s plan.Step) bool {
	_, due := s.Tending()
	return due
}

// Format implements fmt.Formatter, because a pass holds manifests, which must not be printed.
func (p Pass) Format(s fmt.State, _ rune) {
	fmt.Fprintf(s, "pass of stack %s at %s: %s, %d steps carried out", p.Stack, p.Commit, p.Outcome(), len(p.Results))
}

// LogValue implements slog.LogValuer.
func (p Pass) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(p)) }

// Superseded is the cause with which the context of a pass is cancelled when there is newer work. The text names the newer work, for
// example "commit 1a2b3c4".
type Superseded string

// Error implements error.
func (s Superseded) Error() string { return "superseded by " + string(s) }
