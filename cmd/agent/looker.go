package main

import (
	"context"
	"io/fs"
	"sync"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// looker plans what is not on a stack's branch yet. It has a session of its own
// with the cloud, so that passes and plans do not wait for each other.
type looker struct {
	wiring wiring
	stack  *config.Stack

	mu     sync.Mutex
	engine *reconcile.Engine
	region string
}

func (w wiring) looker(s *config.Stack) *looker {
	w.watcher = nil
	return &looker{wiring: w, stack: s}
}

// plan compares files with the live cloud and changes nothing.
func (l *looker) plan(ctx context.Context, commit string, files fs.FS) (reconcile.Plan, error) {
	// What is wrong by itself is said without asking the cloud.
	want, known, err := l.readAt(files)
	if err != nil {
		return reconcile.Plan{}, err
	}
	engine, region, err := l.open(ctx)
	if err != nil {
		return reconcile.Plan{}, err
	}
	if region != known {
		if want, err = reader(l.stack)(files, region); err != nil {
			return reconcile.Plan{}, err
		}
	}
	plan := engine.Look(ctx, commit, want, nil)
	if len(plan.Unlisted) > 0 {
		l.close()
	}
	return plan, nil
}

// read turns files into objects without asking the cloud.
func (l *looker) read(files fs.FS) ([]reconcile.Desired, error) {
	want, _, err := l.readAt(files)
	return want, err
}

// readAt is read, and tells for which region; "" while that is not known.
func (l *looker) readAt(files fs.FS) (want []reconcile.Desired, region string, err error) {
	l.mu.Lock()
	region = l.region
	l.mu.Unlock()
	want, err = reader(l.stack)(files, region)
	return want, region, err
}

// trace says who changed an object.
func (l *looker) trace(ctx context.Context, s reconcile.Step) (reconcile.Trace, bool) {
	engine, _, err := l.open(ctx)
	if err != nil {
		return reconcile.Trace{}, false
	}
	return engine.Trace(ctx, s)
}

func (l *looker) open(ctx context.Context) (*reconcile.Engine, string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.engine == nil {
		engine, region, err := l.wiring.open(ctx, l.stack)
		if err != nil {
			return nil, "", err
		}
		l.engine, l.region = engine, region
	}
	return l.engine, l.region, nil
}

// close forgets a cloud that could not be seen, so that new credentials are
// read.
func (l *looker) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.engine = nil
}
