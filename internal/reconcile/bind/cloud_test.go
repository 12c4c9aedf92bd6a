package bind

import (
	"maps"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// elsewhere returns an object in another project that has the mark of Thing/a.
func elsewhere(project string, change func(*Live)) *Live {
	return bearing("1", func(l *Live) {
		if l.InOwnProject, l.Guarded, l.Project = false, true, project; change != nil {
			change(l)
		}
	})
}

func TestOwned(t *testing.T) {
	keeps := func(l *Live) { l.Mark.Keep = true }
	tests := map[string]struct {
		items  []*Live
		wanted bool
		want   int
	}{
		"one":                                     {items: []*Live{bearing("1", nil)}, want: 1},
		"two of one mark":                         {items: []*Live{bearing("1", nil), bearing("2", nil)}, want: 1},
		"one that its mark keeps":                 {items: []*Live{bearing("1", keeps)}},
		"one that its mark keeps, and is wanted":  {items: []*Live{bearing("1", keeps)}, wanted: true, want: 1},
		"a copy only":                             {items: []*Live{bearing("1", func(l *Live) { l.Copied = "was restored" })}, wanted: true},
		"one in another project":                  {items: []*Live{elsewhere("p", nil)}},
		"one in another project, and wanted":      {items: []*Live{elsewhere("p", nil)}, wanted: true, want: 1},
		"a copy in another project":               {items: []*Live{elsewhere("p", func(l *Live) { l.Copied = "was restored" })}, wanted: true},
		"one here, and one in another project":    {items: []*Live{bearing("2", nil), elsewhere("p", nil)}, wanted: true, want: 1},
		"one whose marks nobody guards elsewhere": {items: []*Live{elsewhere("p", func(l *Live) { l.Guarded = false })}, wanted: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := NewCloud(kind.Snapshot{"Thing": {Items: tt.items}}, stack)
			want := map[string]int{}
			if tt.want > 0 {
				want["Thing"] = tt.want
			}
			if got := c.Owned(func(string) bool { return tt.wanted }); !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestClaimedIn(t *testing.T) {
	c := NewCloud(kind.Snapshot{"Thing": {Items: []*Live{elsewhere("p", nil)}}}, stack)
	for _, tt := range []struct {
		project, kind, owner string
		want                 int
	}{
		{"p", "Thing", owner, 1},
		{"q", "Thing", owner, 0},
		{"", "Thing", owner, 0},
		{"p", "Other", owner, 0},
		{"p", "Thing", "stackreeve:s:Thing/b", 0},
	} {
		if got := len(c.ClaimedIn(tt.project, tt.kind, tt.owner).Sole); got != tt.want {
			t.Errorf("%+v: %d claims", tt, got)
		}
	}
}

// Two clouds may have different objects with the same ID. Find returns the object in the cloud of the entry.
func TestFind(t *testing.T) {
	c := NewCloud(kind.Snapshot{"Thing": {Items: []*Live{bearing("1", func(l *Live) { l.Name = "main" }), bearing("1", func(l *Live) { l.Name, l.Entry = "other", "b" })}}}, stack)
	for _, tt := range []struct{ id, entry, want string }{{"1", "", "main"}, {"1", "b", "other"}, {"1", "c", ""}, {"2", "", ""}} {
		got := ""
		if l := c.Collection("Thing").Find(tt.id, tt.entry); l != nil {
			got = l.Name
		}
		if got != tt.want {
			t.Errorf("%s through %q: %q, want %q", tt.id, tt.entry, got, tt.want)
		}
	}
}

// An object in another project is only yielded if the stack reaches that project. A loop over claims can stop at any of them.
func TestKnown(t *testing.T) {
	c := NewCloud(kind.Snapshot{"Thing": {Items: []*Live{bearing("0", nil), elsewhere("p", nil), elsewhere("q", func(l *Live) { l.ID = "2" })}}}, stack)
	for _, tt := range []struct {
		reached string
		most    int
		want    int
	}{{"", 9, 1}, {"p", 9, 2}, {"pq", 9, 3}, {"pq", 1, 1}, {"pq", 2, 2}} {
		got := 0
		for range c.Collection("Thing").ToDecide(func(project string) bool { return strings.Contains(tt.reached, project) }) {
			if got++; got == tt.most {
				break
			}
		}
		if got != tt.want {
			t.Errorf("in %q, %d at most: %d claims, want %d", tt.reached, tt.most, got, tt.want)
		}
	}
}

// UsersOf finds an object with a mark of the stack by the objects that it uses, in this project and in others. It does not find an object
// without such a mark. The same is true if the mark cannot be read, or names another kind.
func TestMarks(t *testing.T) {
	other := ownertext.Of(stack, manifest.Key{Kind: "Other", Name: "a"})
	uses := func(l *Live) { l.Uses = []string{"net", "token"} }
	mark := func(text, alsoListed string) func(*Live) {
		return func(l *Live) { uses(l); l.Mark.Owner, l.AlsoListedAs = text, alsoListed }
	}
	tests := map[string]struct {
		item                                *Live
		users, marked, elsewhere, misplaced int
	}{
		"in this project":              {item: bearing("1", uses), users: 2, marked: 1},
		"in another project":           {item: elsewhere("p", uses), users: 2, elsewhere: 1},
		"another stack's":              {item: bearing("1", mark(ownertext.Of("other", manifest.Key{Kind: "Thing", Name: "a"}), ""))},
		"no mark":                      {item: bearing("1", func(l *Live) { uses(l); l.Mark = nil })},
		"one that cannot be read":      {item: bearing("1", mark(ownertext.Begin(stack)+"?", ""))},
		"another kind's":               {item: bearing("1", mark(other, "")), misplaced: 1},
		"another kind's, listed as it": {item: bearing("1", mark(other, "Other"))},
		"another kind's, not here":     {item: elsewhere("p", mark(other, ""))},
		"in a project without a name":  {item: elsewhere("", uses)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := NewCloud(kind.Snapshot{"Thing": {Items: []*Live{tt.item}}}, stack)
			x := c.Collection("Thing")
			users, marked, far := c.UsersOf(&Live{ID: "net", Tokens: []string{"token", "unused"}}), 0, 0
			for range x.Marked() {
				marked++
			}
			for range x.InOtherProjects() {
				far++
			}
			if len(users) != tt.users || marked != tt.marked || far != tt.elsewhere || len(x.Misplaced()) != tt.misplaced {
				t.Errorf("%d users, %d marked, %d elsewhere, %d misplaced", len(users), marked, far, len(x.Misplaced()))
			}
			for _, user := range users {
				if c.KindOf(user) != "Thing" {
					t.Errorf("a user is a %q", c.KindOf(user))
				}
			}
		})
	}
}

// A loop over objects with marks can stop at any of them.
func TestLoopsStop(t *testing.T) {
	c := NewCloud(kind.Snapshot{"Thing": {Items: []*Live{bearing("1", nil), bearing("2", nil), elsewhere("p", func(l *Live) { l.ID = "3" }), elsewhere("q", func(l *Live) { l.ID = "4" })}}}, stack).Collection("Thing")
	for range c.Marked() {
		break
	}
	for range c.InOtherProjects() {
		break
	}
}
