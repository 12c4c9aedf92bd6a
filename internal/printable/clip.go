package printable

import "strings"

// Clip shortens a text to at most limit bytes, and marks the cut. It cuts between characters.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// Shorten shortens a text to at most limit characters, and marks the cut. The mark counts as one of them.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	count, end := 0, 0
	for i := range text {
		switch count {
		case limit - 1:
			end = i
		case limit:
			return text[:end] + "…"
		}
		count++
	}
	return text
}
