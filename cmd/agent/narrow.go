package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is how many columns the help takes.
const helpWidth = 100

// narrow has the help of a command, and of those below it, fit a terminal.
func narrow(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		narrow(below)
	}
	cmd.Long = folded(cmd.Long)
	usual := cmd.UsageFunc()
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		out := c.OutOrStderr()
		var b bytes.Buffer
		c.SetOut(&b)
		err := usual(c)
		c.SetOut(out)
		_, _ = io.WriteString(out, narrowed(b.String()))
		return err
	})
}

// flagLine is a flag with its type, and what it is for.
var flagLine = regexp.MustCompile(`^(\s+-\S.*?\s{3,})(\S.*)$`)

// narrowed breaks lines about flags, and continues them below what they begin with.
func narrowed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		parts := flagLine.FindStringSubmatch(line)
		if parts == nil || len(line) <= helpWidth {
			b.WriteString(line + "\n")
			continue
		}
		b.WriteString(parts[1])
		at, indent := len(parts[1]), strings.Repeat(" ", len(parts[1]))
		for i, word := range strings.Fields(parts[2]) {
			switch {
			case i == 0:
			case at+1+len(word) > helpWidth:
				b.WriteString("\n" + indent)
				at = len(indent)
			default:
				b.WriteString(" ")
				at++
			}
			b.WriteString(word)
			at += len(word)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// folded breaks the lines of a text that are too long; those that are indented are commands, and stay.
func folded(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len(line) <= helpWidth || strings.HasPrefix(line, " ") {
			continue
		}
		var b strings.Builder
		at := 0
		for _, word := range strings.Fields(line) {
			switch {
			case at == 0:
			case at+1+len(word) > helpWidth:
				b.WriteString("\n")
				at = 0
			default:
				b.WriteString(" ")
				at++
			}
			b.WriteString(word)
			at += len(word)
		}
		lines[i] = b.String()
	}
	return strings.Join(lines, "\n")
}
