package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// narrows are the flags without which a command means more: every stack, another commit or cloud, any plan.
var narrows = []string{
	"approve", "stack", "url", "branch", "path", "paths", "cloud", "ref", "dir", "kind", "output-dir", "terraform-state", "heat-resources", "state-rm",
}

// unset refuses what is given and empty: most often a variable of a script that is not set. `run --once --approve "$HASH"`
// would carry out any plan.
func unset(cmd *cobra.Command, args []string) (err error) {
	if cmd.DisableFlagParsing { // what completes words gets empty ones
		return nil
	}
	const fix = "leave it out, or give it a value (is a variable not set?)"
	if slices.Contains(args, "") {
		return fmt.Errorf("%s: an argument is empty; %s", cmd.Name(), fix)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && slices.Contains(narrows, f.Name) && isEmpty(f.Value) {
			err = fmt.Errorf("--%s is empty; %s", f.Name, fix)
		}
	})
	return err
}

func isEmpty(value pflag.Value) bool {
	if list, ok := value.(pflag.SliceValue); ok {
		return len(list.GetSlice()) == 0
	}
	return value.String() == ""
}
