package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

func (a *app) plan() *cobra.Command {
	var ref string
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Say what a revision would do; changes nothing",
		Args:  cobra.NoArgs,
	}
	load := a.stackFlags(cmd)
	cmd.Flags().StringVar(&ref, "ref", "", "branch, tag, full commit or full reference to plan (default the stack's branch)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		stacks, err := load()
		if err != nil {
			return err
		}
		w := wiring{log: a.logger(), dataDir: a.dataDir, parallel: a.parallel}
		worst := reconcile.InSync
		for i := range stacks {
			plan, _, err := w.look(cmd.Context(), &stacks[i], ref)
			if err != nil {
				return err
			}
			report.Text{W: a.out}.Plan(plan)
			worst = worse(worst, plan.Outcome())
		}
		if worst != reconcile.InSync {
			return exit(worst)
		}
		return nil
	}
	return cmd
}

// look plans a stack's revision without changing anything.
func (w wiring) look(ctx context.Context, s *config.Stack, ref string) (reconcile.Plan, source.Revision, error) {
	repo, err := w.repo(s)
	if err != nil {
		return reconcile.Plan{}, source.Revision{}, err
	}
	defer repo.Close()
	var rev source.Revision
	if ref != "" {
		rev, err = repo.At(ctx, ref)
	} else {
		rev, _, err = repo.Fetch(ctx)
	}
	if err != nil {
		return reconcile.Plan{}, rev, err
	}
	read := reader(s)
	if _, err = read(rev.Files, ""); err != nil {
		return reconcile.Plan{}, rev, err
	}
	engine, region, err := w.open(ctx, s)
	if err != nil {
		return reconcile.Plan{}, rev, err
	}
	want, err := read(rev.Files, region)
	if err != nil {
		return reconcile.Plan{}, rev, err
	}
	return engine.Look(ctx, rev.Commit, want, ""), rev, nil
}
