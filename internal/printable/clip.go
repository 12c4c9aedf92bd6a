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
