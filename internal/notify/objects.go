package notify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// maxObjects is the maximum number of objects in a message.
const maxObjects = 3

// about adds to a notification of drift the names of the first few objects, and who changed them.
func (n *Notification) about(run report.Run) {
	if run.Pass == nil {
		return
	}
	var steps []plan.Step
	switch n.State {
	case report.StateDrifted:
		steps = run.Pass.Last.Drifting()
	case healed:
		steps = slices.Concat(run.Pass.First.Drifting(), run.Pass.LateDrift)
	case report.StateFailed:
		for _, f := range run.Pass.Failures {
			n.Objects = append(n.Objects, f.Key.String())
		}
		return
	default:
		return
	}
	lines := []string{n.Message}
	for i, s := range steps {
		n.Objects = append(n.Objects, s.Key.String())
		if i < maxObjects {
			lines = append(lines, report.Clean(s.Key.String()+": "+report.Drifted(s)))
		}
	}
	if more := len(steps) - maxObjects; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	n.Message = strings.Join(lines, "\n")
}

// kindsOf returns the kinds of the objects that failed or drifted in a run.
func kindsOf(run report.Run) (kinds []string) {
	if run.Pass == nil {
		return nil
	}
	for _, f := range run.Pass.Failures {
		kinds = append(kinds, f.Key.Kind)
	}
	for _, e := range report.Events(run) {
		if e.Warning {
			kinds = append(kinds, e.Key.Kind)
		}
	}
	slices.SortFunc(kinds, strings.Compare)
	return slices.Compact(kinds)
}
