package branch

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
)

// verdict returns the meaning of a run for a commit. ok is false if the run says nothing about the commit: a limited run says nothing. synced means
// that the revision was in sync before.
func verdict(run report.Run, synced bool) (commit string, means memory.Status, ok bool) {
	commit = run.Revision.Commit
	switch {
	case run.Refused != nil:
		commit, means = run.Refused.Commit, memory.Status{Is: memory.Failed, Why: run.Refused.Reason()}
	case run.Err != nil:
		return commit, memory.Status{Why: review.WithoutVaryingParts(run.Err.Error())}, commit != "" && !synced
	case run.Limited():
		return commit, means, false
	case run.Pass != nil && run.Pass.Superseded != "" && !synced:
		means.Why = run.Pass.Superseded.Error() + " before the commit was applied completely"
	case run.Pass == nil || run.Pass.Interrupted:
		return commit, means, false
	default:
		means = statusOf(*run.Pass)
		// If drift is the only difference, only the drift status reports it.
		if last := run.Pass.Last; means.Is != memory.InSync && synced && last.Suspended == "" && (onlyDrift(last) || len(last.Unlisted) > 0) {
			return commit, means, false
		}
	}
	return commit, means, commit != ""
}

// statusOf returns the meaning of a pass for its commit. If drift is only reported, the commit still counts as applied.
func statusOf(p engine.Pass) memory.Status {
	switch last := p.Last; {
	case last.Suspended != "" && len(last.Unlisted) == 0 && !last.InSync():
		return memory.Status{Is: memory.Suspended, Objects: last.Differing(), Why: last.Suspended}
	case p.First.Held != nil:
		return memory.Status{Is: memory.Held, Hash: p.First.Hash(), Why: p.First.Held.String()}
	case len(last.Unlisted) > 0:
		return unknownStatus(last.Unlisted[0])
	case len(p.Failures) > 0:
		f := p.Failures[0]
		return memory.Status{Is: memory.Failed, Why: fmt.Sprintf("%d failed; the first: %s: %s", len(p.Failures), f.Key, review.WithoutVaryingParts(f.Reason()))}
	case p.Outcome() == plan.InSync, onlyDrift(last):
		return memory.Status{Is: memory.InSync, Objects: last.Owned, Paused: last.Suspended != ""}
	default:
		return memory.Status{Is: memory.Failed, Why: last.Summary().String()}
	}
}

// unknownStatus returns the status for a cloud that could not be read.
func unknownStatus(why string) memory.Status {
	return memory.Status{Is: memory.Unknown, Why: "unknown: " + review.WithoutVaryingParts(why)}
}

// onlyDrift reports whether somebody made all differences in the cloud. If every change must wait for an approval, the plan is held, but
// the differences can still be only drift.
func onlyDrift(p plan.Plan) bool {
	if p.Held != nil && p.Manual == "" || len(p.Unlisted) > 0 {
		return false
	}
	for _, step := range p.Steps {
		if step.Action.Writes() && !step.Drift || step.Action == plan.Refuse && !step.Drift || step.Error {
			return false
		}
	}
	return true
}
