package pulls

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// verdict is the status of a commit after a look; ok is false when the look
// says nothing about it.
func (s *Stack) verdict(run report.Run) (commit string, status forge.Status, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	commit = run.Revision.Commit
	t := &s.truth
	switch {
	case run.Refused != nil:
		commit, status.State = run.Refused.Commit, forge.Failure
		status.Description = run.Refused.Reason()
	case run.Err != nil:
		status.State, status.Description = forge.Error, steady(run.Err.Error())
		ok = commit != "" && commit != t.synced
		return commit, status, ok
	case run.Pass != nil && run.Pass.Superseded != "" && commit != t.synced:
		status.State, status.Description = forge.Error, run.Pass.Superseded.Error()+" before it was applied in full"
	case run.Pass == nil || run.Pass.Interrupted:
		return commit, status, false
	default:
		status = ended(*run.Pass)
		if status.State == forge.Success {
			s.supersede(cmp.Or(t.synced, run.Revision.Parent), commit)
			t.synced = commit
		} else if last := run.Pass.Last; commit == t.synced && last.Suspended == "" && (onlyDrift(last) || len(last.Unlisted) > 0) {
			return commit, status, false // the drift status says so
		}
	}
	return commit, status, commit != ""
}

// requestID is what OpenStack names a request by.
var requestID = regexp.MustCompile(`req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// steady is an error without what is another one each time: a status is written
// when it is news.
func steady(text string) string { return requestID.ReplaceAllString(text, "req-…") }

// heldWord begins the description of a commit that waits for an approval.
const heldWord = "held: "

// suspendedWord begins that of a commit that differs from the cloud of a suspended
// stack.
const suspendedWord = "suspended ("

// ended is what a pass makes of its commit. Drift that is only reported takes
// nothing from a commit that was applied.
func ended(p engine.Pass) forge.Status {
	switch last := p.Last; {
	case last.Suspended != "" && len(last.Unlisted) == 0 && !last.InSync():
		return forge.Status{State: forge.Failure, Description: fmt.Sprintf("%s%d differ): %s", suspendedWord, last.Differing(), last.Suspended)}
	case p.First.Held != "":
		return forge.Status{State: forge.Failure, Description: fmt.Sprintf("%sapprove %s; %s", heldWord, p.First.Hash(), p.First.Held)}
	case len(last.Unlisted) > 0:
		return forge.Status{State: forge.Error, Description: "cannot be told: " + steady(last.Unlisted[0])}
	case len(p.Failures) > 0:
		f := p.Failures[0]
		return forge.Status{State: forge.Failure, Description: fmt.Sprintf("%d failed; the first: %s: %s", len(p.Failures), f.Key, steady(f.Reason))}
	case p.Outcome() == plan.InSync, onlyDrift(last):
		text := inSync + report.Plural(last.Owned, "object")
		if last.Suspended != "" {
			text += "; suspended"
		}
		return forge.Status{State: forge.Success, Description: text}
	default:
		return forge.Status{State: forge.Failure, Description: last.Summary().String()}
	}
}

// onlyDrift tells whether all that differs is what somebody changed in the
// cloud. Where every change waits for an approval drift is reported in this way, too.
func onlyDrift(p plan.Plan) bool {
	if p.Held != "" && p.Manual == "" || len(p.Unlisted) > 0 {
		return false
	}
	for _, step := range p.Steps {
		if step.Action.Writes() && !step.Drift || step.Action == plan.Refuse && !step.Drift || step.Error {
			return false
		}
	}
	return true
}
