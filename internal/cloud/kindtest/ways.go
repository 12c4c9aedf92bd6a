package kindtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// start returns the manifests that an edit starts from, with the annotation that chooses its way.
func (s Suite) start(e Edit) string {
	if e.Way == "" {
		return s.all()
	}
	name := "metadata: {name: " + s.Key.Name
	field := strings.TrimPrefix(e.Field, "spec.resource.")
	object := strings.Replace(s.Object, name, name+", annotations: {"+resolve.AnnotationChange+": \""+field+"="+e.Way+"\"}", 1)
	return s.Needs + "\n---\n" + object
}

// inTheWay checks that a plan names the way in which the field is changed.
func (s Suite) inTheWay(t *testing.T, step plan.Step, e Edit) {
	t.Helper()
	for _, c := range step.Changes {
		if c.Field == e.Field && c.Way != e.Way {
			t.Errorf("%s is to be changed by %q, want %q", c.Field, c.Way, e.Way)
		}
	}
}

// sameObject checks that a change in the way of an edit has not replaced the object.
func (s Suite) sameObject(t *testing.T, pass engine.Pass, e Edit) {
	t.Helper()
	before, after := s.step(t, pass.First).ID(), s.step(t, pass.Last).ID()
	if before == "" || after != before {
		t.Errorf("after a change by %s the object is %s, and was %s", e.Way, after, before)
	}
}

// everyWay checks that there is an edit for each way that a field declares.
func (s Suite) everyWay(t *testing.T, edits []Edit, path string, f table.Field) {
	t.Helper()
	for _, way := range f.Ways {
		if !slices.ContainsFunc(edits, func(e Edit) bool { return e.Field == path && e.Way == way.Name }) {
			t.Errorf("no edit changes %s by %s", path, way.Name)
		}
	}
}
