// Command agent is Stackreeve: it makes an OpenStack cloud match a Git repository. This package connects the other packages and makes
// no decisions.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/kustomize/child"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/service"
)

func main() { os.Exit(run()) }

// run does the work of main and returns the exit code. Tests with scripts also call it.
func run() int {
	if len(os.Args) == 2 && os.Args[1] == child.Command {
		return kustomize()
	}
	service.SaveMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process immediately
	return newApp().execute(ctx, os.Args[1:])
}

// kustomize is the whole program in a process that only runs kustomize.
func kustomize() int {
	if err := child.Main(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return int(plan.Broken)
	}
	return 0
}

// release is set by the linker when a release is built.
var release string

// version returns the release. In other builds, it returns the version that the Go tool stored.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(release, "unknown")
	}
	return cmp.Or(release, info.Main.Version, "unknown")
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly,
		RunE:  func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintln(a.out, program, version(), runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return err
}
