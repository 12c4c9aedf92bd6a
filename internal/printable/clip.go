package printable

import "strings"

// Clip shortens a text to at most so many bytes, at a character's border, and marks
// the end as cut.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// Shorten shortens a text to at most so many characters, the mark that it was cut
// included.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	count, end := 0, 0
	for i := range text {
		switch count {
		case most - 1:
			end = i
		case most:
			return text[:end] + "…"
		}
		count++
	}
	return text
}
