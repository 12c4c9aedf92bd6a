package world_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// ByOwner has one desired object for each owner text: the object that has the name now and is not virtual, or else an object that had the
// name before.
func TestWhoAnswersForAMark(t *testing.T) {
	w := worldOf(input(t, "Flock/f virtual", "Thing/a was=Thing/b was=Thing/old", "Thing/b", "Thing/c was=Thing/old"))
	for text, want := range map[string]string{"Thing/a": "Thing/a", "Thing/b": "Thing/b", "Thing/old": "Thing/a", "Flock/f": "", "Thing/other": ""} {
		if got := w.ByOwner[ownertext.Of("s", key(text))]; got != w.ByKey[key(want)] {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}

// If two objects have the same owner text, ByOwner has the first of them.
func TestTheFirstOfTwoAnswersForAMark(t *testing.T) {
	in := input(t, "Thing/a", "Thing/a")
	in.Want[1].Key.Group = "another"
	if got := worldOf(in).ByOwner[ownertext.Of("s", in.Want[0].Key)]; got != &in.Want[0] {
		t.Errorf("got %v", got)
	}
}

// The stack owns each object that has its mark. An object with a Keep mark counts only while it has a manifest.
func TestWhatTheStackOwns(t *testing.T) {
	in := input(t, "Thing/a", "Thing/b adopts=free", "Thing/c adopts=nothing", "Thing/d unmanaged adopts=theirs", "Tent/e adopts=free")
	live := func(id, owner string, keep bool) *kind.Live {
		l := &kind.Live{ID: id, InOwnProject: true}
		if owner != "" {
			l.Mark = &kind.Mark{Owner: owner, Keep: keep}
		}
		return l
	}
	ours := func(name string) string { return ownertext.Of("s", key(name)) }
	in.Have = kind.Snapshot{
		"Thing": {Items: []*kind.Live{live("a", ours("Thing/a"), true), live("gone", ours("Thing/gone"), true), live("prune", ours("Thing/prune"), false), live("free", "", false), live("theirs", ownertext.Of("other", key("Thing/x")), false)}},
		"Rope":  {Items: []*kind.Live{live("r", ours("Rope/r"), false)}},
	}
	w := worldOf(in)
	if w.Owned != 3 || w.OwnedKinds["Thing"] != 2 || w.OwnedKinds["Rope"] != 1 {
		t.Errorf("%d are owned: %v", w.Owned, w.OwnedKinds)
	}
	var adopted []string
	for l, d := range w.AdoptedBy {
		adopted = append(adopted, l.ID+" by "+d.Key.String())
	}
	if got := strings.Join(adopted, ", "); got != "free by Thing/b" {
		t.Errorf("adopted: %s", got)
	}
}

// The parts of a suspended object are kept. An object that is suspended only as a part of another one is not in the list of suspended
// objects.
func TestWhatStaysWithSuspendedObjects(t *testing.T) {
	w := worldOf(input(t, "Camp/c suspended", "Tent/c-0 of=Camp/c suspended", "Camp/d", "Tent/d-0 of=Camp/d suspended", "Thing/lone suspended", "Flock/of-others suspended unmanaged", "Shop/my.shop defined suspended", "Camp/awake"))
	for object, want := range map[string]string{
		"Tent/c":              "Camp/c",
		"Tent/c-7":            "Camp/c",
		"Thing/c-7":           "Camp/c",
		"Rope/c-7":            "Camp/c",
		"Camp/c-7":            "",
		"Thing/cc":            "",
		"Thing/d-0":           "Tent/d-0",
		"Thing/d-1":           "",
		"Thing/lone-1":        "",
		"Thing/of-others-1":   "",
		"Thing/awake-1":       "",
		"Camp/my.shop":        "Shop/my.shop",
		"Camp/a-my-shop-b":    "Shop/my.shop",
		"Thing/a.my.shop.b":   "Shop/my.shop",
		"Thing/ammy-shop":     "",
		"Thing/my-shopping":   "",
		"Unknown/my-shop-one": "Shop/my.shop",
	} {
		var had []string
		for _, s := range w.Suspended {
			if s.HasPart(key(object)) {
				had = append(had, s.Key.String())
			}
		}
		if got := strings.Join(had, " "); got != want {
			t.Errorf("%s: a part of %q, want %q", object, got, want)
		}
	}
}

// Fingerprints of secrets are made with the key of the stack. If it has no key, they are made without one.
func TestFingerprintsOfAWorld(t *testing.T) {
	in := input(t)
	if worldOf(in).Printer == nil {
		t.Error("nothing makes fingerprints")
	}
	keyed, err := fingerprint.New("s", []byte("a key of at least so many characters"))
	if err != nil {
		t.Fatal(err)
	}
	if in.Printer = keyed; worldOf(in).Printer != keyed {
		t.Error("another key is used")
	}
}

// A world uses the index that its input has, if it is the index of the very objects of the input. The index of another stack or of other objects,
// even of equal ones, is not used.
func TestAnIndexIsUsedForItsOwnObjectsOnly(t *testing.T) {
	in := input(t, "Thing/a", "Thing/b")
	own, equal := world.Index(in.Stack, in.Want), world.Index(in.Stack, slices.Clone(in.Want))
	for _, c := range []struct {
		name  string
		index *world.Wanted
		used  bool
	}{
		{"none", nil, false}, {"its own", own, true}, {"of equal objects", equal, false}, {"of another stack", world.Index("other", in.Want), false},
		{"of fewer objects", world.Index(in.Stack, in.Want[:1]), false}, {"of no objects", world.Index(in.Stack, nil), false},
	} {
		in.Index = c.index
		w := worldOf(in)
		if used := w.Wanted == c.index; used != c.used {
			t.Errorf("%s: used: %v, want %v", c.name, used, c.used)
		}
		if w.ByKey[key("Thing/b")] != &in.Want[1] || w.ByOwner[ownertext.Of(in.Stack, key("Thing/a"))] != &in.Want[0] {
			t.Errorf("%s: the world does not find its objects", c.name)
		}
	}
}
