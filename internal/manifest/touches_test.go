package manifest

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Touches finds the same as a comparison with every field.
func TestTouches(t *testing.T) {
	within := func(field, of string) bool {
		below, ok := strings.CutPrefix(field, of)
		return ok && (below == "" || below[0] == '.' || below[0] == '[')
	}
	path := rapid.StringMatching(`[ab]([.\[\]\-/ab]){0,6}`)
	rapid.Check(t, func(rt *rapid.T) {
		fields, field := rapid.SliceOfN(path, 0, 6).Draw(rt, "fields"), path.Draw(rt, "field")
		slices.Sort(fields)
		want := slices.ContainsFunc(fields, func(f string) bool { return within(f, field) || within(field, f) })
		if got := Touches(fields, field); got != want {
			rt.Fatalf("%q, %q: %t, want %t", fields, field, got, want)
		}
	})
}
