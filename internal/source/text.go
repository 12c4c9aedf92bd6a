package source

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	maxLine = 200
	maxRead = 64 << 10 // bytes of a text of which one line is shown
)

// oneLine is the first line of text, safe to print and not long.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(printable.Clip(text, maxRead)), "\n")
	return printable.Clip(printable.Line(strings.TrimSpace(line)), maxLine)
}

// quoteServer quotes a message of a server, in brackets; "" for an empty one.
func quoteServer(text string) string {
	if line := oneLine(text); line != "" {
		return " (" + line + ")"
	}
	return ""
}
