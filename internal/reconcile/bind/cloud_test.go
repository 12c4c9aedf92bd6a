package bind

import (
	"maps"
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
