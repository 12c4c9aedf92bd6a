package world_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

func worldOf(in world.Input) *world.World {
	return world.New(in, bind.NewCloud(in.Have, in.Stack), world.FindOptionalMembers(in))
}

// An object belongs to the nearest group around it.
func TestTheGroupOfAnObject(t *testing.T) {
	w := worldOf(input(t, "Camp/c", "Tent/a of=Camp/c", "Thing/a of=Tent/a", "Flock/f of=Tent/a", "Thing/b of=Flock/f", "Rope/r of=Camp/c", "Thing/x", "Thing/lost of=Tent/gone"))
	for of, want := range map[string]plan.Part{
		"Camp/c": {}, "Thing/x": {}, "Rope/r": {}, "Thing/lost": {}, "Thing/nowhere": {},
		"Tent/a":  {Group: key("Camp/c"), Member: key("Tent/a")},
		"Thing/a": {Group: key("Camp/c"), Member: key("Tent/a")},
		"Flock/f": {Group: key("Camp/c"), Member: key("Tent/a")},
		"Thing/b": {Group: key("Flock/f"), Member: key("Thing/b")},
	} {
		got := plan.Part{}
		if part := w.PartOf(w.ByKey[key(of)]); part != nil {
			got = *part
		}
		if got != want {
			t.Errorf("%s: %v, want %v", of, got, want)
		}
	}
}

// A member does its work itself, or a part with the member's name does it. The kind of that part is the first one that has
// cures.
func TestWhoDoesTheWorkOfAMember(t *testing.T) {
	w := worldOf(input(t))
	for _, c := range []struct {
		object, member string
		does           bool
	}{
		{"Thing/a", "Thing/a", true}, {"Thing/b", "Thing/a", false},
		{"Thing/a", "Tent/a", true}, {"Tent/a", "Tent/a", true}, {"Thing/b", "Tent/a", false}, {"Rope/a", "Tent/a", false},
	} {
		if got := w.DoesTheWork(key(c.object), key(c.member)); got != c.does {
			t.Errorf("%s for %s: %t", c.object, c.member, got)
		}
	}
}

// A group may delay changes that interrupt a working object, or by which a commit makes an object lose something.
func TestChangesThatWaitForTheirTurn(t *testing.T) {
	w := worldOf(input(t))
	applied, another := &kind.Mark{Applied: "now"}, &kind.Mark{Applied: "before"}
	want := &kind.Desired{Digest: "now"}
	reboots, grows, loses := kind.Change{Disruption: kind.Reboot}, kind.Change{}, kind.Change{Loss: "a disk"}
	for name, c := range map[string]struct {
		have    *kind.Live
		changes []kind.Change
		healing bool
		waits   bool
	}{
		"it is missing":               {nil, []kind.Change{reboots}, false, false},
		"it works":                    {&kind.Live{Phase: kind.Ready, Mark: applied}, []kind.Change{reboots}, false, true},
		"it works somehow":            {&kind.Live{Phase: kind.Degraded, Mark: applied}, []kind.Change{grows, reboots}, false, true},
		"it is being made":            {&kind.Live{Phase: kind.Pending, Mark: applied}, []kind.Change{reboots}, false, false},
		"it is healed":                {&kind.Live{Phase: kind.Degraded, Mark: applied}, []kind.Change{reboots}, true, false},
		"nothing is interrupted":      {&kind.Live{Phase: kind.Ready, Mark: another}, []kind.Change{grows}, false, false},
		"nothing changes":             {&kind.Live{Phase: kind.Ready, Mark: another}, nil, false, false},
		"a commit has it lose a disk": {&kind.Live{Phase: kind.Ready, Mark: another}, []kind.Change{grows, loses}, false, true},
		"it has a disk of somebody":   {&kind.Live{Phase: kind.Ready, Mark: applied}, []kind.Change{grows, loses}, false, false},
	} {
		s := &plan.Step{Object: plan.Object{Want: want, Have: c.have}, Comparison: plan.Comparison{Changes: c.changes}, Manner: plan.Manner{Healing: c.healing}}
		if got := w.WaitsItsTurn(s); got != c.waits {
			t.Errorf("%s: waits %t", name, got)
		}
	}
}

// People write manifests and the templates of definitions. They do not write the objects that a workload of a built-in kind
// expands into.
func TestWhatPeopleHaveWritten(t *testing.T) {
	w := worldOf(input(t, "Flock/f", "Thing/a of=Flock/f", "Shop/s defined", "Flock/g of=Shop/s", "Thing/b of=Flock/g", "Mall/m defined", "Shop/t of=Mall/m defined", "Flock/h of=Shop/t", "Camp/c", "Shop/u of=Camp/c defined", "Flock/i of=Shop/u"))
	for text, want := range map[string]bool{"Flock/f": true, "Thing/a": false, "Flock/g": true, "Thing/b": false, "Flock/h": true, "Flock/i": false} {
		if got := w.WrittenByPeople(key(text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// A use is loose if the cloud itself detaches everything of the other object that is used.
func TestLooseUses(t *testing.T) {
	other := &kind.Live{ID: "id", Tokens: []string{"token", "further"}}
	for name, c := range map[string]struct {
		user  kind.Live
		loose bool
	}{
		"taken off":                {kind.Live{Uses: []string{"id"}, AutoDetached: []string{"id"}}, true},
		"not taken off":            {kind.Live{Uses: []string{"id"}, AutoDetached: []string{"another"}}, false},
		"only a part is taken off": {kind.Live{Uses: []string{"id", "further"}, AutoDetached: []string{"id"}}, false},
	} {
		if got := world.Loosely(&c.user, other); got != c.loose {
			t.Errorf("%s: %t", name, got)
		}
	}
}
