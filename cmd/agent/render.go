package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
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

func (a *app) diff() *cobra.Command {
	var dir, output string
	cmd := &cobra.Command{
		Use:   "diff STACK STACK",
		Short: "Show what differs between the manifests of two stacks",
		Long: `Show what differs between the manifests of two stacks, without a cloud.

The manifests are compared after layers are merged and values are put in. An
object whose name contains a value is compared with the object that has the same
name without it. Secrets are compared and not shown. If something differs, the
exit code is 2.`,
		Args:              twoStacks,
		ValidArgsFunction: a.completeStacks,
		Example:           "  stackreeve diff dev prod\n  stackreeve diff dev prod --dir . -o json",
	}
	cmd.Flags().StringVar(&dir, "dir", "", "read the files in DIR, a work tree of the repository, in place of the branches")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--output", output, "text", "json"); err != nil {
			return err
		}
		if cmd.Flag("stack").Changed {
			return errors.New("diff takes the names of two stacks as arguments; leave out --stack")
		}
		stacks, err := load()
		if err != nil {
			return err
		}
		var want [2][]kind.Desired
		for i, name := range args {
			s, err := named(stacks, name)
			if err != nil {
				return err
			}
			reading, err := a.opener().Manifests(cmd.Context(), s, "", dir)
			if err != nil {
				return err
			}
			want[i] = reading.Want
		}
		doc := report.Differences([2]string{args[0], args[1]}, document.Between(want[0], want[1]))
		if output == "json" {
			err = report.JSON(a.out, doc)
		} else {
			doc.Text(a.out)
		}
		if err != nil || len(doc.Differences) == 0 {
			return err
		}
		return ended(plan.OutOfSync)
	}
	return cmd
}

// twoStacks requires two arguments. Its error names `plan`, because other programs show with diff what would change in the cloud.
func twoStacks(cmd *cobra.Command, args []string) error {
	if err := exactly(cmd, args); err != nil {
		return fmt.Errorf("%w; `%s plan` shows what would change in the cloud", err, program)
	}
	return nil
}

// named returns the stack with a name.
func named(stacks []config.Stack, name string) (*config.Stack, error) {
	for i := range stacks {
		if stacks[i].Name == name {
			return &stacks[i], nil
		}
	}
	return nil, fmt.Errorf("the configuration has no stack %s; `%s status` lists the stacks", name, program)
}
