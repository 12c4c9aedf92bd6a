package failure_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

func TestNearestHint(t *testing.T) {
	names := []string{"one", "two", "three", "four", "five", "mian", "seven"}
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, " (there are no branches)"},
		{names[:2], ` (branches: "one", "two")`},
		{names, ` (branches: "mian", "five", "four", "one", "seven" and 2 more)`},
		{[]string{strings.Repeat("m", failure.MaxName+1)}, ` (branches: "` + strings.Repeat("m", failure.MaxName) + `…")`},
	} {
		if got := failure.NearestHint("branches", "main", tt.names); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
}
