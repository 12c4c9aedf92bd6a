package service

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreHangups ignores SIGHUP while no stack is served yet, until stop is called. A check is not needed at that time, because all stacks are about
// to be checked.
func ignoreHangups() (stop func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGHUP)
	return func() { signal.Stop(unread) }
}

// onHangup checks every stack when the process gets a SIGHUP, until stop is called.
func (svc *service) onHangup() (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			svc.log.Info("SIGHUP: checking every stack now")
			for _, one := range svc.roster.serving() {
				one.loop.ReconcileNow()
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}
