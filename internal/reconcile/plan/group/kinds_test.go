package group_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A cast has the kinds of a story. Things are members of Flocks. They also do the work of Tents, which are the members of Camps. Each Tent
// has a Thing, a peg that the Thing depends on, and optionally a Flag that depends on the Thing. A Fair is a group of Stalls. A Stall has
// no object that does its work. A Gate sends traffic to the Things that it is near, and reports whether they serve.
type cast struct{ things, gates, flags *thingtest.World }

func newCast() cast { return cast{thingtest.New(), thingtest.New(), thingtest.New()} }

func (c cast) kinds() []*kind.Kind {
	gate := thingtest.Typed(kind.Info{Group: "test", Version: "v1", Kind: "Gate", ReportsHealth: true}, c.gates)
	gate.Cures = nil
	gate.Diff = func(w typed.Want[thingtest.Spec], t *thingtest.Thing, changes *kind.Changes) {
		thingtest.Rules{}.Diff(w, t, changes)
		for _, name := range w.Spec.Near {
			ref, drained := w.Ref("Thing", name), false
			if drained = slices.Contains(strings.Fields(t.Says), ref.ID); ref.ID == "" {
				continue
			}
			quiet := ref.Traffic == kind.TrafficEnds || ref.Traffic == kind.TrafficPauses && drained
			kind.Field(changes, "spec.resource.near."+name, !drained, !quiet)
		}
	}
	flag := thingtest.Typed(kind.Info{Group: "test", Version: "v1", Kind: "Flag"}, c.flags)
	flag.Cures = nil
	return []*kind.Kind{c.things.Kind(), gate.Resource(), flag.Resource(), thingtest.Flock(), camp("Camp", "Tent"), tent("Tent", "Thing"), camp("Fair", "Stall"), tent("Stall")}
}

type campSpec struct {
	Count int      `json:"count"`
	Surge int      `json:"surge"`
	Tent  tentSpec `json:"tent"`
}

type tentSpec struct {
	Shape string `json:"shape"`
	Peg   string `json:"peg"`  // the shape of its peg
	Flag  bool   `json:"flag"` // whether the Tent has a Flag
}

func camp(name, members string) *kind.Kind {
	return typed.Workload[campSpec]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: name}, Group: kind.Group{Members: members}, Validate: func(*campSpec, *kind.Report) {},
		Expand: func(s *campSpec, e *kind.Expansion) {
			body := map[string]any{"spec": s.Tent}
			e.Varied(members, s.Surge, func(i int) string { return kind.SpareName(e.Key.Name, i) }, []any{body}, func(int) int { return 0 }, kind.Spare)
			e.SetRollout(rollout.Strategy{MaxSurge: &rollout.Amount{Count: s.Surge}}, nil)
			for i := range s.Count {
				e.Child(members, fmt.Sprintf("%s-%d", e.Key.Name, i), body)
			}
		},
	}.Kind()
}

func tent(name string, parts ...string) *kind.Kind {
	return typed.Workload[tentSpec]{
		Info: kind.Info{Group: "test", Version: "v1", Kind: name, Parts: parts}, Validate: func(*tentSpec, *kind.Report) {},
		Expand: func(s *tentSpec, e *kind.Expansion) {
			thing := func(spec thingtest.Spec) map[string]any {
				return map[string]any{"spec": map[string]any{"resource": spec}}
			}
			e.Child("Thing", e.Key.Name+"-peg", thing(thingtest.Spec{Shape: s.Peg}))
			e.Child("Thing", e.Key.Name, thing(thingtest.Spec{Shape: s.Shape, On: []string{e.Key.Name + "-peg"}}))
			if s.Flag {
				e.Child("Flag", e.Key.Name+"-flag", thing(thingtest.Spec{On: []string{e.Key.Name}}))
			}
		},
	}.Kind()
}

// document converts a line of the section repo of a file in testdata/stories to a manifest.
func document(line string) string {
	words := strings.Fields(line)
	switch {
	case words[0] == "camp" || words[0] == "fair":
		var spec, tent []string
		for _, word := range words[2:] {
			if field, value, _ := strings.Cut(word, "="); field == "shape" || field == "peg" || field == "flag" {
				tent = append(tent, field+": "+value)
			} else {
				spec = append(spec, field+": "+value)
			}
		}
		spec = append(spec, "tent: {"+strings.Join(tent, ", ")+"}")
		return fmt.Sprintf("apiVersion: test/v1\nkind: %s\nmetadata: {name: %s}\nspec: {%s}", map[string]string{"camp": "Camp", "fair": "Fair"}[words[0]], words[1], strings.Join(spec, ", "))
	case strings.HasPrefix(line, "gate"):
		return strings.Replace(thingtest.Manifest(line), "kind: Thing", "kind: Gate", 1)
	}
	return thingtest.Manifest(line)
}

// wanted returns the desired objects of a story's repository.
func (c cast) wanted(t *testing.T, lines []string) []kind.Desired {
	t.Helper()
	var text strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&text, "---\n%s\n", document(line))
	}
	want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(text.String())}}, c.kinds())
	if err != nil {
		t.Fatal(err)
	}
	return want
}
