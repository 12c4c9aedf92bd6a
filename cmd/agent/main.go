// Command agent is Stackreeve: it makes an OpenStack cloud match a Git
// repository. This package wires rooms together and decides nothing.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() { os.Exit(run()) }

// run is main for scripts, too: it returns the exit code.
func run() int {
	frugal()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return newApp().execute(ctx, os.Args[1:])
}

// frugal has memory collected when half as much as is in use has come on top, where Go waits
// for as much again: collecting takes two hundredths of a pass's time, and an agent often
// shares its machine. GOGC in the environment has precedence.
func frugal() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}
