package source

import (
	"strings"
	"unicode"
)

const (
	maxLine = 200
	maxRead = 64 << 10 // of a text of which one line is shown
)

// oneLine is the first line of text, fit for a terminal and a log: printable,
// and not long.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(clip(text, maxRead)), "\n")
	return clip(strings.TrimSpace(printable(line)), maxLine)
}

// printable leaves out what could move a terminal's cursor or end a line of a
// log. A line break becomes a space.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
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
