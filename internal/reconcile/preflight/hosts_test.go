package preflight

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// If a plan creates a member of a group with members on different hosts, the group needs hosts. All objects that refer to the group count.
// The zone is the zone that all of them require.
func TestWhatIsKeptApart(t *testing.T) {
	type group struct {
		n    int
		hard bool
	}
	kinds := []*kind.Kind{
		{Info: kind.Info{Kind: "Group"}, PerHost: func(w kind.Want) (int, bool) { return w.Spec.(group).n, w.Spec.(group).hard }},
		{Info: kind.Info{Kind: "Server"}, Zone: func(w kind.Want) string { return w.Spec.(string) }},
		{Info: kind.Info{Kind: "Port"}},
	}
	of := func(kindName, name string, action plan.Action, spec any, refs ...string) plan.Step {
		key := manifest.Key{Kind: kindName, Name: name}
		s := plan.Step{Key: key, Action: action}
		s.Want, s.Viewed = &kind.Desired{Key: key}, &kind.Want{Key: key, Spec: spec}
		for _, ref := range refs {
			s.Want.Refs = append(s.Want.Refs, kind.RefSpec{Key: manifest.Key{Kind: "Group", Name: ref}})
		}
		return s
	}
	apart := func(n int, hard bool) plan.Step { return of("Group", "g", plan.Keep, group{n, hard}) }
	member := func(name string, action plan.Action, zone string) plan.Step {
		return of("Server", name, action, zone, "other", "g")
	}
	used := func(s plan.Step) plan.Step { s.Want.Unmanaged = true; return s }
	surplus := func(s plan.Step) plan.Step { s.Surplus = true; return s }
	gone := func(s plan.Step) plan.Step { s.Want = nil; return s }
	g := manifest.Key{Kind: "Group", Name: "g"}
	for _, c := range []struct {
		name  string
		steps []plan.Step
		want  []Separation
	}{
		{"one is made", []plan.Step{apart(1, true), member("a", plan.Keep, "z"), member("b", plan.Create, "z")}, []Separation{{g, 1, 2, "z"}}},
		{"the first one is made", []plan.Step{apart(2, true), member("a", plan.Create, "z"), member("b", plan.Keep, "z")}, []Separation{{g, 2, 2, "z"}}},
		{"none is made", []plan.Step{apart(1, true), member("a", plan.Keep, "z"), member("b", plan.Recreate, "z")}, nil},
		{"in two zones", []plan.Step{apart(1, true), member("a", plan.Create, "y"), member("b", plan.Create, "z"), member("c", plan.Create, "")}, []Separation{{g, 1, 3, ""}}},
		{"as far as there are enough hosts", []plan.Step{apart(1, false), member("a", plan.Create, "z")}, nil},
		{"any number may share one", []plan.Step{apart(0, true), member("a", plan.Create, "z")}, nil},
		{"the group is only used", []plan.Step{used(apart(1, true)), member("a", plan.Create, "z")}, nil},
		{"the group goes", []plan.Step{gone(apart(1, true)), member("a", plan.Create, "z")}, nil},
		{"members that do not count", []plan.Step{apart(1, true), member("a", plan.Create, "z"), used(member("b", plan.Keep, "z")), surplus(member("c", plan.Delete, "z")), gone(member("d", plan.Delete, "z"))},
			[]Separation{{g, 1, 1, "z"}}},
		{"members without a zone", []plan.Step{apart(1, true), of("Port", "p", plan.Create, nil, "g"), of("Unknown", "u", plan.Create, nil, "g")}, []Separation{{g, 1, 2, ""}}},
		{"no group", []plan.Step{member("a", plan.Create, "z")}, nil},
	} {
		got := SeparationsOf(plan.Plan{Steps: c.steps}, kinds)
		if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// The last host may have fewer members than the others.
func TestHowManyHostsItTakes(t *testing.T) {
	for a, want := range map[Separation]int{{PerHost: 1, Members: 3}: 3, {PerHost: 2, Members: 3}: 2, {PerHost: 2, Members: 4}: 2, {PerHost: 3, Members: 1}: 1} {
		if got := a.hosts(); got != want {
			t.Errorf("%+v: %d", a, got)
		}
	}
}
