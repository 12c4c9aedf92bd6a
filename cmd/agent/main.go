// Command agent is Stackreeve: it makes an OpenStack cloud match a Git repository. This package connects the other packages and makes
// no decisions.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

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
