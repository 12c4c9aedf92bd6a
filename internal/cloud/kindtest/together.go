package kindtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// editedTogether carries out the edits in as few passes as possible. Each pass has to end in sync.
func (s Suite) editedTogether(t *testing.T, g *Target, planned func(string) plan.Plan, edits []Edit) {
	t.Helper()
	for len(edits) > 0 {
		var edited Suite
		before := len(edits)
		edited, edits = s.batch(t, g, planned, edits)
		t.Logf("%d edits in one pass", before-len(edits))
		g.MustSync(edited.all())
	}
}

// batch chooses edits that do not touch each other's text or fields. Together they make a valid
// manifest whose plan reports all of them. For example, an edit that replaces the pool by one of
// another protocol cannot be together with one that changes its algorithm. The first edit is always
// chosen. batch also returns the edits that are not chosen.
func (s Suite) batch(t *testing.T, g *Target, planned func(string) plan.Plan, edits []Edit) (edited Suite, rest []Edit) {
	t.Helper()
	var batch []Edit
	edited = s
	for _, e := range edits {
		next := edited
		next.Object = strings.Replace(edited.Object, e.Old, e.New, 1)
		fits := strings.Count(edited.Object, e.Old) == 1 && !slices.ContainsFunc(batch, func(b Edit) bool { return overlap(b, e) })
		if len(batch) > 0 && (!fits || !s.reports(t, g, planned, next.all(), append(slices.Clone(batch), e))) {
			rest = append(rest, e)
			continue
		}
		batch, edited = append(batch, e), next
	}
	return edited, rest
}

// reports returns whether the manifests are valid and their plan reports the change of every edit.
func (s Suite) reports(t *testing.T, g *Target, planned func(string) plan.Plan, manifests string, edits []Edit) bool {
	t.Helper()
	if _, err := g.TryResolve(manifests); err != nil {
		return false
	}
	changes := s.step(t, planned(manifests)).Changes
	return !slices.ContainsFunc(edits, func(e Edit) bool { return !kind.Has(changes, e.Field) })
}

// overlap reports whether one of the edits may hide the other in a plan, or undo it.
func overlap(a, b Edit) bool {
	return strings.HasPrefix(a.Field, b.Field) || strings.HasPrefix(b.Field, a.Field) || strings.Contains(a.New, b.Old) || strings.Contains(b.New, a.Old)
}
