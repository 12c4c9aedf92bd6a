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

// twoStacks requires two arguments. People of other programs may mean plan.
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
