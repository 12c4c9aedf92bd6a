package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

const program = "stackreeve"

// app is what the commands share.
type app struct {
	out, err io.Writer
	// commands is standard output for commands to CI systems; nil where there are
	// none.
	commands io.Writer
	// terminal is standard output when it is one; nil otherwise.
	terminal *os.File

	progress  *progress // nil where nobody waits
	configs   []string
	documents []config.Stack // as configured; those with source.paths stand for others
	clones    *clones
	libraries libraries
	sharing   cloud.Sharing  // of all clients
	later     bool           // the stacks of folders are found while it runs
	keepGone  bool           // a stack whose folder is gone is meant, too
	serving   []config.Stack // those that are served now
	amiss     plan.Outcome   // what was wrong with folders that should be stacks
	unlisted  []string       // documents whose folders are not known
	dataDir   string
	parallel  int
	logFormat string
	verbose   bool
	quiet     bool
}

func newApp() *app {
	stderr := &shared{w: printable.NewWriter(os.Stderr, false)}
	a := &app{err: stderr, progress: newProgress(stderr, time.Now)}
	stderr.wrote = a.progress.wrote
	if term.IsTerminal(int(os.Stdout.Fd())) {
		a.terminal = os.Stdout
	}
	a.out = &shared{w: printable.NewWriter(os.Stdout, a.terminal != nil), wrote: a.progress.wrote}
	a.commands = &shared{w: printable.NewCommandWriter(os.Stdout)}
	return a
}

// shared lets several stacks write, one at a time.
type shared struct {
	mu    sync.Mutex
	w     io.Writer
	wrote func() // nil where nobody asks
	err   error  // why something was not written; nil when all was
}

// Write implements io.Writer.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrote != nil {
		s.wrote()
	}
	n, err := s.w.Write(p)
	if err != nil {
		s.err = err
	}
	return n, err
}

func (s *shared) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// exit is an error that was printed already, and the exit code it
// means.
type exit plan.Outcome

// Error implements error.
func (e exit) Error() string { return plan.Outcome(e).String() }

// ended is the error that makes the process exit with the outcome's code.
func ended(o plan.Outcome) error {
	if o == plan.InSync {
		return nil
	}
	return exit(o)
}

func (a *app) execute(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	defer a.progress.watch()()
	code := a.fail(misspelt(root, args, root.ExecuteContext(ctx)))
	code = worse(code, a.amiss)
	if err := a.lost(); err != nil && code != plan.Broken {
		code = a.fail(fmt.Errorf("not all of the output was written: %w", err))
	}
	return int(code)
}

// lost is why something is missing from standard output, such as a full disk; nil when nothing is.
func (a *app) lost() error {
	for _, w := range []io.Writer{a.out, a.commands} {
		if s, ok := w.(*shared); ok && s.failed() != nil {
			return s.failed()
		}
	}
	return nil
}

// misspelt names the command that may have been meant.
func misspelt(root *cobra.Command, args []string, err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), "unknown command ") {
		return err
	}
	for _, word := range args {
		if near := root.SuggestionsFor(word); len(near) > 0 {
			return fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
		}
	}
	return fmt.Errorf("%w; `%s help` lists them", err, program)
}

// exactly wants as many arguments as the command's use names.
func exactly(cmd *cobra.Command, args []string) error {
	switch names := strings.Fields(cmd.Use)[1:]; {
	case len(args) == len(names):
		return nil
	case len(names) == 0:
		return fmt.Errorf("%s takes flags only, not %q; `%s --help` lists them", cmd.Name(), args[0], cmd.CommandPath())
	}
	return fmt.Errorf("%d argument(s) given; write `%s %s`", len(args), program, cmd.Use)
}

// fail prints an error and returns what it means.
func (a *app) fail(err error) plan.Outcome { return a.failed("", err) }

// failed is fail where several stacks may fail, each by its name.
func (a *app) failed(stack string, err error) plan.Outcome {
	var code exit
	var problems manifest.Problems
	switch {
	case err == nil:
		return plan.InSync
	case errors.As(err, &code):
		return plan.Outcome(code)
	case errors.As(err, &problems):
		if a.logFormat == "json" {
			for _, p := range problems.Sorted() {
				a.logger(false).Error("problem", "stack", stack, "problem", p.String())
			}
			return plan.Invalid
		}
		if errors.As(err, new(folderError)) {
			fmt.Fprintln(a.err, err) // the other stacks are not concerned
			return plan.Invalid
		}
		var text bytes.Buffer
		if stack != "" {
			fmt.Fprintf(&text, "stack %s:\n", stack)
		}
		report.Text{W: &text}.Problems(problems)
		_, _ = a.err.Write(text.Bytes()) // in one piece: other stacks write, too
		return plan.Invalid
	}
	for _, one := range joined(err) {
		// The class says what the agent does next; people need what comes after it.
		text := strings.TrimPrefix(private.Text(one), kind.ErrRejected.Error()+": ")
		if a.logFormat == "json" {
			a.logger(false).Error(text, "stack", stack)
			continue
		}
		if stack != "" {
			text = "stack " + stack + ": " + text
		}
		fmt.Fprintf(a.err, "error: %s\n", printable.Line(text))
	}
	return plan.Broken
}

// joined takes errors apart that stand in lines of their own, so that a line
// end within one of them is not taken for ours.
func joined(err error) []error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	parts := several.Unwrap()
	if len(parts) == 0 || errors.Join(parts...).Error() != err.Error() {
		return []error{err}
	}
	var list []error
	for _, part := range parts {
		list = append(list, joined(part)...)
	}
	return list
}

// worse is the outcome that says more about two stacks: an error is worse than
// refused input, that than differences.
func worse(a, b plan.Outcome) plan.Outcome {
	rank := [...]int{plan.InSync: 0, plan.OutOfSync: 1, plan.Invalid: 2, plan.Broken: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
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
	root.DisableSuggestions, root.SuggestionsMinimumDistance = true, 2 // see misspelt
	asked := root.Flags().Bool("version", false, "print the version")  // -v is --verbose's
	root.RunE = func(*cobra.Command, []string) error {
		if *asked {
			return a.printVersion()
		}
		return root.Help()
	}
	root.PersistentPreRunE = unset
	root.AddCommand(elsewhere()...)
	grouped(root, "Stacks:", a.plan(), a.run(), a.status(), a.destroy())
	grouped(root, "Manifests:", a.validate(), a.explain(), a.schema(), a.export())
	grouped(root, "Running agents:", a.approve(), a.reconcile(), a.kubeconfig())
	grouped(root, "Without a cloud:", a.demo(), a.simulator())
	root.AddCommand(a.version(), settingsTopic())
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

// text writes for people on standard output.
func (a *app) text() report.Text {
	_, plain := os.LookupEnv("NO_COLOR")
	return report.Text{W: a.out, Color: a.terminal != nil && !plain && os.Getenv("TERM") != "dumb", Verbose: a.verbose}
}

// logger is for what happens behind the scenes; service says that nobody is
// watching and everything that matters goes there.
func (a *app) logger(service bool) *slog.Logger {
	level := slog.LevelWarn
	if service {
		level = slog.LevelInfo
	}
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(report.NewHandler(a.err, a.logFormat == "json", level))
}

func oneOf(flag, value string, allowed ...string) error {
	for _, v := range allowed {
		if v == value {
			return nil
		}
	}
	return fmt.Errorf("%s: %q is not one of %s", flag, value, strings.Join(allowed, ", "))
}
