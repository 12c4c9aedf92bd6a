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

// longestPlan is the maximum length of the text of a plan, in bytes.
const longestPlan = 32 << 10

// planItem returns the item with the text of the plan that a pass has not carried out, and the requirements of the plan for the cloud.
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

// firstLines returns the first lines of a text that fit into most bytes. whole is true if the whole text fits.
func firstLines(text string, most int) (shown string, whole bool) {
	if len(text) <= most {
		return text, true
	}
	end := strings.LastIndexByte(text[:most], '\n') + 1
	return text[:end], false
}
