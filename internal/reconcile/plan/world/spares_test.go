package world_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// Cut keeps the first few of each group's spares and scaled members, in the order of their numbers, with all objects that belong
// to them.
func TestFurtherMembersOfGroups(t *testing.T) {
	flock := []string{"Flock/f", "Thing/f-1 of=Flock/f", "Thing/f-0 of=Flock/f", "Thing/f-10 of=Flock/f spare", "Thing/f-9 of=Flock/f spare", "Thing/f-3 of=Flock/f scaled", "Thing/f-2 of=Flock/f scaled"}
	camp := []string{"Camp/c", "Tent/c-0 of=Camp/c", "Thing/c-0 of=Tent/c-0", "Tent/c-1 of=Camp/c spare", "Thing/c-1 of=Tent/c-1 spare", "Rope/c-1 near=Thing/c-1 spare", "Tent/c-2 of=Camp/c spare", "Thing/c-2 of=Tent/c-2 near=Thing/c-1 spare", "Rope/lone spare near=Thing/c-0"}
	for name, c := range map[string]struct {
		repo   []string
		spares int
		size   int
		want   string
	}{
		"no group has any":                       {[]string{"Flock/f", "Thing/a of=Flock/f"}, 2, 0, "Flock/f Thing/a"},
		"none":                                   {flock, 0, 2, "Flock/f Thing/f-1 Thing/f-0"},
		"the first spare":                        {flock, 1, 2, "Flock/f Thing/f-1 Thing/f-0 Thing/f-9"},
		"the first one further":                  {flock, 0, 3, "Flock/f Thing/f-1 Thing/f-0 Thing/f-2"},
		"all":                                    {flock, 2, 4, "Flock/f Thing/f-1 Thing/f-0 Thing/f-10 Thing/f-9 Thing/f-3 Thing/f-2"},
		"members of several objects":             {camp, 0, 0, "Camp/c Tent/c-0 Thing/c-0"},
		"and what goes with them":                {camp, 1, 0, "Camp/c Tent/c-0 Thing/c-0 Tent/c-1 Thing/c-1 Rope/c-1"},
		"a part is of its own, whatever it uses": {camp, 2, 0, "Camp/c Tent/c-0 Thing/c-0 Tent/c-1 Thing/c-1 Rope/c-1 Tent/c-2 Thing/c-2"},
	} {
		in := input(t, c.repo...)
		group := in.Want[0].Key
		all := world.FindOptionalMembers(in)
		if got := written(all.Cut(in.Want, map[manifest.Key]int{group: c.spares}, map[manifest.Key]world.Size{group: {Members: c.size}})); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The first member of a group is the one with the lowest number that always exists.
func TestTheFirstMemberOfAGroup(t *testing.T) {
	in := input(t, "Flock/f", "Thing/f-10 of=Flock/f", "Thing/f-9 of=Flock/f", "Thing/f-11 of=Flock/f", "Thing/f-1 of=Flock/f scaled", "Thing/f-2 of=Flock/f spare", "Rope/a of=Flock/f")
	all := world.FindOptionalMembers(in)
	if first, least := all.First[key("Flock/f")], all.Least[key("Flock/f")]; first != key("Thing/f-9") || least != 3 {
		t.Errorf("%s of %d", first, least)
	}
}

// ByOwner has an object under its former names, too, unless another spare or scaled object has that name now.
func TestFormerNamesOfFurtherMembers(t *testing.T) {
	in := input(t, "Flock/f", "Thing/a of=Flock/f spare was=Thing/old was=Thing/b", "Thing/b of=Flock/f spare")
	all := world.FindOptionalMembers(in)
	for name, want := range map[string]string{"Thing/a": "Thing/a", "Thing/b": "Thing/b", "Thing/old": "Thing/a"} {
		if d := all.ByOwner[ownertext.Of("s", key(name))]; d == nil || d.Key != key(want) {
			t.Errorf("%s: %v, want %s", name, d, want)
		}
	}
	if d := all.ByOwner[ownertext.Of("s", key("Flock/f"))]; d != nil {
		t.Errorf("%s is no further member", d)
	}
}
