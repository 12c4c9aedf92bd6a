package readapi

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

var planGVK = manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Plan"}

// longestPlan is how much of a plan is shown, in bytes.
const longestPlan = 32 << 10

// planItem is the item that shows in words what a pass has left to do, and what it needs from the cloud.
func planItem(p *plan.Plan, needs preflight.Findings, rev source.Revision) draft {
	rev.Subject = p.Secrets.Text(rev.Subject)
	var text strings.Builder
	report.Text{W: &text, Approve: "stackreeve approve " + p.Stack}.Plan(*p, needs, rev)
	shown, whole := firstLines(text.String(), longestPlan)
	summary := p.Summary()
	status := map[string]any{"commit": rev.Commit, "text": shown, "whole": whole, "summary": summary, "inSync": p.InSync(), "outline": report.OutlineOf(*p, needs, longestPlan)}
	state := "differs"
	switch {
	case p.Held != nil:
		state, status["held"] = "held", p.Held.String()
	case p.Suspended != "":
		state, status["suspended"] = "suspended", p.Suspended
	case p.InSync():
		state = inSync
	}
	hash := ""
	if !p.InSync() {
		hash = p.Hash()
		status["hash"] = hash
	}
	return draft{
		item: item{
			gvk: planGVK, name: p.Stack, namespace: p.Stack, labels: map[string]string{stackLabel: p.Stack}, fields: map[string]string{"status.state": state},
			cells: clean(p.Stack, state, hash, summary.String()),
		},
		whole: map[string]any{"status": status},
	}
}

// firstLines returns as many whole lines of a text as fit. whole is true when all of them do.
func firstLines(text string, most int) (shown string, whole bool) {
	if len(text) <= most {
		return text, true
	}
	end := strings.LastIndexByte(text[:most], '\n') + 1
	return text[:end], false
}
