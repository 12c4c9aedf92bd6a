package status

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// An adoption may only add the mark, and record values that the cloud does not show. Then every part of its status says that nothing
// changes.
func TestAdoptionsFrightenNobody(t *testing.T) {
	unseen := []kind.Change{{Field: "spec.resource.userData", Have: kind.Unknown, Want: "x", Secret: true}, {Field: "spec.resource.schedulerHints", Have: kind.Unknown, Want: "none"}, {Field: kind.MarkField, Have: "", Want: "x"}}
	step := plan.Step{Key: manifest.Key{Kind: "Server", Name: "db"}, Action: plan.Update, Comparison: plan.Comparison{Adopts: true, Changes: unseen}}
	got := Of(plan.Plan{Stack: "prod", Steps: []plan.Step{step}}, nil)[0].Status
	if len(got.Changes) != 1 || got.Message != "to be adopted; nothing changes" || strings.Contains(got.Conditions[1].Message, "userData") {
		t.Errorf("%q: %+v; %+v", got.Message, got.Changes, got.Conditions)
	}
	step.Changes = append(unseen, kind.Change{Field: "spec.resource.name", Have: "a", Want: "b"})
	if got = Of(plan.Plan{Stack: "prod", Steps: []plan.Step{step}}, nil)[0].Status; len(got.Changes) != 2 || !strings.Contains(got.Message, "spec.resource.name") || strings.Contains(got.Message, "userData") {
		t.Errorf("%q: %+v", got.Message, got.Changes)
	}
}
