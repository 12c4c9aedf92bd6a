package guard

import (
	"strings"
	"testing"
)

// FuzzLimit checks that a limit never allows more than its text says, for any number of owned
// objects.
func FuzzLimit(f *testing.F) {
	for _, text := range []string{"5", "30%", " 7 ", "1e2%", "NaN%", "-0%", "0x1p-2%", "100.0000001%", "9223372036854775807", "+3", "30%%"} {
		f.Add(text, 10)
	}
	f.Fuzz(func(t *testing.T, text string, owned int) {
		l, err := ParseLimit(text)
		if err != nil || owned < 0 || owned > 1<<40 {
			return
		}
		again, err := ParseLimit(l.String())
		if err != nil || again != l && l.countOf(owned) != again.countOf(owned) {
			t.Errorf("%q becomes %q, which becomes %+v, %v", text, l, again, err)
		}
		n := l.countOf(owned)
		if n < 0 || strings.Contains(text, "%") && n > owned {
			t.Errorf("%q of %d is %d", text, owned, n)
		}
	})
}
