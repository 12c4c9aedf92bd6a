package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
)

// pointToSettings adds a text to the help of a command: where to find the settings that it accepts and does not list. A template could also do
// this. But text/template calls methods by name, so the linker would keep every method of every library: seven megabytes.
func pointToSettings(cmd *cobra.Command) {
	usual := cmd.UsageFunc()
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		err := usual(c)
		fmt.Fprintln(c.OutOrStderr(), "\nFlags can replace a configuration file: `"+program+" help config` lists them.")
		return err
	})
}

// settingsTopic returns the topic that `help config` shows. It is not a command.
func settingsTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString(`The settings of a stack, as flags and as environment variables.

They are for a single stack without a configuration file, or override the settings in the
file for the stack that --stack chooses. A flag overrides its variable. The name after each
flag is the field of the setting in the file; ` + "`" + program + " explain Stack`" + ` says more.

`)
	for _, s := range config.All() {
		fmt.Fprintf(&b, "  --%s, $%s\n      %s\n      %s\n", s.Flag, s.Env(), s.Usage, s.Field)
	}
	return &cobra.Command{Use: "config", Short: "The settings of a stack: flags, variables and fields", Long: strings.TrimRight(b.String(), "\n")}
}

// helpWidth is the width of the help, in columns.
const helpWidth = 100

// narrow fits the help of a command and its subcommands to a terminal.
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

// flagLine matches a flag with its type, and its description.
var flagLine = regexp.MustCompile(`^(\s+-\S.*?\s{3,})(\S.*)$`)

// narrowed breaks the lines about flags, and indents the continuation below the description.
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

// folded breaks the long lines of a text. Indented lines are commands and are not changed.
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
