package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source"
)

func (a *app) validate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate PATH",
		Short: "Say everything about manifests that can be said without a cloud",
		Long: `Say everything about manifests that can be said without a cloud.

PATH is a folder of manifests, read as it lies there, or a configuration file.
--config (with --stack) says whose spec.defaults count.`,
		Args: cobra.ExactArgs(1),
	}
	a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		info, err := os.Stat(args[0])
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			return a.validateConfig(args[0])
		}
		stack, err := a.stackOf(settings(cmd.Flags()))
		if err != nil {
			return err
		}
		return a.validateFolder(cmd.Context(), args[0], stack)
	}
	return cmd
}

func (a *app) validateConfig(file string) error {
	stacks, err := loadStacks([]string{file}, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %d stacks, no problems\n", printable.Name(file), len(stacks))
	return nil
}

// stackOf is the configured stack, if one is named, with what flags say.
func (a *app) stackOf(s config.Settings) (*config.Stack, error) {
	if len(a.configs) == 0 {
		s["stack"], s["url"] = cmp.Or(s["stack"], "validate"), cmp.Or(s["url"], ".")
	}
	stacks, err := loadStacks(a.configs, s)
	switch {
	case err != nil:
		return nil, err
	case len(stacks) > 1:
		return nil, fmt.Errorf("the configuration has %d stacks; choose one with --stack", len(stacks))
	}
	return &stacks[0], nil
}

func (a *app) validateFolder(ctx context.Context, path string, stack *config.Stack) error {
	rev, err := source.Dir(path)
	if err != nil {
		return err
	}
	reading, err := reader(stack, "", stack.Bounds()).Read(ctx, rev.Files)
	for _, i := range reading.Ignored {
		fmt.Fprintf(a.err, "left alone: %s: %s\n", i.Origin, printable.Line(i.Why))
	}
	if err != nil {
		return err
	}
	written := 0
	for _, d := range reading.Want {
		if d.Parent.Kind == "" {
			written++
		}
		for _, n := range d.Notes {
			fmt.Fprintf(a.err, "note: %s: %s: %s: %s\n", d.Origin, d.Key, printable.Line(n.Field), printable.Line(n.Text))
		}
	}
	fmt.Fprintf(a.out, "%s: %d objects, no problems\n", printable.Name(path), written)
	return nil
}
