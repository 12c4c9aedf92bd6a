package printable

import "testing"

func TestClip(t *testing.T) {
	for text, want := range map[string]string{"": "", "four": "four", "fives": "five…", "ab\u00e4\u00e4": "abä…", "abcä": "abc…"} {
		if got := Clip(text, 4); got != want {
			t.Errorf("Clip(%q, 4) = %q, want %q", text, got, want)
		}
	}
}
