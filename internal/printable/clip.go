package printable

import "strings"

// Clip shortens a text to at most most bytes, and marks the cut. It cuts between characters.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// Shorten shortens a text to at most most characters, and marks the cut. The mark counts as one of them.
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
