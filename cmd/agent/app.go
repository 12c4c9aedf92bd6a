package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/kustomize/child"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/progress"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/session"
)

const program = "stackreeve"

// app contains the state that commands share.
type app struct {
	out, err io.Writer
	// commands is standard output for commands to CI systems. It is nil if there are none.
	commands io.Writer
	// terminal is standard output if that is a terminal, and nil otherwise.
	terminal *os.File

	progress  *progress.Teller // nil if nobody waits for output
	configs   []string
	documents []config.Stack // as configured; a document with source.paths describes several stacks.
	shared    session.Shared // shared by all stacks
	kustomize child.Runner   // for all stacks
	later     bool           // the stacks of folders are searched while the agent runs.
	keepGone  bool           // a stack whose folder no longer exists also counts.
	amiss     plan.Outcome   // the worst problem with folders that should be stacks.
	unlisted  []string       // documents whose folders are unknown
	dataDir   string
	parallel  int
	logFormat string
	verbose   bool
	quiet     bool
}

func newApp() *app {
	stderr := &shared{w: printable.NewWriter(os.Stderr, false)}
	a := &app{err: stderr, progress: progress.New(stderr, time.Now)}
	stderr.wrote = a.progress.Wrote
	if term.IsTerminal(int(os.Stdout.Fd())) {
		a.terminal = os.Stdout
	}
	a.out = &shared{w: printable.NewWriter(os.Stdout, a.terminal != nil), wrote: a.progress.Wrote}
	a.commands = &shared{w: printable.NewCommandWriter(os.Stdout)}
	return a
}

func (a *app) execute(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	defer a.progress.Watch()()
	code := a.fail(misspelt(root, args, root.ExecuteContext(ctx)))
	code = worse(code, a.amiss)
	if err := a.lost(); err != nil && code != plan.Broken {
		code = a.fail(fmt.Errorf("not all of the output was written: %w", err))
	}
	return int(code)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           program,
		Short:         "Makes an OpenStack cloud match a Git repository, and keeps it matching",
		SilenceUsage:  true,
		SilenceErrors: true,
		Long: `Makes an OpenStack cloud match a Git repository, and keeps it matching.

Exit codes: 0 in sync, 1 error, 2 differences remain, 3 refused input (nothing was done).`,
	}
	root.DisableSuggestions, root.SuggestionsMinimumDistance = true, 2 // misspelt makes the suggestions
	asked := root.Flags().Bool("version", false, "print the version")  // -v is --verbose's
	root.RunE = func(*cobra.Command, []string) error {
		if *asked {
			return a.printVersion()
		}
		return root.Help()
	}
	root.PersistentPreRunE = unset
	root.AddCommand(elsewhere()...)
	grouped(root, "Stacks:", a.plan(), a.run(), a.status(), a.outputs(), a.outdated(), a.replace(), a.destroy(), a.forge())
	grouped(root, "Manifests:", a.validate(), a.render(), a.diff(), a.explain(), a.schema(), a.export(), a.secrets(), a.format())
	grouped(root, "Running agents:", a.approve(), a.reconcile(), a.kubeconfig())
	grouped(root, "Without a cloud:", a.demo(), a.simulator())
	root.AddCommand(a.version(), settingsTopic(), a.debug())
	a.completions(root)
	narrow(root)
	return root
}

// grouped adds commands below a heading of the help.
func grouped(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// opener opens stacks of the configuration.
func (a *app) opener() session.Opener {
	log := a.logger(false)
	a.kustomize.Warn(log)
	return session.Opener{Log: log, Kustomize: a.kustomize.Build, DataDir: a.dataDir, Parallelism: a.parallel, Version: version(), Progress: a.progress, Shared: &a.shared}
}
