package plan

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// claiming is a kind whose objects that rest on another one ask for a place there: the one that
// their colour names.
type claiming struct{ kind.Kind }

func (claiming) Impossible(kind.Want[any]) string { return "" }

func (c claiming) Alone(w kind.Want[any]) []kind.Claim {
	spec, ok := (*w.Spec).(*thingtest.Spec)
	if !ok || len(spec.On) == 0 {
		return nil
	}
	return []kind.Claim{{Field: "spec.resource.colour", Of: w.Ref("Thing", spec.On[0]), What: spec.Colour}}
}

func TestWhatOnlyOneCanHave(t *testing.T) {
	for name, c := range map[string]struct {
		repo, cloud []string
		token       string // that the object of the cloud called x answers to
		refused     map[string]string
	}{
		"two ask, nothing is there": {
			repo:    []string{"base colour=red", "a atop=base colour=blue", "b atop=base colour=blue", "c atop=base colour=green"},
			refused: map[string]string{"a": "blue of Thing/base is also asked for by Thing/b", "b": "blue of Thing/base is also asked for by Thing/a"}},
		"the one that is there stays": {
			repo:    []string{"base colour=red", "a atop=base colour=blue", "b atop=base colour=blue"},
			cloud:   []string{"base ours colour=red", "a ours colour=blue atop=id-001"},
			refused: map[string]string{"b": "also asked for by Thing/a (things.yaml:"}},
		"somebody has it": {
			repo:    []string{"base colour=red", "a atop=base colour=blue"},
			cloud:   []string{"base ours colour=red", "x nobody colour=blue"},
			token:   "id-001/blue",
			refused: map[string]string{"a": "blue of Thing/base is taken by Thing x (id-002), which stack s did not make; choose another"}},
		"one of the stack's own may make way": {
			repo:  []string{"base colour=red", "a atop=base colour=blue"},
			cloud: []string{"base ours colour=red", "x stale colour=blue"},
			token: "id-001/blue"},
	} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			want, err := w.Wanted(c.repo...)
			if err != nil {
				t.Fatal(err)
			}
			thingtest.Fill(t, w, c.cloud, want)
			in := Input{Stack: "s", Kinds: []kind.Kind{claiming{w.Kind()}}, Want: want, Have: w.Snapshot()}
			items := in.Have["Thing"].Items
			for i := range items {
				if items[i].Name == "x" {
					items[i].Tokens = append(items[i].Tokens, c.token)
				}
			}
			for _, s := range Compute(in).Steps {
				why := c.refused[s.Key.Name]
				if refused := s.Action == Refuse; refused != (why != "") || !strings.Contains(s.Reason, why) {
					t.Errorf("%s: %s %s", s.Key.Name, s.Action, s.Reason)
				}
			}
		})
	}
}
