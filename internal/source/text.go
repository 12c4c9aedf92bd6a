package source

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	maxLine = 200
	maxRead = 64 << 10 // number of bytes of a text that are read to find its first line
)

// oneLine returns the first line of a text, shortened and safe to print.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(printable.Clip(text, maxRead)), "\n")
	return printable.Clip(printable.Line(strings.TrimSpace(line)), maxLine)
}

// quoteServer returns a message of a server in brackets; "" for an empty message.
func quoteServer(text string) string {
	if line := oneLine(text); line != "" {
		return " (" + line + ")"
	}
	return ""
}
