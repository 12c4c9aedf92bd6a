package source

import (
	"strings"
	"unicode"
)

const maxLine = 200

// oneLine is the first line of text, fit for a terminal and a log: printable,
// and not long.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(line, ""))
	return clip(strings.TrimSpace(line), maxLine)
}

// said quotes a server's own words, if it said any.
func said(text string) string {
	if line := oneLine(text); line != "" {
		return " (" + line + ")"
	}
	return ""
}

// clip shortens s to at most n bytes, at a character's border.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
