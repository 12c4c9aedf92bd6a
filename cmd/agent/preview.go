package main

import (
	"context"
	"io/fs"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// previewer plans what is not on a stack's branch yet. It has a session of its own
// with the cloud, so that passes and plans do not wait for each other.
type previewer struct {
	wiring wiring
	stack  *config.Stack
	// base is the branch that pull requests are measured by; nil where a person
	// asks for a plan.
	base func() (source.Revision, bool)
	// past is what the files were before, where no branch says it; nil where that is not known.
	past resolve.Past

	mu     sync.Mutex
	engine *engine.Engine
	region string
	tree   string          // of the branch when it was measured
	bounds *resolve.Bounds // by that
}

func (w wiring) previewer(s *config.Stack) *previewer {
	w.watchers = nil
	return &previewer{wiring: w, stack: s}
}

// plan compares files with the live cloud and changes nothing.
func (p *previewer) plan(ctx context.Context, commit string, files fs.FS) (plan.Plan, error) {
	// What is wrong by itself is said without asking the cloud.
	read, weaker, known, err := p.readAt(ctx, files)
	if err != nil {
		return plan.Plan{}, err
	}
	session, region, err := p.open(ctx)
	if err != nil {
		return plan.Plan{}, err
	}
	if region != known {
		if read, weaker, _, err = p.readAt(ctx, files); err != nil {
			return plan.Plan{}, err
		}
	}
	before, err := p.wantedBefore(ctx, region, read)
	if err != nil {
		return plan.Plan{}, err
	}
	plan := session.PlanOf(ctx, engine.Revision{Commit: commit, Want: read.Want, Before: before, Policies: weaker})
	plan.Left = read.Ignored
	if plan.Unseen() {
		p.close()
	}
	return plan, nil
}

// wantedBefore is what the commit before wanted, where drift is left to people: what is missing of it was deleted in the cloud.
func (p *previewer) wantedBefore(ctx context.Context, region string, read resolve.Reading) (map[manifest.Key]kind.Sum, error) {
	reports := func(d kind.Desired) bool { return d.Options.Report != nil && *d.Options.Report }
	if p.past == nil || !p.stack.LeavesDrift() && !slices.ContainsFunc(read.Want, reports) {
		return nil, nil
	}
	return agent.Wanted(ctx, p.past, func(files fs.FS) ([]kind.Desired, error) {
		read, _, err := p.wiring.contents(ctx, p.stack, region, p.stack.Bounds(), files)
		return read.Want, err
	})
}

// read turns files into objects without asking the cloud.
func (p *previewer) read(ctx context.Context, files fs.FS) ([]kind.Desired, error) {
	read, _, _, err := p.readAt(ctx, files)
	return read.Want, err
}

// readAt is read, and says for which region; "" while that is not known.
func (p *previewer) readAt(ctx context.Context, files fs.FS) (read resolve.Reading, weaker []plan.Policy, region string, err error) {
	p.mu.Lock()
	region = p.region
	p.mu.Unlock()
	bounds, err := p.limits(ctx, region)
	if err != nil {
		return read, nil, region, err
	}
	read, weaker, err = p.wiring.contents(ctx, p.stack, region, bounds, files)
	if past := p.before(); err == nil && past != nil {
		err = reader(p.stack, region, bounds).Emptied(ctx, read, past)
	}
	return read, weaker, region, err
}

// before is what the files were: those of the branch, or what is known besides.
func (p *previewer) before() resolve.Past {
	if p.base == nil {
		return p.past
	}
	base, ok := p.base()
	if !ok {
		return nil
	}
	return func(_ context.Context, visit func(string, fs.FS) bool) error {
		visit(base.Commit, base.Files)
		return nil
	}
}

// limits bounds what is planned: by the stack, and a pull request by the branch
// besides. A branch that cannot be read bounds nothing: what corrects it must not be
// refused.
func (p *previewer) limits(ctx context.Context, region string) (resolve.Bounds, error) {
	if p.base == nil {
		return p.stack.Bounds(), nil
	}
	base, ok := p.base()
	if !ok {
		return p.stack.PullBounds(resolve.Size{}), nil
	}
	p.mu.Lock()
	known, tree := p.bounds, p.tree
	p.mu.Unlock()
	if known != nil && tree == base.Tree && tree != "" {
		return *known, nil
	}
	bounds := p.stack.Bounds()
	r, err := p.wiring.reader(ctx, p.stack, region, bounds)
	if err != nil {
		return bounds, err
	}
	reading, err := r.Read(ctx, base.Files)
	switch {
	case ctx.Err() != nil:
		return bounds, err
	case err == nil:
		bounds = p.stack.PullBounds(reading.Size)
	}
	p.mu.Lock()
	p.tree, p.bounds = base.Tree, &bounds
	p.mu.Unlock()
	return bounds, nil
}

func (p *previewer) open(ctx context.Context) (*engine.Engine, string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine == nil {
		engine, region, err := p.wiring.open(ctx, p.stack, nil)
		if err != nil {
			return nil, "", err
		}
		p.engine, p.region = engine, region
	}
	return p.engine, p.region, nil
}

// close forgets a cloud that could not be seen, so that new credentials are
// read.
func (p *previewer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.engine = nil
}
