package comment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// sum returns a plan in one line, with the losses.
func sum(p plan.Plan, in style) string {
	var parts []string
	for _, c := range p.Summary().Counts() {
		switch c.Action {
		case plan.Update:
			c.Text += worstEffectText(p)
		case plan.Recreate, plan.Delete:
			c.Text += lossesText(p, c.Action, in)
		case plan.Keep, plan.Create, plan.Detach, plan.Wait, plan.Refuse:
		}
		parts = append(parts, c.Text)
	}
	return strings.Join(parts, ", ")
}

// shortSummary returns a plan in a short line, without zero counts and without losses.
func shortSummary(p plan.Plan) string {
	var parts []string
	for _, c := range p.Summary().Counts() {
		if c.N > 0 {
			parts = append(parts, c.Text)
		}
	}
	if len(parts) == 0 {
		return "nothing to do"
	}
	return strings.Join(parts, ", ")
}

// lossesText returns the text about the losses from the steps with an action. For each kind, it contains the worst loss.
func lossesText(p plan.Plan, action plan.Action, in style) string {
	var kinds, losses []string
	for _, s := range p.Steps {
		if s.Action == action && len(s.Loss) > 0 && !slices.Contains(kinds, s.Key.Kind) {
			kinds, losses = append(kinds, s.Key.Kind), append(losses, "loses "+in.prose(s.Loss[0]))
		}
	}
	switch {
	case len(kinds) == 0:
		return ""
	case len(kinds) > 1:
		for i, kind := range kinds {
			losses[i] = in.code(kind) + " " + losses[i]
		}
	}
	const most = 3
	if more := len(losses) - most; more > 0 {
		losses = append(losses[:most], report.Plural(more, "kind")+" more")
	}
	return " (" + strings.Join(losses, "; ") + ")"
}

// worstEffectText returns the text about the worst effect of changes in place.
func worstEffectText(p plan.Plan) string {
	worst := kind.InPlace
	for _, s := range p.Steps {
		if s.Action == plan.Update {
			worst = max(worst, s.Disruption())
		}
	}
	switch worst {
	case kind.Reboot:
		return " (with a reboot)"
	case kind.Rebuild:
		return " (wipes the disk)"
	default:
		return ""
	}
}

// listed joins words with commas and "and".
func listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// effectText returns the effect of a step on its object.
func effectText(s plan.Step) string {
	switch s.Action {
	case plan.Create:
		return appendMore("created", s.Drift, changerText(s, "somebody deleted it in the cloud"))
	case plan.Update:
		if s.OnlyNoted() {
			return "adopted; nothing changes"
		}
		return appendMore(changed[s.Disruption()]+lossText(s)+brokenText(s), s.Drift, changerText(s, "somebody changed it in the cloud"))
	case plan.Recreate:
		return "deleted and recreated" + lossText(s)
	case plan.Delete:
		return "deleted" + lossText(s)
	case plan.Detach:
		return "let go"
	case plan.Wait:
		return "waits"
	case plan.Refuse:
		return "not done"
	case plan.Keep:
	}
	return appendMore("not changed", s.Drift, s.DriftText())
}

// changerText returns the text about who changed an object in the cloud. It returns the parameter somebody if the cloud was not asked.
func changerText(s plan.Step, somebody string) string {
	if s.Trace == nil {
		return somebody
	}
	return s.DriftText()
}

var changed = [...]string{
	kind.InPlace: "changed in place",
	kind.Reboot:  "changed with a reboot; its disk and its addresses stay",
	kind.Rebuild: "rebuilt: its disk is wiped, its addresses stay",
	kind.Replace: "changed",
}

// brokenText returns the text about what no longer works after an update.
func brokenText(s plan.Step) (text string) {
	for _, c := range s.Changes {
		if c.Cuts != "" {
			text += "; " + c.Cuts
		}
	}
	return text
}

func lossText(s plan.Step) string {
	if len(s.Loss) == 0 {
		return ""
	}
	return ", loses " + listed(s.Loss)
}

func appendMore(text string, more bool, what string) string {
	if more {
		return text + "; " + what
	}
	return text
}

// reasonText returns the reason of a step, and the objects for which the step waits.
func reasonText(s plan.Step) string {
	var parts []string
	reason := s.Causes.And(s.Turn).String()
	if reason != "" {
		parts = append(parts, reason)
	}
	if len(s.Awaits) > 0 && !s.Action.Writes() && reason == "" {
		parts = append(parts, "for "+s.Awaits[0].String())
	}
	if len(s.Blockers) > 0 && (s.Action.Destroys() || s.Action == plan.Detach) {
		parts = append(parts, report.After(s.Blockers, some))
	}
	return strings.Join(parts, "; ")
}

// effectAndReason returns the effect and the reason of a step.
func effectAndReason(s plan.Step) string {
	if reason := reasonText(s); reason != "" {
		return effectText(s) + ": " + reason
	}
	return effectText(s)
}

// effectLine returns the effect and the reason of a step, formatted. The effect is a text of Stackreeve. The reason may contain untrusted words.
func effectLine(s plan.Step, in style) string {
	if reason := reasonText(s); reason != "" {
		return in.prose(effectText(s)) + ": " + in.quote(reason)
	}
	return in.prose(effectText(s))
}

// titleLine returns the same as effectLine, without the reason if the changes already show it.
func titleLine(s plan.Step, in style) string {
	if s.Action == plan.Recreate && kind.Replace == worst(s.Changes) {
		if !s.Turn.IsZero() {
			return in.prose(effectText(s)) + ": " + in.quote(s.Turn.String())
		}
		return in.prose(effectText(s))
	}
	return effectLine(s, in)
}

func worst(changes []kind.Change) kind.Disruption {
	d := kind.InPlace
	for _, c := range changes {
		d = max(d, c.Disruption)
	}
	return d
}

// maxNames is the maximum number of names in the result of some.
const maxNames = 5

// some returns the first few names, and the number of further names.
func some(names []string) string {
	if len(names) > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	return listed(names)
}

func commit(hash string) string { return code(report.Short(hash)) }
