package session

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Previewer plans files that are not on a stack's branch yet. It has its own login to the cloud, so that passes and plans do not wait for each
// other.
type Previewer struct {
	opener Opener
	stack  *config.Stack
	// Base returns the branch's newest revision, which limits the size of pull requests. Base is nil if a person requests the plan.
	Base func() (source.Revision, bool)
	// Past visits the earlier states of the files if Base is nil. Past is nil if they are unknown.
	Past resolve.Past

	targets  []plan.Target // the objects to which plans are limited; nil if there is none
	recreate bool          // a person has requested that the targets are recreated

	mu     sync.Mutex
	engine *engine.Engine
	region string
	tree   string          // the branch's tree from which bounds were computed.
	bounds *resolve.Bounds // computed from tree
}

// Previewer returns a previewer for a stack.
func (o Opener) Previewer(s *config.Stack) *Previewer {
	o.Watchers, o.plans = nil, true
	return &Previewer{opener: o, stack: s}
}

// Plan compares files with the live cloud, and finds out whether the cloud has what the plan needs. It changes nothing.
func (p *Previewer) Plan(ctx context.Context, commit string, files fs.FS) (plan.Plan, preflight.Findings, error) {
	eng, rev, err := p.prepare(ctx, commit, files)
	if err != nil {
		return plan.Plan{}, preflight.Findings{}, err
	}
	plan, needs := eng.PreviewOf(ctx, rev)
	if plan.ListsIncomplete() {
		p.close()
	}
	return plan, needs, nil
}

// prepare reads files, and logs in to the cloud.
func (p *Previewer) prepare(ctx context.Context, commit string, files fs.FS) (*engine.Engine, engine.Revision, error) {
	// Errors in the files are reported without a request to the cloud.
	read, weaker, known, err := p.readAt(ctx, files)
	if err != nil {
		return nil, engine.Revision{}, err
	}
	eng, region, err := p.open(ctx)
	if err != nil {
		return nil, engine.Revision{}, err
	}
	if region != known { // the defaults of kinds depend on the region, which may be unknown before the login
		if read, weaker, _, err = p.readAt(ctx, files); err != nil {
			return nil, engine.Revision{}, err
		}
	}
	before, err := p.sumsBefore(ctx, region, read)
	return eng, engine.Revision{Commit: commit, Want: read.Want, Ignored: read.Ignored, PreviousSums: before, EarlierKinds: p.earlierKinds(region), Policies: weaker, Targets: p.targets, Recreate: p.recreate}, err
}

// sumsBefore returns the checksums of the manifests of the previous commit if people decide about drift. An object of that commit that is
// missing in the cloud was deleted there.
func (p *Previewer) sumsBefore(ctx context.Context, region string, read resolve.Reading) (map[manifest.Key]checksum.Sum, error) {
	reports := func(d kind.Desired) bool { return d.Options.Report != nil && *d.Options.Report }
	if p.Past == nil || !p.stack.LeavesDrift() && !slices.ContainsFunc(read.Want, reports) {
		return nil, nil
	}
	return agent.Wanted(ctx, p.Past, func(files fs.FS) ([]kind.Desired, error) {
		read, _, err := p.opener.Contents(ctx, p.stack, region, p.stack.Bounds(), files)
		return read.Want, err
	})
}

// Read turns files into objects without the cloud.
func (p *Previewer) Read(ctx context.Context, files fs.FS) ([]kind.Desired, error) {
	read, _, _, err := p.readAt(ctx, files)
	return read.Want, err
}

// readAt does what Read does, and also returns the region; "" when unknown.
func (p *Previewer) readAt(ctx context.Context, files fs.FS) (read resolve.Reading, weaker []plan.Policy, region string, err error) {
	p.mu.Lock()
	region = p.region
	p.mu.Unlock()
	bounds, err := p.limits(ctx, region)
	if err != nil {
		return read, nil, region, err
	}
	read, weaker, err = p.opener.Contents(ctx, p.stack, region, bounds, files)
	if past := p.before(); err == nil && past != nil {
		err = p.opener.reader(p.stack, region, bounds).Emptied(ctx, read, past)
	}
	return read, weaker, region, err
}

// before returns the earlier state of the files: the newest revision of the branch, or Past if there is no Base.
func (p *Previewer) before() resolve.Past {
	if p.Base == nil {
		return p.Past
	}
	base, ok := p.Base()
	if !ok {
		return nil
	}
	return func(_ context.Context, visit func(string, fs.FS) bool) error {
		visit(base.Commit, base.Files)
		return nil
	}
}

// earlierKinds returns a function that visits the objects of the earlier states of the files, without those that are refused. It returns nil if the
// earlier states are unknown.
func (p *Previewer) earlierKinds(region string) func(context.Context, func(string, []kind.Desired) bool) error {
	past := p.before()
	if past == nil {
		return nil
	}
	return func(ctx context.Context, visit func(string, []kind.Desired) bool) error {
		var failed error
		err := past(ctx, func(commit string, files fs.FS) bool {
			read, _, err := p.opener.Contents(ctx, p.stack, region, p.stack.Bounds(), files)
			if problems := (manifest.Problems)(nil); err != nil && !errors.As(err, &problems) {
				failed = err
				return false
			}
			return err != nil || visit(commit, read.Want)
		})
		return cmp.Or(failed, err)
	}
}

// limits returns the bounds of a plan. For a pull request, they depend on the size of the branch, too. A branch that cannot be read adds no
// limit, because the pull request that corrects it must not be refused.
func (p *Previewer) limits(ctx context.Context, region string) (resolve.Bounds, error) {
	if p.Base == nil {
		return p.stack.Bounds(), nil
	}
	base, ok := p.Base()
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
	r, err := p.opener.Reader(ctx, p.stack, region, bounds)
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

func (p *Previewer) open(ctx context.Context) (*engine.Engine, string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine == nil {
		eng, region, err := p.opener.LogIn(ctx, p.stack)
		if err != nil {
			return nil, "", err
		}
		p.engine, p.region = eng, region
	}
	return p.engine, p.region, nil
}

// close drops the login to a cloud that could not be read, so that the next plan uses new credentials.
func (p *Previewer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.engine = nil
}

// Region returns the region of the last login; "" before the first.
func (p *Previewer) Region() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.region
}
