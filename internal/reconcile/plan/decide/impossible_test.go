package decide

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// claiming makes each object of a kind claim its colour as an exclusive value of the object that it depends on.
func claiming(k *kind.Kind) *kind.Kind {
	k.ExclusiveClaims = func(w kind.Want) []kind.Claim {
		spec, ok := w.Spec.(*thingtest.Spec)
		if !ok || len(spec.On) == 0 {
			return nil
		}
		return []kind.Claim{{Field: "spec.resource.colour", Owner: w.Ref("Thing", spec.On[0]), Value: spec.Colour, HolderKind: "Thing", Range: strings.Contains(spec.Colour, "/")}}
	}
	return k
}

// asking is a test case about exclusive claims. token is added to the Tokens of the cloud's object x, if there is one.
// alter changes the input.
type asking struct {
	repo, cloud []string
	token       string
	alter       func(*world.Input)
	refused     map[string]string // by object: the code of a cause, and the object that the cause names
	kept        []string          // the objects without a manifest that are kept
}

const baseHere = "base ours colour=red"

func (c asking) run(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted(c.repo...)
	if err != nil {
		t.Fatal(err)
	}
	thingtest.Fill(t, w, c.cloud, want)
	in := world.Input{Stack: "s", Kinds: []*kind.Kind{claiming(w.Kind())}, Want: want, Have: w.Snapshot(), Rules: world.Rules{Replace: true}}
	items := in.Have["Thing"].Items
	for i := range items {
		if items[i].Name == "x" {
			items[i].Tokens = append(items[i].Tokens, c.token)
		}
	}
	if c.alter != nil {
		c.alter(&in)
	}
	for _, s := range Compute(in).Steps {
		why := c.refused[s.Key.Name]
		code, about, _ := strings.Cut(why, " ")
		if refused := s.Action == plan.Refuse; refused != (why != "") || refused && (!s.Causes.Has(cause.Code(code)) || !slices.ContainsFunc(argsOf(s.Causes), func(arg any) bool { return fmt.Sprint(arg) == about })) {
			t.Errorf("%s: %s %s", s.Key.Name, s.Action, s.FullCause())
		}
		if kept := s.Action == plan.Keep && s.Want == nil; kept != slices.Contains(c.kept, s.Key.Name) {
			t.Errorf("%s: %s %s", s.Key.Name, s.Action, s.FullCause())
		}
	}
}

// argsOf returns the arguments of causes, and the arguments of causes inside them.
func argsOf(list cause.List) (args []any) {
	for _, c := range list {
		for _, arg := range c.Args {
			switch arg := arg.(type) {
			case cause.Cause:
				args = append(args, argsOf(cause.List{arg})...)
			case cause.List:
				args = append(args, argsOf(arg)...)
			default:
				args = append(args, arg)
			}
		}
	}
	return args
}

func TestWhatOnlyOneCanHave(t *testing.T) {
	taken := map[string]string{"a": "claim-taken Thing x (id-002)"}
	for name, c := range map[string]asking{
		"two ask, nothing is there": {
			repo:    []string{"base colour=red", "a atop=base colour=blue", "b atop=base colour=blue", "c atop=base colour=green"},
			refused: map[string]string{"a": "rival-asks Thing/b", "b": "rival-asks Thing/a"}},
		"two ask, one by an import of the same": {
			repo:    []string{"base colour=red", "alias import=base", "a atop=base colour=blue", "b atop=alias colour=blue"},
			cloud:   []string{baseHere},
			refused: map[string]string{"a": "rival-asks Thing/b", "b": "rival-asks Thing/a"}},
		"the one that is there stays": {
			repo:    []string{"base colour=red", "a atop=base colour=blue", "b atop=base colour=blue"},
			cloud:   []string{baseHere, "a ours colour=blue atop=id-001"},
			refused: map[string]string{"b": "rival-asks Thing/a"}},
		"somebody has it": {
			repo:  []string{"base colour=red", "a atop=base colour=blue"},
			cloud: []string{baseHere, "x nobody colour=blue"}, token: "id-001/blue", refused: taken},
		"another stack has it": {
			repo:  []string{"base colour=red", "a atop=base colour=blue"},
			cloud: []string{baseHere, "x other colour=blue"}, token: "id-001/blue", refused: taken},
		"what is replaced cannot have it either": {
			repo:  []string{"base colour=red", "a atop=base colour=blue shape=new"},
			cloud: []string{baseHere, "x nobody", "a ours colour=blue shape=old atop=id-001"}, token: "id-001/blue", refused: taken},
	} {
		t.Run(name, c.run)
	}
}

