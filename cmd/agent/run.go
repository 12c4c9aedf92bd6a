package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report"
)

type runFlags struct {
	once    bool
	approve string
	listen  string
}

func (a *app) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Keep clouds matching their repositories; with --once, one full pass",
		Args:  cobra.NoArgs,
	}
	load := a.stackFlags(cmd)
	cmd.Flags().BoolVar(&f.once, "once", false, "one full pass over all stacks, then exit")
	cmd.Flags().StringVar(&f.approve, "approve", "", "hash of the held plan that may be carried out")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		stacks, err := load()
		if err != nil {
			return err
		}
		return a.once(cmd.Context(), stacks, f)
	}
	return cmd
}

func (a *app) once(ctx context.Context, stacks []config.Stack, f runFlags) error {
	w := wiring{log: a.logger(), dataDir: a.dataDir, parallel: a.parallel}
	worst := reconcile.InSync
	for i := range stacks {
		repo, err := w.repo(&stacks[i])
		if err != nil {
			return err
		}
		s := w.stack(&stacks[i], repo)
		s.Approved = f.approve
		r := s.Pass(ctx)
		a.tell(r)
		worst = worse(worst, r.Outcome())
	}
	if worst != reconcile.InSync {
		return exit(worst)
	}
	return nil
}

func worse(a, b reconcile.Outcome) reconcile.Outcome {
	rank := [...]int{reconcile.InSync: 0, reconcile.Differences: 1, reconcile.Invalid: 2, reconcile.Broken: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

func (a *app) tell(r report.Run) {
	switch {
	case r.Refused != nil:
		a.problems(r.Refused.Problems)
	case r.Err != nil:
		fmt.Fprintf(a.err, "error: %v\n", r.Err)
	default:
		report.Text{W: a.out}.Plan(r.Pass.Last)
		for _, f := range r.Pass.Failures {
			fmt.Fprintf(a.err, "%s: %s: %s\n", f.Origin, f.Key, f.Reason)
		}
	}
}
