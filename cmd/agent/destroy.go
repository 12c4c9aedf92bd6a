package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/progress"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

func (a *app) destroy() *cobra.Command {
	var approve string
	cmd := &cobra.Command{
		Use:     "destroy [STACK]",
		Example: "  stackreeve destroy prod\n  stackreeve destroy --stack prod --approve 3f2a…",
		Short:   "Plan the end of a stack; with --approve, delete its objects",
		Long: `Plan the end of a stack; with --approve, delete its objects.

Without --approve nothing is changed: the command shows the plan that deletes all objects
of the stack, with its hash. With --approve, exactly that plan is carried out, or none.
Objects that their manifests protect (prune: "false", on-delete: detach, suspend: "true")
are not deleted. Objects with on-delete: detach lose the stack's mark.

An agent that still serves the stack creates everything again: first stop that agent, or
remove the stack from its configuration.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeStacks,
	}
	cmd.Flags().StringVar(&approve, "approve", "", "hash of the plan, as destroy shows it: exactly that plan is carried out")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := meantStack(cmd, args); err != nil {
			return err
		}
		a.keepGone = true
		stacks, err := load()
		if err != nil {
			return err
		}
		if len(stacks) != 1 {
			return fmt.Errorf("%s defines %d stacks, one for each folder of spec.source.paths; name one of them", cmd.Flag("stack").Value, len(stacks))
		}
		s := &stacks[0]
		if !s.Prune() {
			return fmt.Errorf("the stack %s has sync.prune: false, so its objects are not deleted; set sync.prune to true, or delete the objects by hand", s.Name)
		}
		return a.end(cmd, s, approve)
	}
	return cmd
}

// meantStack accepts the stack as an argument instead of --stack. One of them is required.
func meantStack(cmd *cobra.Command, args []string) error {
	given := cmd.Flag("stack")
	switch {
	case len(args) == 0 && !given.Changed:
		return fmt.Errorf("no stack is named; write `%s destroy STACK`", program)
	case len(args) == 0:
		return nil
	case given.Changed && given.Value.String() != args[0]:
		return fmt.Errorf("two stacks are named, %s and %s; name one of them", args[0], given.Value)
	}
	return cmd.Flags().Set("stack", args[0])
}

// end plans the deletion of a stack. It carries out the plan if approved is its hash.
func (a *app) end(cmd *cobra.Command, s *config.Stack, approved string) error {
	o := a.opener()
	text := a.text()
	text.Approve, text.Binding = approving(cmd, "destroy", s.Name)+" --approve", true
	lines := report.NewLines(a.out, "", func() source.Revision { return source.Revision{} }, text)
	defer lines.Close()
	o.Watchers = []engine.Watcher{lines}
	eng, region, err := o.LogIn(cmd.Context(), s)
	if err != nil {
		return err
	}
	weaker, err := o.KeepsNothing(cmd.Context(), s, eng, region)
	if err != nil {
		return err
	}
	weaker = append(weaker, guard.Ending())
	defer a.progress.Begin(progress.Of(s.Name, "comparing with the cloud"))()
	if approved != "" {
		pass := eng.Sync(cmd.Context(), engine.Revision{Approved: []plan.Approval{{Hash: approved}}, Only: approved, Policies: weaker})
		lines.Close()
		text.Pass(pass)
		return ended(pass.Outcome())
	}
	last, needs := eng.PreviewOf(cmd.Context(), engine.Revision{Policies: weaker})
	text.Plan(last, needs, source.Revision{})
	return ended(last.Outcome())
}
