package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
)

// pointToSettings has the help of a command say where the settings are that it
// takes and does not list. A template would do, but text/template calls methods by name, and a
// program that has it keeps every method of every library: seven megabytes.
func pointToSettings(cmd *cobra.Command) {
	usual := cmd.UsageFunc()
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		err := usual(c)
		fmt.Fprintln(c.OutOrStderr(), "\nWhat a configuration file says can be said by flags, too: `"+program+" help config` lists them.")
		return err
	})
}

// settingsTopic is what `help config` shows. It is no command.
func settingsTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString(`The settings of a stack, as flags and as environment variables.

They are for a single stack without a configuration file, or go over what the file
says of the stack that --stack chooses. A flag goes over its variable. In the
file, a setting is the field that is named last; ` + "`" + program + " explain Stack`" + ` says more.

`)
	for _, s := range config.All() {
		fmt.Fprintf(&b, "  --%s, $%s\n      %s\n      %s\n", s.Flag, s.Env(), s.Usage, s.Field)
	}
	return &cobra.Command{Use: "config", Short: "The settings of a stack: flags, variables and fields", Long: strings.TrimRight(b.String(), "\n")}
}
