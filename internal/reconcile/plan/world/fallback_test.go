package world_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A group that went back has the desired parts of the earlier commit, in the order of references. All other objects
// are those of the present commit.
func TestWhatIsWantedOfGroupsThatWentBack(t *testing.T) {
	for name, c := range map[string]struct {
		now, then      []string
		back           string // the groups that went back
		want           string
		dropped, lacks string
	}{
		"no earlier commit": {now: []string{"Thing/a near=Thing/b", "Thing/b"}, want: "Thing/a Thing/b"},
		"its members are as they were": {
			now: []string{"Flock/f", "Thing/a of=Flock/f v=new", "Thing/x"}, then: []string{"Flock/f v=old", "Thing/a of=Flock/f v=old", "Thing/x v=old"}, back: "Flock/f",
			want: "Flock/f Thing/x Thing/a=old"},
		"a further member is not there": {
			now: []string{"Flock/f", "Thing/a of=Flock/f", "Thing/b of=Flock/f"}, then: []string{"Flock/f", "Thing/a of=Flock/f v=old"}, back: "Flock/f",
			want: "Flock/f Thing/a=old", dropped: "Thing/b", lacks: "Thing/b"},
		"optional members": {
			now: []string{"Flock/f", "Thing/a of=Flock/f spare", "Thing/b of=Flock/f scaled"}, then: []string{"Flock/f"}, back: "Flock/f",
			want: "Flock/f", dropped: "Thing/a Thing/b"},
		"parts of members": {
			now: []string{"Camp/c", "Tent/a of=Camp/c", "Thing/a of=Tent/a", "Rope/r of=Camp/c"}, then: []string{"Camp/c"}, back: "Camp/c",
			want: "Camp/c", dropped: "Rope/r Tent/a Thing/a", lacks: "Tent/a"},
		"a part of another object": {
			now: []string{"Flock/f", "Tent/a of=Flock/f", "Thing/a of=Tent/a"}, then: []string{"Flock/f"}, back: "Flock/f",
			want: "Flock/f", dropped: "Tent/a Thing/a"},
		"an unknown kind": {
			now: []string{"Herd/f", "Thing/a of=Herd/f"}, then: []string{"Herd/f"}, back: "Herd/f", want: "Herd/f", dropped: "Thing/a"},
		"a former member is there again": {
			now: []string{"Flock/f"}, then: []string{"Flock/f", "Thing/a of=Flock/f v=old"}, back: "Flock/f", want: "Flock/f Thing/a=old"},
		"what it used is there again": {
			now: []string{"Flock/f"}, then: []string{"Thing/image unmanaged v=old", "Flock/f", "Thing/a of=Flock/f near=Thing/image"}, back: "Flock/f",
			want: "Flock/f Thing/image=old Thing/a"},
		"a used object": {
			now: []string{"Thing/image unmanaged v=new", "Flock/f"}, then: []string{"Thing/image unmanaged v=old", "Flock/f", "Thing/a of=Flock/f near=Thing/image"}, back: "Flock/f",
			want: "Thing/image=new Flock/f Thing/a"},
		"two groups used the same": {
			now: []string{"Flock/g", "Flock/f"}, then: []string{"Thing/image unmanaged", "Flock/g", "Flock/f", "Thing/b of=Flock/g near=Thing/image", "Thing/a of=Flock/f near=Thing/image"}, back: "Flock/g Flock/f",
			want: "Flock/g Flock/f Thing/image Thing/a Thing/b"},
		"its users come after it": {
			now: []string{"Flock/f", "Thing/a of=Flock/f", "Thing/x", "Thing/user near=Thing/a", "Thing/y"}, then: []string{"Flock/f", "Thing/a of=Flock/f v=old"}, back: "Flock/f",
			want: "Flock/f Thing/x Thing/a=old Thing/user Thing/y"},
		"a late reference": {
			now: []string{"Flock/f", "Thing/a of=Flock/f", "Thing/user late=Thing/a"}, then: []string{"Flock/f", "Thing/a of=Flock/f v=old"}, back: "Flock/f",
			want: "Flock/f Thing/user Thing/a=old"},
		"a missing target": {
			now: []string{"Thing/first", "Flock/f", "Thing/a of=Flock/f", "Thing/user near=Thing/a", "Thing/y"}, then: []string{"Flock/f"}, back: "Flock/f",
			want: "Thing/first Flock/f Thing/user Thing/y", dropped: "Thing/a", lacks: "Thing/a"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, c.now...)
			in.Fallbacks = map[manifest.Key]plan.Fallback{}
			for _, group := range keys(c.back) {
				in.Fallbacks[group] = plan.NewFallback(plan.Failing{Group: group}, "then", wanted(t, c.then))
			}
			got := in.WithFallbacks()
			var dropped, lacks []string
			for key, is := range got.Dropped {
				if is {
					dropped = append(dropped, key.String())
				}
			}
			for _, f := range got.Fallbacks {
				for _, key := range f.NewMembers {
					lacks = append(lacks, key.String())
				}
			}
			slices.Sort(dropped)
			if w, d, l := written(got.Want), strings.Join(dropped, " "), strings.Join(lacks, " "); w != c.want || d != c.dropped || l != c.lacks {
				t.Errorf("got %q, without %q, and lacks %q; want %q, %q and %q", w, d, l, c.want, c.dropped, c.lacks)
			}
			for f := range maps.Values(in.Fallbacks) {
				if f.NewMembers != nil || written(in.Want) != written(wanted(t, c.now)) {
					t.Error("the input itself has changed")
				}
			}
		})
	}
}

// For a group that went back, the earlier commit says how many members may be away. For other groups, the present
// commit says it.
func TestAmountsOfGroupsThatWentBack(t *testing.T) {
	in := input(t, "Flock/f down=1", "Flock/g down=2")
	in.Fallbacks = map[manifest.Key]plan.Fallback{key("Flock/f"): plan.NewFallback(plan.Failing{Group: key("Flock/f")}, "then", wanted(t, []string{"Flock/f down=3"}))}
	for i, want := range []int{3, 2} {
		if d := in.WithFallbacks().Want[i]; d.Rollout.MaxUnavailable.Count != want {
			t.Errorf("%s: %d, want %d", d.Key, d.Rollout.MaxUnavailable.Count, want)
		}
	}
}