// madeFor adds to the input an object that the cloud has created for the object with that ID. It has the token of the
// value blue.
func madeFor(id string) func(*world.Input) {
	return func(in *world.Input) {
		c := in.Have["Thing"]
		c.Items = append(c.Items, &kind.Live{ID: "shade", ServesID: id, Phase: kind.Ready, Tokens: []string{"id-001/blue"}})
		in.Have["Thing"] = c
	}
}

// A claim is not refused if no other object has the value, or if it is unknown which one has it.
func TestNobodyElseHasIt(t *testing.T) {
	blue := []string{"base colour=red", "a atop=base colour=blue"}
	for name, c := range map[string]asking{
		"one of the stack's own may make way": {repo: blue, cloud: []string{baseHere, "x stale colour=blue"}, token: "id-001/blue"},
		"a half-made one of the stack's own":  {repo: blue, cloud: []string{baseHere, "x half colour=blue"}, token: "id-001/blue"},
		"it is on its way out":                {repo: blue, cloud: []string{baseHere, "x nobody leaving=1"}, token: "id-001/blue"},
		"the same of something else":          {repo: blue, cloud: []string{baseHere, "x nobody"}, token: "id-009/blue"},
		"what it is of is yet to be made":     {repo: blue, cloud: []string{"x nobody"}, token: "/blue"},
		"what it is of is replaced":           {repo: []string{"base shape=new", "a atop=base colour=blue"}, cloud: []string{"base ours shape=old", "x nobody"}, token: "id-001/blue"},
		"the object itself, before it is replaced": {
			repo: []string{"base colour=red", "x atop=base colour=blue shape=new"}, cloud: []string{baseHere, "x ours shape=old atop=id-001"}, token: "id-001/blue"},
		"the object itself, that has lost its mark": {
			repo: []string{"base colour=red", "x atop=base colour=blue shape=new"}, cloud: []string{baseHere, "x nobody shape=old atop=id-001"}, token: "id-001/blue",
			alter: func(in *world.Input) { in.KnownIDs = map[string]string{"Thing/x": "id-002"} }},
		"the object itself, under its name of before": {
			repo: []string{"base colour=red", "a moved-from=Thing/x atop=base colour=blue shape=new"}, cloud: []string{baseHere, "x stale shape=old atop=id-001"}, token: "id-001/blue"},
		"what goes with the object itself": {
			repo: []string{"base colour=red", "a atop=base colour=blue shape=new"}, cloud: []string{baseHere, "a ours shape=old atop=id-001"}, alter: madeFor("id-002")},
		"what went with an object that is gone": {repo: blue, cloud: []string{baseHere}, alter: madeFor("gone")},
		"what goes with one of the stack's own": {repo: blue, cloud: []string{baseHere, "x stale"}, alter: madeFor("id-002")},
		"a stranger is plugged into one of the stack's own": {
			repo: blue, cloud: []string{baseHere, "x stale"}, token: "id-001/blue", alter: madeFor("")},
		"the other is suspended and not there": {repo: append([]string{"b suspend=true atop=base colour=blue"}, blue...), cloud: []string{baseHere}},
		"it shows as another kind": {repo: blue, cloud: []string{baseHere}, alter: func(in *world.Input) {
			in.Have["Shade"] = kind.Collection{Items: []*kind.Live{{ID: "shade", Phase: kind.Ready, Tokens: []string{"id-001/blue"}}}}
		}},
	} {
		t.Run(name, c.run)
	}
}

