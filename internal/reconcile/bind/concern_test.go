package bind

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// state is what a kind knows of an object.
type state struct {
	Size    int
	Labels  map[string]string
	Parts   []string
	Inner   *state
	changed time.Time
}

func looks(id, name string, s *state) *Live {
	return &Live{ID: id, Name: name, InOwnProject: true, Phase: kind.Ready, State: s}
}

// A look compares the objects that bear the stack's marks, or that the stack refers to. Every change of them is noticed, also one in a part of
// the state that only the kind knows. Changes of other objects do not matter.
func TestLook(t *testing.T) {
	moment := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	list := func() []*Live {
		return []*Live{
			bearing("1", func(l *Live) {
				l.State = &state{1, map[string]string{"a": "1", "b": "2"}, []string{"x"}, &state{Size: 2}, moment}
			}),
			looks("2", "used", &state{Size: 1}), looks("3", "foreign", &state{Size: 1}),
		}
	}
	concern := Concern{IDs: []string{"2"}, Names: []string{"used", "wanted"}}
	before := concern.Look(kind.IndexOf(list()), stack)
	for name, tt := range map[string]struct {
		change func([]*Live) []*Live
		same   bool
	}{
		"nothing":                   {func(l []*Live) []*Live { return l }, true},
		"another order":             {func(l []*Live) []*Live { slices.Reverse(l); return l }, true},
		"a foreign object":          {func(l []*Live) []*Live { l[2].Name, l[2].State = "x", &state{Size: 7}; return l }, true},
		"a new foreign object":      {func(l []*Live) []*Live { return append(l, looks("4", "more", nil)) }, true},
		"a foreign object is gone":  {func(l []*Live) []*Live { return l[:2] }, true},
		"only the time of a change": {func(l []*Live) []*Live { l[0].Updated = moment; return l }, true},
		"the same moment elsewhere": {func(l []*Live) []*Live { l[0].State.(*state).changed = moment.In(time.FixedZone("x", 3600)); return l }, true},
		"an owned object":           {func(l []*Live) []*Live { l[0].Name = "renamed"; return l }, false},
		"its state":                 {func(l []*Live) []*Live { l[0].State.(*state).Size = 3; return l }, false},
		"deep in its state":         {func(l []*Live) []*Live { l[0].State.(*state).Inner.Size = 3; return l }, false},
		"a label":                   {func(l []*Live) []*Live { l[0].State.(*state).Labels["b"] = "3"; return l }, false},
		"labels that are exchanged": {func(l []*Live) []*Live {
			maps.Copy(l[0].State.(*state).Labels, map[string]string{"a": "2", "b": "1"})
			return l
		}, false},
		"one more part":                   {func(l []*Live) []*Live { l[0].State.(*state).Parts = []string{"x", ""}; return l }, false},
		"a field that only the kind sees": {func(l []*Live) []*Live { l[0].State.(*state).changed = moment.Add(1); return l }, false},
		"its phase":                       {func(l []*Live) []*Live { l[0].Phase = kind.Failed; return l }, false},
		"its mark is gone":                {func(l []*Live) []*Live { l[0].Mark = nil; return l }, false},
		"it is gone":                      {func(l []*Live) []*Live { return l[1:] }, false},
		"a copied mark":                   {func(l []*Live) []*Live { return append(l, bearing("9", nil)) }, false},
		"a used object":                   {func(l []*Live) []*Live { l[1].State.(*state).Size = 2; return l }, false},
		"a used object is renamed":        {func(l []*Live) []*Live { l[1].Name = "x"; return l }, false},
		"another object of that name":     {func(l []*Live) []*Live { return append(l, looks("5", "used", nil)) }, false},
		"an object of a wanted name":      {func(l []*Live) []*Live { return append(l, looks("6", "wanted", nil)) }, false},
		"a rival mark of another stack": {func(l []*Live) []*Live {
			l[2].Mark = &kind.Mark{Owner: "other", Rivals: ownertext.Begin(stack) + "x"}
			return l
		}, false},
	} {
		if got := concern.Look(kind.IndexOf(tt.change(list())), stack).Same(before); got != tt.same {
			t.Errorf("%s: the same: %t, want %t", name, got, tt.same)
		}
	}
	all := Concern{All: true}
	if l := list(); all.Look(kind.IndexOf(l), stack).Same(all.Look(kind.IndexOf(l[:2]), stack)) {
		t.Error("if any object may matter, a foreign one did not")
	}
}

// An object whose state has no end, or contains functions, never looks the same.
func TestLookWithoutSum(t *testing.T) {
	circle := &state{}
	circle.Inner = circle
	for name, s := range map[string]any{"a circle": circle, "a function": &struct{ F func() }{func() {}}} {
		l := looks("1", "a", nil)
		l.State = s
		if c := (Concern{All: true}); c.Look(kind.IndexOf([]*Live{l}), stack).Same(c.Look(kind.IndexOf([]*Live{l}), stack)) {
			t.Errorf("%s looks the same", name)
		}
	}
}
