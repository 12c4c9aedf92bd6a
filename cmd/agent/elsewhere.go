package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// elsewhere are commands that similar programs have. They say which of ours does
// the same, and do nothing.
func elsewhere() (list []*cobra.Command) {
	for name, use := range map[string]string{
		"apply": "`stackreeve run --once` carries a plan out, `stackreeve run` keeps doing so",
		"diff":  "`stackreeve plan` shows what would change",
	} {
		list = append(list, &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true, SilenceUsage: true,
			RunE: func(*cobra.Command, []string) error { return fmt.Errorf("there is no command %s: %s", name, use) },
		})
	}
	return list
}
