package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/report"
)

func (a *app) render() *cobra.Command {
	var ref, dir, output string
	var origin, secrets bool
	cmd := &cobra.Command{
		Use:   "render [STACK]",
		Short: "Print the manifests of a stack after its layers are merged",
		Long: `Print the manifests of a stack after its layers are merged, without a cloud.

The output is sorted by kind, namespace and name. Secrets are shown as [redacted].`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeStacks,
		Example:           "  stackreeve render prod\n  stackreeve render prod --ref my-change --origin\n  stackreeve render prod --dir . -o json",
	}
	cmd.Flags().StringVar(&ref, "ref", "", "branch, tag, full commit or full reference to read, merged into the stack's branch unless that holds it (default the branch)")
	cmd.Flags().StringVar(&dir, "dir", "", "read the files in DIR, a work tree of the repository, in place of a commit")
	cmd.Flags().StringVarP(&output, "output", "o", "yaml", "yaml or json")
	cmd.Flags().BoolVar(&origin, "origin", false, "follow each value with a comment that names its file and line")
	cmd.Flags().BoolVar(&secrets, "show-secrets", false, "show secrets; whoever reads the output then knows them")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--output", output, "yaml", "json"); err != nil {
			return err
		}
		switch {
		case dir != "" && ref != "":
			return errors.New("--dir reads files that are in no commit; leave out --ref")
		case origin && output == "json":
			return errors.New("--origin writes comments, which JSON does not have; use -o yaml")
		}
		if len(args) > 0 {
			if err := meantStack(cmd, args); err != nil {
				return err
			}
		}
		stacks, err := load()
		if err != nil {
			return err
		}
		if len(stacks) != 1 {
			return fmt.Errorf("the configuration has %d stacks; name one of them", len(stacks))
		}
		reading, err := a.opener().Manifests(cmd.Context(), &stacks[0], ref, dir)
		if err != nil {
			return err
		}
		m := report.Manifests{Want: reading.Want, Origins: origin, Secrets: secrets}
		if output == "json" {
			return m.JSON(a.out)
		}
		return m.YAML(a.out)
	}
	return cmd
}
