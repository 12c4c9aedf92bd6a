package source

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	maxLine = 200
	maxRead = 64 << 10 // of a text of which one line is shown
)

// oneLine is the first line of text, safe to print and not long.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(clip(text, maxRead)), "\n")
	return clip(printable.Line(strings.TrimSpace(line)), maxLine)
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
