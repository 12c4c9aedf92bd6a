package readapi

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

var (
	// stackGVK is the kind of the object that shows the state of a stack.
	stackGVK     = manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Stack"}
	namespaceGVK = manifest.GroupVersionKind{Version: "v1", Kind: "Namespace"}
)

const (
	stackLabel = "stackreeve.dev/stack"
	inSync     = report.StateInSync
)

// namespace returns the Namespace object of a stack.
func namespace(stack string) draft {
	return draft{
		item:  item{gvk: namespaceGVK, name: stack, labels: map[string]string{stackLabel: stack}, cells: clean(stack)},
		whole: map[string]any{"status": map[string]any{"phase": "Active"}},
	}
}

// stack returns the object that shows the state of a stack after its last run.
func stack(name string, run *report.Run, last *found) draft {
	state, message, commit, lastRun := "unknown", "no pass has ended yet", "", ""
	if run != nil {
		now := report.StateAfter(run)
		state, message = now.State, now.Message
		commit, lastRun = run.Revision.Commit, stamp(run.Started)
	}
	conditions := available(run != nil, state, message, reasonOf(state, last))
	shown := map[string]any{"state": state, "message": message, "conditions": conditions}
	if run != nil {
		shown["commit"], shown["lastRun"] = commit, lastRun
		if signed := run.Revision.Signed.String(); signed != "" {
			shown["signed"] = signed
		}
		if run.Refused != nil {
			shown["refused"], shown["problems"] = run.Refused.Commit, firstOf(run.Refused.Problems)
		}
	}
	if last != nil {
		shown["summary"], shown["owned"], shown["objects"] = last.summary, last.owned, last.objects
		shown["sync"], shown["health"] = last.sync, last.health
		if len(last.rollouts) > 0 {
			shown["rollouts"] = last.rollouts
		}
		for name, text := range map[string]string{"branch": last.branch, "subject": last.subject, "author": last.author} {
			if text != "" {
				shown[name] = text
			}
		}
		if last.hash != "" {
			shown["hash"] = last.hash
		}
	}
	return draft{
		item: item{
			gvk: stackGVK, name: name, namespace: name, labels: map[string]string{stackLabel: name}, fields: map[string]string{"status.state": state},
			cells: clean(name, state, report.Short(commit), lastRun, message),
		},
		whole: map[string]any{"status": shown}, conditions: conditions,
	}
}

// reasonOf returns the reason for a state, in the form that conditions require.
func reasonOf(state string, last *found) string {
	switch state {
	case inSync:
		return status.ReasonSuccess
	case report.StateHeld:
		return status.ReasonHeld
	case report.StateSuspended:
		return status.ReasonSuspended
	case report.StateDrifted:
		return status.ReasonDrifted
	case report.StateRefused:
		return status.ReasonInvalid
	case report.StateFailed:
		return status.ReasonFailed
	case report.StateDiffers:
		if last != nil && last.summary.Refuse > 0 {
			return status.ReasonRefused
		}
	}
	return status.ReasonProgressing
}

func available(known bool, state, message, reason string) []status.Condition {
	can := "False"
	switch {
	case !known:
		can = "Unknown"
	case state == inSync:
		can, message = "True", "the cloud matches the commit"
	}
	is := status.Condition{Type: "Available", Status: can, Reason: reason, Message: message}
	ready := is
	ready.Type = "Ready"
	return []status.Condition{is, ready}
}

// found contains the data from the last plan of a stack.
type found struct {
	summary  plan.Summary
	owned    int
	hash     string // the hash of a held plan
	rollouts []string
	// objects is the number of objects. sync and health contain the number of objects in each state. They are equal to the numbers in [Index].
	objects      int
	sync, health map[string]int

	branch, subject, author string // attributes of the commit; redacted

	commit string
	files  map[string]bool // the files that contain objects
	redact func(string) string
}

func foundBy(p *plan.Plan, rev source.Revision, objects []draft) *found {
	f := &found{summary: p.Summary(), owned: p.Owned, rollouts: texts(p.Rollouts()), branch: rev.Branch, subject: p.Secrets.Text(rev.Subject), author: p.Secrets.Text(rev.Author),
		objects: len(objects), sync: map[string]int{}, health: map[string]int{}, commit: rev.Commit, files: map[string]bool{}, redact: p.Secrets.Text}
	for _, o := range objects {
		if at := strings.LastIndexByte(o.written, ':'); at > 0 {
			f.files[o.written[:at]] = true
		}
		f.sync[o.entry.Sync]++
		f.health[cmp.Or(o.entry.Health, string(status.HealthGood))]++
	}
	if p.Held != nil {
		f.hash = p.Hash()
	}
	return f
}

// maxProblems is the maximum number of problems of a refused revision that are shown.
const maxProblems = 20

func firstOf(problems manifest.Problems) (list []string) {
	for _, p := range problems.Sorted() {
		if len(list) == maxProblems {
			return append(list, "and "+strconv.Itoa(len(problems)-maxProblems)+" more")
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
