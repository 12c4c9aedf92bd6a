package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/source"
)

func (a *app) plan() *cobra.Command {
	var ref, output string
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Say what a revision would do; changes nothing",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().StringVar(&ref, "ref", "", "branch, tag, full commit or full reference to plan (default the stack's branch)")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json or markdown")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := oneOf("--output", output, "text", "json", "markdown"); err != nil {
			return err
		}
		stacks, err := load()
		if err != nil {
			return err
		}
		return a.each(stacks, func(w wiring, s *config.Stack) (reconcile.Plan, error) {
			plan, rev, err := w.look(cmd.Context(), s, ref)
			if output == "markdown" {
				fmt.Fprint(a.out, page(s, plan, rev, err).Markdown())
			}
			switch {
			case err != nil:
				return plan, err
			case output == "json":
				return plan, report.JSON(a.out, report.Document(plan, rev))
			case output == "text":
				text := a.text()
				text.Approve = approveCommand(cmd, s.Name)
				text.Plan(plan, rev)
			}
			return plan, nil
		})
	}
	return cmd
}

// page is the comment that a pull request of the revision would get.
func page(s *config.Stack, plan reconcile.Plan, rev source.Revision, err error) comment.Page {
	p := comment.Page{Stack: s.Name, Head: rev.Commit, Root: rev.Root}
	switch {
	case errors.As(err, &p.Problems):
	case err != nil:
		p.Err = err.Error()
	default:
		p.Plan = &plan
	}
	return p
}

// each looks at every stack in turn; one that fails stops no other.
func (a *app) each(stacks []config.Stack, look func(wiring, *config.Stack) (reconcile.Plan, error)) error {
	w := wiring{log: a.logger(false), dataDir: a.dataDir, parallel: a.parallel}
	worst := reconcile.InSync
	for i := range stacks {
		plan, err := look(w, &stacks[i])
		if err != nil {
			worst = worse(worst, a.fail(err))
			continue
		}
		worst = worse(worst, plan.Outcome())
	}
	return ended(worst)
}

// look plans a stack's revision without changing anything. ref is "" for the
// newest of its branch.
func (w wiring) look(ctx context.Context, s *config.Stack, ref string) (plan reconcile.Plan, rev source.Revision, err error) {
	repo, err := w.repo(s)
	if err != nil {
		return plan, rev, err
	}
	defer func() { _ = repo.Close() }()
	if ref != "" {
		rev, err = repo.At(ctx, ref)
	} else {
		rev, _, err = repo.Fetch(ctx)
	}
	if err != nil {
		return plan, rev, err
	}
	read := reader(s)
	if _, err = read(rev.Files, ""); err != nil {
		return plan, rev, err
	}
	engine, region, err := w.open(ctx, s)
	if err != nil {
		return plan, rev, err
	}
	want, err := read(rev.Files, region)
	if err != nil {
		return plan, rev, err
	}
	return engine.Look(ctx, rev.Commit, want, nil), rev, nil
}
