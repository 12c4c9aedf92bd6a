package bind

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

const stack = "s"

var owner = ownertext.Of(stack, manifest.Key{Kind: "Thing", Name: "a"})

// bearing returns an object with the mark of Thing/a.
func bearing(id string, change func(*Live)) *Live {
	l := &Live{ID: id, Name: "a", InOwnProject: true, Phase: kind.Ready, Mark: &kind.Mark{Owner: owner, Applied: "x"}}
	if change != nil {
		change(l)
	}
	return l
}

func half(day int) func(*Live) {
	return func(l *Live) {
		l.Mark.Applied, l.Created = "", time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC)
	}
}

func TestChoose(t *testing.T) {
	whole := func(day int) func(*Live) {
		return func(l *Live) { l.Created = time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC) }
	}
	going := func(l *Live) { l.Phase = kind.Deleting }
	copied := func(l *Live) { l.Copied = "was restored" }
	shared := func(l *Live) { l.Mark.Rivals = "stackreeve:other:Thing/a" }
	uses := func(id string) func(*Live) { return func(l *Live) { l.Mark, l.Uses = nil, []string{id} } }
	tests := map[string]struct {
		items   []*Live
		err     error // error of the list of another collection
		named   string
		fixed   bool
		have    string
		doubt   Ambiguity
		surplus []string
		copied  []string
	}{
		"none":                               {},
		"one":                                {items: []*Live{bearing("1", nil)}, have: "1"},
		"one, and one being deleted":         {items: []*Live{bearing("1", going), bearing("2", nil)}, have: "2", surplus: []string{"1"}},
		"being deleted only":                 {items: []*Live{bearing("2", going), bearing("1", going)}, have: "1", surplus: []string{"2"}},
		"two finished":                       {items: []*Live{bearing("1", nil), bearing("2", nil)}, doubt: Several},
		"a younger one is half-made":         {items: []*Live{bearing("1", half(2)), bearing("2", whole(1))}, have: "2", surplus: []string{"1"}},
		"a little older one is half-made":    {items: []*Live{bearing("1", half(1)), bearing("2", func(l *Live) { whole(1)(l); l.Created = l.Created.Add(MaxLateness - time.Second) })}, have: "2", surplus: []string{"1"}},
		"a half-made one is too old":         {items: []*Live{bearing("1", half(1)), bearing("2", func(l *Live) { whole(1)(l); l.Created = l.Created.Add(MaxLateness) })}, doubt: Several},
		"an older one is half-made":          {items: []*Live{bearing("1", half(1)), bearing("2", whole(2))}, doubt: Several},
		"all half-made":                      {items: []*Live{bearing("1", half(2)), bearing("2", half(1)), bearing("3", half(3))}, have: "2", surplus: []string{"1", "3"}},
		"a half-made one is used":            {items: []*Live{bearing("1", half(2)), bearing("2", whole(1)), bearing("3", uses("1"))}, doubt: Several},
		"users of half-made ones are hidden": {items: []*Live{bearing("1", half(2)), bearing("2", whole(1))}, err: errors.New("503"), doubt: Several},
		"no service has users":               {items: []*Live{bearing("1", half(2)), bearing("2", whole(1))}, err: kind.ErrNoService, have: "2", surplus: []string{"1"}},
		"half-made, of a fixed mark":         {items: []*Live{bearing("1", half(2)), bearing("2", whole(1))}, fixed: true, doubt: Several},
		"one, of a fixed mark":               {items: []*Live{bearing("1", nil)}, fixed: true, have: "1"},
		"a half-made one is in use":          {items: []*Live{bearing("1", func(l *Live) { half(2)(l); l.InUse = true }), bearing("2", whole(1))}, doubt: Several},
		"nobody knows how old it is":         {items: []*Live{bearing("1", half(2)), bearing("2", nil)}, doubt: Several},
		"of several owners":                  {items: []*Live{bearing("1", shared)}, doubt: Contested},
		"one, and one of several owners":     {items: []*Live{bearing("1", nil), bearing("2", shared)}, doubt: Contested},
		"copies only":                        {items: []*Live{bearing("1", copied), bearing("2", copied)}, doubt: OnlyCopied, copied: []string{"2"}},
		"one, and a copy":                    {items: []*Live{bearing("1", copied), bearing("2", nil)}, have: "2", copied: []string{"1"}},
		"a copy that a manifest adopts":      {items: []*Live{bearing("1", copied)}, named: "1", have: "1"},
		"a half-made copy that is adopted":   {items: []*Live{bearing("1", func(l *Live) { half(2)(l); copied(l) }), bearing("2", whole(1))}, named: "1", doubt: Several},
		"one without a mark that is adopted": {items: []*Live{bearing("1", func(l *Live) { l.Mark = nil })}, named: "1"},
		"another project's":                  {items: []*Live{bearing("1", func(l *Live) { l.InOwnProject = false })}},
		"another kind's mark":                {items: []*Live{bearing("1", func(l *Live) { l.Mark.Owner = ownertext.Of(stack, manifest.Key{Kind: "Other", Name: "a"}) })}},
		"another stack's mark":               {items: []*Live{bearing("1", func(l *Live) { l.Mark.Owner = ownertext.Of("other", manifest.Key{Kind: "Thing", Name: "a"}) })}},
		"shown twice by a page that moved":   {items: []*Live{bearing("1", nil), bearing("1", nil)}, have: "1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := NewCloud(kind.Snapshot{"Thing": {Items: tt.items}, "Unlisted": {Err: tt.err}}, stack)
			named := c.Collection("Thing").Find(tt.named, "")
			got := c.Choose(c.Claimed("Thing", owner), ManifestFacts{AdoptedByID: named, FixedMark: tt.fixed, Adopted: func(l *Live) bool { return l == named }})
			if have := idOf(got.Have); have != tt.have || got.Ambiguity != tt.doubt || !slices.Equal(idsOf(got.Surplus), tt.surplus) || !slices.Equal(idsOf(got.Copied), tt.copied) {
				t.Errorf("got %q, doubt %d, surplus %q, copied %q; want %q, %d, %q, %q", have, got.Ambiguity, idsOf(got.Surplus), idsOf(got.Copied), tt.have, tt.doubt, tt.surplus, tt.copied)
			}
			if (got.Ambiguity != NoAmbiguity) != (len(got.Ambiguous) > 0) {
				t.Errorf("the doubt %d is about %q", got.Ambiguity, idsOf(got.Ambiguous))
			}
		})
	}
}

func idOf(l *Live) string {
	if l == nil {
		return ""
	}
	return l.ID
}

func idsOf(list []*Live) (ids []string) {
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids
}
