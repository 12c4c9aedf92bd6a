package bind

import (
	"maps"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// elsewhere is an object in another project that bears the mark of Thing/a.
func elsewhere(project string, change func(*Live)) Live {
	return bearing("1", func(l *Live) {
		if l.InOwnProject, l.Guarded, l.Project = false, true, project; change != nil {
			change(l)
		}
	})
}

func TestOwned(t *testing.T) {
	keeps := func(l *Live) { l.Mark.Keep = true }
	tests := map[string]struct {
		items  []Live
		wanted bool
		want   int
	}{
		"one":                                     {items: []Live{bearing("1", nil)}, want: 1},
		"two of one mark":                         {items: []Live{bearing("1", nil), bearing("2", nil)}, want: 1},
		"one that its mark keeps":                 {items: []Live{bearing("1", keeps)}},
		"one that its mark keeps, and is wanted":  {items: []Live{bearing("1", keeps)}, wanted: true, want: 1},
		"a copy only":                             {items: []Live{bearing("1", func(l *Live) { l.Copied = "was restored" })}, wanted: true},
		"one in another project":                  {items: []Live{elsewhere("p", nil)}},
		"one in another project, and wanted":      {items: []Live{elsewhere("p", nil)}, wanted: true, want: 1},
		"a copy in another project":               {items: []Live{elsewhere("p", func(l *Live) { l.Copied = "was restored" })}, wanted: true},
		"one here, and one in another project":    {items: []Live{bearing("2", nil), elsewhere("p", nil)}, wanted: true, want: 1},
		"one whose marks nobody guards elsewhere": {items: []Live{elsewhere("p", func(l *Live) { l.Guarded = false })}, wanted: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := In(kind.Snapshot{"Thing": {Items: tt.items}}, stack)
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
	c := In(kind.Snapshot{"Thing": {Items: []Live{elsewhere("p", nil)}}}, stack)
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

// Two clouds may give one ID to objects of their own: an entry shows the one that is in its cloud.
func TestFind(t *testing.T) {
	c := In(kind.Snapshot{"Thing": {Items: []Live{bearing("1", func(l *Live) { l.Name = "main" }), bearing("1", func(l *Live) { l.Name, l.Through = "other", "b" })}}}, stack)
	for _, tt := range []struct{ id, entry, want string }{{"1", "", "main"}, {"1", "b", "other"}, {"1", "c", ""}, {"2", "", ""}} {
		got := ""
		if l := c.Of("Thing").Find(tt.id, tt.entry); l != nil {
			got = l.Name
		}
		if got != tt.want {
			t.Errorf("%s through %q: %q, want %q", tt.id, tt.entry, got, tt.want)
		}
	}
}

// What is in another project is judged only where the stack has to do with that, and a loop over claims can stop at any of them.
func TestKnown(t *testing.T) {
	c := In(kind.Snapshot{"Thing": {Items: []Live{bearing("0", nil), elsewhere("p", nil), elsewhere("q", func(l *Live) { l.ID = "2" })}}}, stack)
	for _, tt := range []struct {
		reached string
		most    int
		want    int
	}{{"", 9, 1}, {"p", 9, 2}, {"pq", 9, 3}, {"pq", 1, 1}, {"pq", 2, 2}} {
		got := 0
		for range c.Of("Thing").Known(func(project string) bool { return strings.Contains(tt.reached, project) }) {
			if got++; got == tt.most {
				break
			}
		}
		if got != tt.want {
			t.Errorf("in %q, %d at most: %d claims, want %d", tt.reached, tt.most, got, tt.want)
		}
	}
}
