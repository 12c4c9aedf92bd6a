package bind

import (
	"maps"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Limits are shares of what is counted here: people who can write marks must not be able to raise the number.
func TestOwned(t *testing.T) {
	keep := func(l *Live) { l.Mark.Keep = true }
	elsewhere := func(l *Live) { l.InOwnProject, l.Guarded, l.Project = false, true, "p" }
	tests := map[string]struct {
		items  []Live
		wanted bool
		want   int
	}{
		"one":                                   {[]Live{bearing("1", nil)}, false, 1},
		"two with one mark":                     {[]Live{bearing("1", nil), bearing("2", nil)}, true, 1},
		"a copy":                                {[]Live{bearing("1", func(l *Live) { l.Copied = "was restored" })}, true, 0},
		"of several owners":                     {[]Live{bearing("1", func(l *Live) { l.Mark.Rivals = "x" })}, true, 0},
		"kept":                                  {[]Live{bearing("1", keep)}, false, 0},
		"kept and wanted":                       {[]Live{bearing("1", keep)}, true, 1},
		"in another project":                    {[]Live{bearing("1", elsewhere)}, false, 0},
		"in another project, wanted":            {[]Live{bearing("1", elsewhere)}, true, 1},
		"in both":                               {[]Live{bearing("1", elsewhere), bearing("2", nil)}, true, 1},
		"in another project, unguarded, wanted": {[]Live{bearing("1", func(l *Live) { elsewhere(l); l.Guarded = false })}, true, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := In(kind.Snapshot{"Thing": {Items: tt.items}}, stack).Owned(func(string) bool { return tt.wanted }); got["Thing"] != tt.want {
				t.Errorf("counts %d", got["Thing"])
			}
		})
	}
}

// Marks in another project count only where the stack has to do with that project.
func TestKnownElsewhere(t *testing.T) {
	in := func(project string) func(*Live) {
		return func(l *Live) { l.InOwnProject, l.Guarded, l.Project = false, true, project }
	}
	c := In(kind.Snapshot{"Thing": {Items: []Live{bearing("1", nil), bearing("2", in("p")), bearing("3", in("q"))}}}, stack)
	var known []string
	for _, claims := range c.Of("Thing").Known(func(project string) bool { return project == "q" }) {
		known = append(known, idsOf(claims.All())...)
	}
	slices.Sort(known)
	if !slices.Equal(known, []string{"1", "3"}) {
		t.Errorf("known are %q", known)
	}
	if got := idsOf(c.ClaimedIn("p", "Thing", owner).All()); !slices.Equal(got, []string{"2"}) {
		t.Errorf("in p: %q", got)
	}
	if got := c.ClaimedIn("", "Thing", owner).All(); len(got) != 0 {
		t.Errorf("in no project: %q", idsOf(got))
	}
	all := map[string]string{}
	for owner, l := range c.Of("Thing").Elsewhere() {
		all[l.ID] = owner
	}
	if want := map[string]string{"2": owner, "3": owner}; !maps.Equal(all, want) {
		t.Errorf("elsewhere are %v", all)
	}
}

// An ID that two clouds give is found by the entry that shows it; the users of an object are those with a mark of the stack.
func TestFind(t *testing.T) {
	through := func(entry string) func(*Live) {
		return func(l *Live) { l.Through = entry }
	}
	user := bearing("3", func(l *Live) {
		l.Mark.Owner, l.Uses = kind.OwnerText(stack, manifest.Key{Kind: "Thing", Name: "b"}), []string{"token"}
	})
	stranger := bearing("4", func(l *Live) { l.Mark, l.Uses = nil, []string{"token"} })
	c := In(kind.Snapshot{"Thing": {Items: []Live{bearing("1", through("one")), bearing("1", through("two")), user, stranger}}}, stack)
	x := c.Of("Thing")
	if one, two := x.Find("1", "one"), x.Find("1", "two"); one == nil || two == nil || one == two || one.Through != "one" || two.Through != "two" {
		t.Errorf("by entry: %v, %v", one, two)
	}
	if x.Find("1", "three") != nil || x.Find("9", "") != nil {
		t.Error("finds what is not there")
	}
	if got := idsOf(c.UsersOf(&Live{ID: "5", Tokens: []string{"token"}})); !slices.Equal(got, []string{"3"}) || c.KindOf(x.WithID("3")) != "Thing" {
		t.Errorf("users are %q", got)
	}
	if c.Of("Other") != nil {
		t.Error("finds a kind that was not asked for")
	}
}
