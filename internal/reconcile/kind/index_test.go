package kind_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// An index finds the same objects, in the same order, as a search through the whole list. That is also true after objects were replaced.
func TestIndexFindsWhatASearchFinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := kind.IndexOf(drawItems(rt, "items", 12))
		for round := range rapid.IntRange(0, 3).Draw(rt, "replacements") {
			ids := rapid.SliceOfN(drawID, 0, 4).Draw(rt, "ids")
			gone := func(l *kind.Live) bool { return slices.Contains(ids, l.ID) && l.Entry == "" }
			most := 4
			if round == 1 && rapid.Bool().Draw(rt, "many") {
				most = 80
			}
			more := drawItems(rt, "more", most)
			if i := slices.IndexFunc(x.Items(), gone); i >= 0 && rapid.Bool().Draw(rt, "back") {
				more = append(more, x.Items()[i])
			}
			want := slices.Concat(slices.DeleteFunc(slices.Clone(x.Items()), gone), more)
			x = x.Replaced(ids, gone, more)
			if !slices.Equal(x.Items(), want) {
				rt.Fatalf("%d objects, want %d", len(x.Items()), len(want))
			}
		}
		for _, n := range []string{"0", "1", "2", "3", "4", "0", "1", "2", "3", "4", "0", "1"} { // often enough that links are made
			compare(rt, "ID", x, x.WithID(n), func(l *kind.Live) bool { return l.ID == n })
			compare(rt, "name", x, x.Named("n"+n), func(l *kind.Live) bool { return l.Name == "n"+n })
			compare(rt, "use", x, x.Using(n), func(l *kind.Live) bool { return slices.Contains(l.Uses, n) })
			compare(rt, "token", x, x.Holding(n+"/a/b"), func(l *kind.Live) bool { return slices.Contains(l.Tokens, n+"/a/b") })
			compare(rt, "values", x, x.WithValuesOf(n), func(l *kind.Live) bool {
				return slices.ContainsFunc(l.Tokens, func(token string) bool { return strings.HasPrefix(token, kind.ValueToken(n, "")) })
			})
			begin := ownertext.Begin("s" + n)
			compare(rt, "mark", x, x.Bearing(begin), func(l *kind.Live) bool {
				return slices.ContainsFunc(l.Mark.Owners(), func(text string) bool { return strings.HasPrefix(text, begin) })
			})
		}
		for i, l := range x.Items() {
			first := slices.IndexFunc(x.Items(), func(other *kind.Live) bool { return other.ID == l.ID })
			if want := first < i && x.Items()[first].SeenBy(l.Entry) != nil; x.Repeats(l) != want {
				rt.Fatalf("object %d repeats: %t, want %t", i, x.Repeats(l), want)
			}
		}
	})
}

func compare(rt *rapid.T, what string, x *kind.Index, found iter.Seq[*kind.Live], has func(*kind.Live) bool) {
	rt.Helper()
	var want []*kind.Live
	for _, l := range x.Items() {
		if has(l) {
			want = append(want, l)
		}
	}
	if got := slices.Collect(found); !slices.Equal(got, want) {
		rt.Fatalf("by %s: %d objects, want %d", what, len(got), len(want))
	}
}

var drawID = rapid.SampledFrom([]string{"0", "1", "2", "3", "4"})

// drawItems draws objects that often have the same IDs, names, owners and tokens.
func drawItems(rt *rapid.T, label string, most int) (items []*kind.Live) {
	for i := range rapid.IntRange(0, most).Draw(rt, label) {
		draw := func(what string) string { return drawID.Draw(rt, fmt.Sprint(label, i, what)) }
		l := &kind.Live{ID: draw("id"), Name: "n" + draw("name"), Uses: []string{draw("use"), draw("other use")}, Tokens: []string{draw("token") + "/a/b", draw("plain")}}
		if draw("entry") == "4" {
			l.Entry = "b"
		}
		if draw("marked") != "0" {
			l.Mark = &kind.Mark{Owner: "stackreeve:s" + draw("owner") + ":Thing/a"}
		}
		if l.Mark != nil && draw("contested") == "0" {
			l.Mark.Rivals = "stackreeve:s" + draw("rival") + ":Thing/a no-owner stackreeve:odd"
		}
		items = append(items, l)
	}
	return items
}

// A collection whose items are not those of its index gets another index.
func TestIndexOfOtherItems(t *testing.T) {
	a, b := &kind.Live{ID: "a"}, &kind.Live{ID: "b"}
	x := kind.IndexOf([]*kind.Live{a})
	for name, c := range map[string]kind.Collection{
		"none": {Items: []*kind.Live{b}}, "a copy": {Items: []*kind.Live{b}, Index: x}, "a longer one": {Items: append(slices.Clone(x.Items()), b), Index: x},
	} {
		if c.Indexed().First("b") != b {
			t.Errorf("%s: the object is not found", name)
		}
	}
	if c := (kind.Collection{Items: x.Items(), Index: x}); c.Indexed() != x {
		t.Error("the index is made again")
	}
}