// Only one object can have a range. An object of the stack that has a part of the range is kept if the new object
// cannot be created.
func TestARangeOnlyOneCanHave(t *testing.T) {
	base, a := "base colour=red", "a atop=base colour=10.0.0.0/24"
	for name, c := range map[string]asking{
		"two ask for a part of one": {
			repo:    []string{base, a, "b atop=base colour=10.0.0.128/25", "c atop=base colour=10.0.1.0/24"},
			refused: map[string]string{"a": "rival-overlaps Thing/b", "b": "rival-overlaps Thing/a"}},
		"of two things": {repo: []string{base, "also colour=red", a, "b atop=also colour=10.0.0.0/24"}},
		"somebody has it": {
			repo: []string{base, a}, cloud: []string{baseHere, "x nobody"}, token: "id-001/10.0.0.0/16", refused: map[string]string{"a": "claim-overlaps Thing x (id-002)"}},
		"it is on its way out": {repo: []string{base, a}, cloud: []string{baseHere, "x nobody leaving=1"}, token: "id-001/10.0.0.0/16"},
		"of something else":    {repo: []string{base, a}, cloud: []string{baseHere, "x nobody"}, token: "id-009/10.0.0.0/16"},
		"what its manifest still says elsewhere": {
			repo: []string{base, a, "x colour=red"}, cloud: []string{baseHere, "x ours colour=red"}, token: "id-001/10.0.0.0/16", refused: map[string]string{"a": "addresses-of-another Thing/x"}},
		"what is replaced": {
			repo: []string{base, a, "x atop=base colour=10.9.0.0/24 shape=new"}, cloud: []string{baseHere, "x stale colour=10.0.0.0/16 shape=old atop=id-001"}, token: "id-001/10.0.0.0/16"},
		"itself": {
			repo: []string{base, "x atop=base colour=10.0.0.0/24 shape=new"}, cloud: []string{baseHere, "x stale colour=10.0.0.0/24 shape=old atop=id-001"}, token: "id-001/10.0.0.0/24"},
		"a half-made copy of itself": {repo: []string{base, "x atop=base colour=10.0.0.0/24"}, cloud: []string{baseHere, "x half colour=10.0.0.0/24 atop=id-001"}, token: "id-001/10.0.0.0/24"},
		"its name of before": {
			repo: []string{base, a}, cloud: []string{baseHere, "x stale atop=id-001", "user stale near=id-002", "far stale near=id-003", "aside stale"}, token: "id-001/10.0.0.0/24",
			refused: map[string]string{"a": "claim-overlaps-gone Thing/x"}, kept: []string{"x", "user", "far"}},
	} {
		t.Run(name, c.run)
	}
}

// A new object that claims a value of an object without a manifest may be that same object under another name.
func TestWhoAsksForWhatIsLeftMayBeTheSame(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("base colour=red", "a atop=base colour=blue")
	if err != nil {
		t.Fatal(err)
	}
	thingtest.Fill(t, w, []string{baseHere, "x stale", "y stale"}, want)
	in := world.Input{Stack: "s", Kinds: []*kind.Kind{claiming(w.Kind())}, Want: want, Have: w.Snapshot()}
	items := in.Have["Thing"].Items
	for i := range items {
		if items[i].Name == "x" {
			items[i].Tokens = append(items[i].Tokens, "id-001/blue")
		}
	}
	for _, s := range Compute(in).Steps {
		if hinted := s.Causes.Has(cause.AsksForTheSame); hinted != (s.Key.Name == "x") {
			t.Errorf("%s %s: %s", s.Action, s.Key.Name, s.FullCause())
		}
	}
}

// Rivals finds manifests that claim the same value, without a cloud.
func TestRivals(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("base colour=red", "a atop=base colour=10.0.0.0/24", "b atop=base colour=10.0.0.128/25", "c atop=base colour=blue", "d atop=base colour=blue",
		"e atop=base colour=10.0.0.0/16 suspend=true", "f atop=base colour=green")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, found := range Rivals([]*kind.Kind{claiming(w.Kind())}, want) {
		names = append(names, found.Key.Name)
	}
	if got := strings.Join(names, " "); got != "a b c d" {
		t.Errorf("found %q", got)
	}
}

// If a kind could not be listed, its manifests state no facts, and no holder of a value is known.
func TestNothingFollowsFromWhatIsUnknown(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, unknown := range []error{nil, errors.New("it is down")} {
		p := newPlanner(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Want: want, Have: kind.Snapshot{"Thing": {Err: unknown},
			"Shade": {Err: unknown, Items: []*kind.Live{{ID: "x", Tokens: []string{"of/it"}}}}}})
		claim := kind.Claim{Owner: kind.Ref{ID: "of"}, Value: "it", HolderKind: "Shade"}
		if _, found := p.findHolders().foreignHolder(claim); found != (unknown == nil) {
			t.Errorf("%v: somebody has it: %t", unknown, found)
		}
		if ref := p.lookup(thingtest.Key("a")); ref.Managed != (unknown == nil) {
			t.Errorf("%v: managed: %t", unknown, ref.Managed)
		}
	}
}
