package engine

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// An object that still differs after a pass has a cause with a code: its step failed, the plan has a reason, or it waits for another
// object.
func TestFailuresHaveCauses(t *testing.T) {
	key := func(name string) manifest.Key { return manifest.Key{Kind: "Thing", Name: name} }
	last := plan.Plan{
		Steps: []plan.Step{
			{Key: key("tried"), Action: plan.Create},
			{Key: key("said"), Action: plan.Refuse, Error: true, Causes: cause.List{cause.Of(cause.NotThere)}, Order: plan.Order{Turn: cause.Of(cause.Gone)}},
			{Key: key("waits"), Action: plan.Create, Order: plan.Order{Awaits: []manifest.Key{key("absent")}}},
			{Key: key("depends"), Action: plan.Create, Order: plan.Order{Awaits: []manifest.Key{key("tried")}}},
			{Key: key("wrong"), Action: plan.Keep, Error: true, Order: plan.Order{Awaits: []manifest.Key{key("absent")}}},
			{Key: key("used"), Action: plan.Delete, Order: plan.Order{Blockers: []string{"Thing/user"}}},
			{Key: key("kept"), Action: plan.Keep},
		},
		Lists: plan.Lists{Unlisted: []string{"503"}},
	}
	type failure struct {
		name, fault string
		codes       []cause.Code
	}
	want := []failure{
		{"tried", status.ReasonForbidden, []cause.Code{cause.Tried}}, {"said", "", []cause.Code{cause.NotThere, cause.Gone}},
		{"waits", "", []cause.Code{cause.WaitsFor}}, {"used", "", []cause.Code{cause.StillUsed}}, {"", "", []cause.Code{cause.Unlisted}},
	}
	got := failuresOf(last, map[manifest.Key]error{key("tried"): kind.ErrForbidden, key("kept"): errors.New("before")}, time.Now())
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i, f := range got {
		var codes []cause.Code
		for _, c := range f.Causes {
			codes = append(codes, c.Code)
		}
		if w := want[i]; f.Key.Name != w.name || f.Fault != w.fault || !slices.Equal(codes, w.codes) {
			t.Errorf("%s: %s, fault %q, want %+v", f, codes, f.Fault, w)
		}
	}
	if !slices.Equal(got[0].Dependents, []manifest.Key{key("depends")}) {
		t.Errorf("%v wait for it", got[0].Dependents)
	}
}
