package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// app is what the commands share.
type app struct {
	out, err  io.Writer
	configs   []string
	dataDir   string
	parallel  int
	logFormat string
	verbose   bool
}

// exit is an error that has been told to people already, and the exit code it
// means.
type exit reconcile.Outcome

// Error implements error.
func (e exit) Error() string { return reconcile.Outcome(e).String() }

func (a *app) execute(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.explain(root.ExecuteContext(ctx))
}

// explain prints an error as people need it and returns the exit code.
func (a *app) explain(err error) int {
	var code exit
	var problems manifest.Problems
	switch {
	case err == nil:
		return int(reconcile.InSync)
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &problems):
		a.problems(problems)
		return int(reconcile.Invalid)
	}
	fmt.Fprintf(a.err, "error: %v\n", err)
	return int(reconcile.Broken)
}

func (a *app) problems(problems manifest.Problems) {
	fmt.Fprintln(a.err, problems.Error())
	fmt.Fprintf(a.err, "%s; nothing was done\n", count(len(problems), "problem"))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "stackreeve",
		Short:         "Makes an OpenStack cloud match a Git repository, and keeps it matching",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(a.run(), a.plan(), a.validate(), a.demo(), a.simulator())
	return root
}

// stackFlags adds the flags that say which stacks are meant. The returned
// function loads them once the flags are parsed.
func (a *app) stackFlags(cmd *cobra.Command) func() ([]config.Stack, error) {
	flags := cmd.Flags()
	flags.StringArrayVar(&a.configs, "config", nil, "configuration file; can be repeated (default $STACKREEVE_CONFIG, or stackreeve.yaml)")
	flags.StringVar(&a.dataDir, "data-dir", os.Getenv("STACKREEVE_DATA_DIR"), "folder for a cache of the repositories; never needed (default memory)")
	flags.IntVar(&a.parallel, "parallelism", 10, "how many steps run at a time, in each stack")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "log every request to the cloud")
	for _, s := range config.All() {
		flags.String(s.Flag, "", s.Usage+" ($"+s.Env()+")")
	}
	return func() ([]config.Stack, error) { return a.stacks(flags) }
}

func (a *app) stacks(flags *pflag.FlagSet) ([]config.Stack, error) {
	settings, given := config.Environment(), config.Settings{}
	for _, s := range config.All() {
		if f := flags.Lookup(s.Flag); f.Changed {
			given[s.Flag] = f.Value.String()
		}
	}
	maps.Copy(settings, given)
	files := a.configs
	if len(files) == 0 {
		files = defaultConfigs(settings)
	}
	stacks, err := config.Load(files, settings)
	if errors.Is(err, config.ErrNone) {
		return nil, errors.New("no stack is configured: write a stackreeve.yaml, name one with --config, or give --stack and --url")
	}
	return stacks, err
}

// defaultConfigs finds the configuration when no flag names it.
func defaultConfigs(settings config.Settings) []string {
	if list := os.Getenv("STACKREEVE_CONFIG"); list != "" {
		return strings.Split(list, string(os.PathListSeparator))
	}
	if _, err := os.Stat("stackreeve.yaml"); err == nil && settings["url"] == "" {
		return []string{"stackreeve.yaml"}
	}
	return nil
}

func (a *app) logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if a.verbose {
		options.Level = slog.LevelDebug
	}
	if a.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.err, options))
	}
	return slog.New(slog.NewTextHandler(a.err, options))
}
