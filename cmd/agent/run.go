package main

import (
	"context"
	"os"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

type runFlags struct {
	once            bool
	approve, listen string
}

func (a *app) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Keep clouds matching their repositories; with --once, one full pass",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&f.once, "once", false, "one full pass over all stacks, then exit")
	cmd.Flags().StringVar(&f.approve, "approve", "", "hash of the held plan that may be carried out")
	cmd.Flags().StringVar(&f.listen, "listen", os.Getenv("STACKREEVE_LISTEN"), "address for health and metrics, such as 127.0.0.1:9464 ($STACKREEVE_LISTEN; default none)")
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		stacks, err := load()
		if err != nil {
			return err
		}
		if f.once {
			return a.once(cmd, stacks, f.approve)
		}
		return a.serve(cmd.Context(), stacks, f)
	}
	return cmd
}

// once runs one pass of every stack, all at the same time.
func (a *app) once(cmd *cobra.Command, stacks []config.Stack, approved string) error {
	w := wiring{log: a.logger(false), dataDir: a.dataDir, parallel: a.parallel}
	outcomes := make([]reconcile.Outcome, len(stacks))
	var all sync.WaitGroup
	for i := range stacks {
		all.Go(func() { outcomes[i] = a.pass(cmd, w, &stacks[i], approved, len(stacks) > 1) })
	}
	all.Wait()
	worst := reconcile.InSync
	for _, o := range outcomes {
		worst = worse(worst, o)
	}
	return ended(worst)
}

// approvals is the one that --approve gives, if it does.
func approvals(hash string) []reconcile.Approval {
	if hash == "" {
		return nil
	}
	return []reconcile.Approval{{Hash: hash}}
}

// watcher shows a pass until it is closed.
type watcher interface {
	reconcile.Watcher
	Close()
}

func (a *app) pass(cmd *cobra.Command, w wiring, s *config.Stack, approved string, among bool) reconcile.Outcome {
	repo, err := w.repo(s)
	if err != nil {
		return a.fail(err)
	}
	defer func() { _ = repo.Close() }()
	text := a.text()
	text.Approve = approveCommand(cmd, s.Name)
	shown := a.watch(s.Name, repo, text, among)
	w.watcher = func() reconcile.Watcher { return shown }
	stack := w.stack(s, repo)
	stack.Approved = approvals(approved)
	run := stack.Pass(cmd.Context())
	shown.Close()
	return a.tell(text, run)
}

func (a *app) watch(stack string, repo *source.Repo, text report.Text, among bool) watcher {
	last := func() source.Revision {
		rev, _ := repo.Last()
		return rev
	}
	if a.terminal == nil || among || a.verbose || os.Getenv("TERM") == "dumb" {
		prefix := ""
		if among {
			prefix = stack + ": "
		}
		return report.NewLines(a.out, prefix, last, text)
	}
	return report.NewLive(a.out, func() (int, int) { return size(a.terminal) }, last, text)
}

func size(terminal *os.File) (width, height int) {
	width, height, err := term.GetSize(int(terminal.Fd()))
	if err != nil {
		return 80, 24
	}
	return width, height
}

// tell says how a look ended that was no service's.
func (a *app) tell(text report.Text, run report.Run) reconcile.Outcome {
	switch {
	case run.Refused != nil:
		return a.fail(run.Refused.Problems)
	case run.Err != nil:
		return a.fail(run.Err)
	}
	text.Pass(*run.Pass)
	return run.Outcome()
}

// serve runs until the context ends.
func (a *app) serve(ctx context.Context, stacks []config.Stack, f runFlags) error {
	svc, err := a.service(stacks, f)
	if err != nil {
		return err
	}
	return svc.run(ctx, f.listen)
}
