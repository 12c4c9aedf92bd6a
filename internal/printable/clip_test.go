package printable

import "testing"

func TestClip(t *testing.T) {
	for text, want := range map[string]string{"": "", "four": "four", "fives": "five…", "ab\u00e4\u00e4": "abä…", "abcä": "abc…"} {
		if got := Clip(text, 4); got != want {
			t.Errorf("Clip(%q, 4) = %q, want %q", text, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for text, want := range map[string]string{"": "", "four": "four", "fives": "fiv…", "ääää": "ääää", "äääää": "äää…", "a\u0308bcdef": "a\u0308b…", "\xff\xffaaa": "\xff\xffa…"} {
		if got := Shorten(text, 4); got != want {
			t.Errorf("Shorten(%q, 4) = %q, want %q", text, got, want)
		}
	}
	if one, none := Shorten("two", 1), Shorten("two", 0); one != "…" || none != "…" {
		t.Errorf("of hardly any room: %q, %q", one, none)
	}
}
