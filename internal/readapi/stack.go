package readapi

import (
	"strconv"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

var (
	// stackGVK is that of the object that says how a stack is.
	stackGVK     = manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Stack"}
	namespaceGVK = manifest.GroupVersionKind{Version: "v1", Kind: "Namespace"}
)

const (
	stackLabel = "stackreeve.dev/stack"
	inSync     = report.StateInSync
)

// namespace is the stack as the place of its objects.
func namespace(stack string) draft {
	return draft{
		item:  item{gvk: namespaceGVK, name: stack, labels: map[string]string{stackLabel: stack}, cells: clean(stack)},
		whole: map[string]any{"status": map[string]any{"phase": "Active"}},
	}
}

// stack is the object that says how a stack is, after its last run.
func stack(name string, run *report.Run, last *found) draft {
	state, message, commit, lastRun := "unknown", "no pass has ended yet", "", ""
	if run != nil {
		now := report.StateAfter(run)
		state, message = now.State, now.Message
		commit, lastRun = run.Revision.Commit, stamp(run.Started)
	}
	conditions := available(run != nil, state, message)
	status := map[string]any{"state": state, "message": message, "conditions": conditions}
	if run != nil {
		status["commit"], status["lastRun"] = commit, lastRun
		if run.Refused != nil {
			status["refused"], status["problems"] = run.Refused.Commit, firstOf(run.Refused.Problems)
		}
	}
	if last != nil {
		status["summary"], status["owned"] = last.summary, last.owned
		if len(last.rollouts) > 0 {
			status["rollouts"] = last.rollouts
		}
		for name, text := range map[string]string{"branch": last.branch, "subject": last.subject} {
			if text != "" {
				status[name] = text
			}
		}
		if last.hash != "" {
			status["hash"] = last.hash
		}
	}
	return draft{
		item: item{
			gvk: stackGVK, name: name, namespace: name, labels: map[string]string{stackLabel: name}, fields: map[string]string{"status.state": state},
			cells: clean(name, state, report.Short(commit), lastRun, message),
		},
		whole: map[string]any{"status": status}, conditions: conditions,
	}
}

func available(known bool, state, message string) []plan.Condition {
	status, reason := "False", "Progressing"
	switch {
	case !known:
		status = "Unknown"
	case state == inSync:
		status, reason, message = "True", "Success", "the cloud is as the commit says"
	}
	return []plan.Condition{{Type: "Available", Status: status, Reason: reason, Message: message}}
}

// found is what is kept of the last plan of a stack.
type found struct {
	summary  plan.Summary
	owned    int
	hash     string // of a plan that is held
	rollouts []string

	branch, subject string // of the commit; redacted
}

func foundBy(p *plan.Plan, rev source.Revision) *found {
	f := &found{summary: p.Summary(), owned: p.Owned, rollouts: texts(p.Rollouts()), branch: p.Redact(rev.Branch), subject: p.Redact(rev.Subject)}
	if p.Held != "" {
		f.hash = p.Hash()
	}
	return f
}

// mostProblems are shown of a revision that is refused.
const mostProblems = 20

func firstOf(problems manifest.Problems) (list []string) {
	for _, p := range problems.Sorted() {
		if len(list) == mostProblems {
			return append(list, "and "+strconv.Itoa(len(problems)-mostProblems)+" more")
		}
		list = append(list, report.Clean(p.String()))
	}
	return list
}

func texts(rollouts []plan.Rollout) (list []string) {
	for _, r := range rollouts {
		list = append(list, report.Clean(r.String()))
	}
	return list
}
