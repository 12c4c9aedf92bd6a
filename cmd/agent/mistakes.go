package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// narrows are flags that limit the effect of a command. Without them, the command affects every stack, another commit or cloud, or any plan.
var narrows = []string{
	"approve", "stack", "url", "branch", "path", "paths", "cloud", "ref", "dir", "kind", "output-dir", "terraform-state", "heat-resources", "state-rm",
}

// unset refuses flags and arguments that are given but empty, because usually a variable of a script is not set. With an empty HASH, `run
// --once --approve "$HASH"` would carry out any plan.
func unset(cmd *cobra.Command, args []string) (err error) {
	if cmd.DisableFlagParsing { // completion gets empty words
		return nil
	}
	const fix = "remove it, or give it a value (perhaps a variable of the shell is not set)"
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

// misspelt adds to an error the command that the person may have meant.
func misspelt(root *cobra.Command, args []string, err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), "unknown command ") {
		return err
	}
	for _, word := range args {
		if near := root.SuggestionsFor(word); len(near) > 0 {
			return fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
		}
	}
	return fmt.Errorf("%w; `%s help` lists them", err, program)
}

// exactly requires one argument for each name in the command's use.
func exactly(cmd *cobra.Command, args []string) error {
	switch names := strings.Fields(cmd.Use)[1:]; {
	case len(args) == len(names):
		return nil
	case len(names) == 0:
		return fmt.Errorf("%s takes flags only, not %q; `%s --help` lists them", cmd.Name(), args[0], cmd.CommandPath())
	}
	return fmt.Errorf("%d argument(s) given; write `%s %s`", len(args), program, cmd.Use)
}

func oneOf(flag, value string, allowed ...string) error {
	for _, v := range allowed {
		if v == value {
			return nil
		}
	}
	return fmt.Errorf("%s: %q is not one of %s", flag, value, strings.Join(allowed, ", "))
}

// elsewhere returns commands of similar programs. Such a command only prints Stackreeve's command for the same purpose.
func elsewhere() (list []*cobra.Command) {
	for name, use := range map[string]string{
		"apply": "`stackreeve run --once` carries a plan out; `stackreeve run` carries out plans continuously",
	} {
		list = append(list, &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true, SilenceUsage: true,
			RunE: func(*cobra.Command, []string) error { return fmt.Errorf("there is no command %s: %s", name, use) },
		})
	}
	return list
}
