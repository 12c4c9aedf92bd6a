package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// The kind and the name of an object without a manifest decide whether it is a part of a suspended
// object.
func TestPartsOfWhatIsSuspended(t *testing.T) {
	key := func(kindName, namespace, name string) manifest.Key {
		return manifest.Key{Group: "g", Kind: kindName, Namespace: namespace, Name: name}
	}
	web, member, lone := key("Group", "default", "web"), key("Thing", "default", "web-0"), key("Thing", "default", "lone")
	group := func(name string, parts ...string) *kind.Kind {
		return &kind.Kind{Info: kind.Info{Group: "g", Kind: name, Parts: parts}}
	}
	kinds := []*kind.Kind{group("Group", "House"), group("House", "Thing"), group("Other"), thingtest.New().Kind()}
	p := newPlanner(world.Input{Stack: "s", Kinds: kinds, Want: []kind.Desired{
		{Key: web, Virtual: true, Options: kind.Options{Suspend: true}}, {Key: member, Parent: web, Options: kind.Options{Suspend: true}}, {Key: lone, Options: kind.Options{Suspend: true}},
	}})
	const long = "web-of-a-name-that-is-much-too-long-for-a-tag-of-neutron"
	for _, c := range []struct {
		orphan manifest.Key
		part   bool
	}{
		{key("House", "default", "web-1"), true},
		{key("Thing", "default", "web-1"), true},
		{key("Thing", "default", "web"), true},
		{key("Thing", "default", long), true},
		{key("Other", "default", "web-1"), false},
		{key("Thing", "default", "webs"), false},
		{key("Thing", "default", "old-web"), false},
		{key("Thing", "elsewhere", "web-1"), false},
		{key("Thing", "default", "lone-1"), false}, // an object of a kind that does not expand has no parts
	} {
		o, ok := ownertext.Parse(ownertext.Of("s", c.orphan))
		if !ok {
			t.Fatal(c.orphan)
		}
		want := manifest.Key{}
		if c.part {
			want = web
		}
		if got := p.suspendedOver(o, &kind.Live{Name: c.orphan.Name}); got != want {
			t.Errorf("%s is a part of %q, want %q", c.orphan, got, want)
		}
	}
}
