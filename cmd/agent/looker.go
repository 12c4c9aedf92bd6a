package main

import (
	"context"
	"io/fs"
	"sync"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// looker plans what is not on a stack's branch yet. It has a session of its own
// with the cloud, so that passes and plans do not wait for each other.
type looker struct {
	wiring wiring
	stack  *config.Stack
	// base is the branch that pull requests are measured by; nil where a person
	// asks for a plan.
	base func() (source.Revision, bool)

	mu     sync.Mutex
	engine *engine.Engine
	region string
	tree   string          // of the branch when it was measured
	bounds *resolve.Bounds // by that
}

func (w wiring) looker(s *config.Stack) *looker {
	w.watchers = nil
	return &looker{wiring: w, stack: s}
}

// plan compares files with the live cloud and changes nothing.
func (l *looker) plan(ctx context.Context, commit string, files fs.FS) (plan.Plan, error) {
	// What is wrong by itself is said without asking the cloud.
	want, weaker, known, err := l.readAt(ctx, files)
	if err != nil {
		return plan.Plan{}, err
	}
	engine, region, err := l.open(ctx)
	if err != nil {
		return plan.Plan{}, err
	}
	if region != known {
		if want, weaker, _, err = l.readAt(ctx, files); err != nil {
			return plan.Plan{}, err
		}
	}
	plan := engine.Plan(ctx, commit, want, nil, weaker...)
	if len(plan.Unlisted) > 0 {
		l.close()
	}
	return plan, nil
}

// read turns files into objects without asking the cloud.
func (l *looker) read(ctx context.Context, files fs.FS) ([]kind.Desired, error) {
	want, _, _, err := l.readAt(ctx, files)
	return want, err
}

// readAt is read, and says for which region; "" while that is not known.
func (l *looker) readAt(ctx context.Context, files fs.FS) (want []kind.Desired, weaker []plan.Policy, region string, err error) {
	l.mu.Lock()
	region = l.region
	l.mu.Unlock()
	bounds, err := l.limits(ctx, region)
	if err != nil {
		return nil, nil, region, err
	}
	reading, weaker, err := contents(ctx, l.stack, region, bounds, files)
	return reading.Want, weaker, region, err
}

// limits bounds what is planned: by the stack, and a pull request by the branch
// besides. A branch that cannot be read bounds nothing: what corrects it must not be
// refused.
func (l *looker) limits(ctx context.Context, region string) (resolve.Bounds, error) {
	if l.base == nil {
		return l.stack.Bounds(), nil
	}
	base, ok := l.base()
	if !ok {
		return l.stack.PullBounds(resolve.Size{}), nil
	}
	l.mu.Lock()
	known, tree := l.bounds, l.tree
	l.mu.Unlock()
	if known != nil && tree == base.Tree && tree != "" {
		return *known, nil
	}
	bounds := l.stack.Bounds()
	reading, err := reader(l.stack, region, bounds).Read(ctx, base.Files)
	switch {
	case ctx.Err() != nil:
		return bounds, err
	case err == nil:
		bounds = l.stack.PullBounds(reading.Size)
	}
	l.mu.Lock()
	l.tree, l.bounds = base.Tree, &bounds
	l.mu.Unlock()
	return bounds, nil
}

// trace says who changed an object.
func (l *looker) trace(ctx context.Context, s plan.Step) (kind.Trace, bool) {
	engine, _, err := l.open(ctx)
	if err != nil {
		return kind.Trace{}, false
	}
	return engine.Trace(ctx, s)
}

func (l *looker) open(ctx context.Context) (*engine.Engine, string, error) {
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
