// Command agent is Stackreeve: it makes an OpenStack cloud match a Git repository. This package connects the other packages and makes
// no decisions.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/stackreeve/stackreeve/internal/service"
)

func main() { os.Exit(run()) }

// run does the work of main and returns the exit code. Tests with scripts also call it.
func run() int {
	service.SaveMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process immediately
	return newApp().execute(ctx, os.Args[1:])
}
