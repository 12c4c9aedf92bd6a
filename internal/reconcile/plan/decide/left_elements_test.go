package decide

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// leaving makes the comparison of a Thing report an element that is left to others. The element is removed together with the Thing, and
// together with each object whose ID is in with.
func leaving(name, element string, with ...string) func(*world.Input) {
	return func(in *world.Input) {
		k := in.Kinds[0]
		compare := k.Diff
		k.Diff = func(w kind.Want, state any) kind.Changes {
			c := compare(w, state)
			if state.(*thingtest.Thing).Name == name {
				c.AddForeign(element, with...)
			}
			return c
		}
	}
}

// An object is not replaced if that would delete elements that its manifest leaves to other people (ignore-fields). The elements can be in the object itself, or
// in an object that the cloud detaches when this one is deleted.
func TestElementsOfOthersAreKept(t *testing.T) {
	const ignores = " ignore-fields=spec.resource.weight"
	hub, rim := "hub shape=new", "rim beside=hub"
	there := []string{"hub stale shape=old", "rim ours beside=id-001"}
	for name, c := range map[string]struct {
		decision
		want string // the elements because of which the replacement is refused; "" if the hub is replaced
	}{
		"its own": {decision{repo: []string{hub + ignores}, cloud: there[:1], alter: leaving("hub", "rule 1")}, "rule 1"},
		"its own, and its manifest ignores nothing": {decision{repo: []string{hub}, cloud: there[:1], alter: leaving("hub", "rule 1")}, ""},
		"of an object that is detached":             {decision{repo: []string{hub, rim + ignores}, cloud: there, alter: leaving("rim", "entry 2", "id-001")}, "entry 2 of Thing/rim"},
		"of it, which do not go with the hub":       {decision{repo: []string{hub, rim + ignores}, cloud: there, alter: leaving("rim", "entry 2", "id-009")}, ""},
		"of it, whose manifest ignores nothing":     {decision{repo: []string{hub, rim}, cloud: there, alter: leaving("rim", "entry 2", "id-001")}, ""},
		"of an object without a manifest":           {decision{repo: []string{hub}, cloud: []string{there[0], "rim stale beside=id-001"}, alter: leaving("rim", "entry 2", "id-001")}, ""},
		"of an object without a mark":               {decision{repo: []string{hub}, cloud: []string{there[0], "rim nobody beside=id-001"}, alter: leaving("rim", "entry 2", "id-001")}, ""},
		"of an object that is not detached":         {decision{repo: []string{hub, "rim near=hub" + ignores}, cloud: []string{there[0], "rim ours near=id-001"}, alter: leaving("rim", "entry 2", "id-001")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := Compute(c.input(t))
			for _, s := range p.Steps {
				if s.Key.Name != "hub" {
					continue
				}
				refused := s.Action == plan.Refuse
				if refused != (c.want != "") || !strings.Contains(s.FullCause(), c.want) {
					t.Errorf("%s: %s; want refused elements %q", s.Action, s.FullCause(), c.want)
				}
			}
		})
	}
}
