package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Engine compares one stack with its cloud and carries out what differs. Its
// exported fields are read-only once it is in use; one engine runs one pass at
// a time.
type Engine struct {
	Stack string
	Kinds []kind.Kind
	// Policies weaken every plan before it is shown or carried out. The brake
	// is not among them: see Limits.
	Policies []plan.Policy
	// Limits is how much one pass may destroy.
	Limits plan.Limits
	// Replace is whether objects may be replaced when annotations are silent.
	Replace bool
	// Parallelism is how many steps run at a time; 0 means 10.
	Parallelism int
	Timing      Timing
	Watcher     Watcher
	Log         *slog.Logger
	// Secrets lists what must not be shown besides the secrets of the manifests,
	// such as the credentials that are used; nil when there is nothing.
	Secrets func() []string
	// Quotas asks a service, by its catalog type, what may be taken of it and what is
	// taken; nil where that is not to be shown.
	Quotas func(ctx context.Context, service string) (kind.Allowances, error)
	// Zones asks a service for the availability zones that it has; nil where that is not to
	// be shown.
	Zones func(ctx context.Context, service string) ([]string, error)
	// Prices are what things cost; nil where that is not known.
	Prices *plan.Prices

	// Printer makes the fingerprints of secrets (see [plan.Input]).
	Printer *fingerprint.Printer

	found map[string]finding // by privileged kind, what passes have found

	last foundOut // of the newest plan of a pass

	ids map[string]string // of objects in the cloud that this process has seen, by step

	adopted map[string]bool // what passes saw to bear its mark although its manifest asks to adopt it, by step
}

// Timing bounds the engine's waits. Zero fields mean the defaults.
type Timing struct {
	Poll    time.Duration // shortest time between two lists of one collection; 500 ms
	PollMax time.Duration // longest, while nothing changes; 5 s
	Pending time.Duration // how long the cloud may work on one object; 15 min
	Busy    time.Duration // how long an object may be locked or in use; 2 min
	Backoff time.Duration // first pause after a transient error; 1 s
	Late    time.Duration // how long the cloud may go on with a creation that it has not answered; 3 min
	Fresh   time.Duration // how long ago the mark of what is deleted may have been seen; 1 min
	Grace   time.Duration // what steps in flight get once the pass is asked to stop; 30 s
	Tries   int           // attempts at one step that fails transiently; 4
}

func (t Timing) orDefaults() Timing {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&t.Poll, 500*time.Millisecond)
	set(&t.PollMax, 5*time.Second)
	set(&t.Pending, 15*time.Minute)
	set(&t.Busy, 2*time.Minute)
	set(&t.Backoff, time.Second)
	set(&t.Late, 3*time.Minute)
	set(&t.Fresh, time.Minute)
	set(&t.Grace, 30*time.Second)
	if t.Tries == 0 {
		t.Tries = 4
	}
	return t
}

// Watcher sees a pass while it runs. Its methods are called one at a time and
// must return quickly.
type Watcher interface {
	// Planned is called once, before anything is written.
	Planned(plan.Plan)
	// Started and Finished frame every step that is carried out.
	Started(plan.Step)
	Finished(Result)
	// Progress is called whenever the picture may have changed.
	Progress(Progress)
}

// Progress is how far a pass has come.
type Progress struct {
	Done, Total int
	// Doing are the steps in flight, Waiting what the cloud still works on,
	// both oldest first.
	Doing, Waiting []Activity
}

// Activity is something that takes time.
type Activity struct {
	Step  plan.Step
	Since time.Time
}

func (e *Engine) parallelism() int {
	if e.Parallelism > 0 {
		return e.Parallelism
	}
	return 10
}

// Observe lists every collection that matters to want, in parallel: all but
// those of which nothing can be owned and nothing is asked for. It never fails
// as a whole: what could not be listed is unknown in the snapshot.
func (e *Engine) Observe(ctx context.Context, want []kind.Desired) kind.Snapshot {
	asked := askedFor(want)
	snapshot := e.observe(e.managing(ctx, want), e.matter(asked, func(kind.Info) bool { return false }), e.adopting(want))
	e.excuse(snapshot, asked)
	return snapshot
}

// begin is [Engine.Observe] for a pass, which remembers what is known to be idle.
func (e *Engine) begin(ctx context.Context, want []kind.Desired) kind.Snapshot {
	asked, now := askedFor(want), time.Now()
	names := e.matter(asked, func(of kind.Info) bool { return e.idle(of, now) })
	snapshot := e.observe(e.managing(ctx, want), names, e.adopting(want))
	e.excuse(snapshot, asked)
	e.note(snapshot, managedOf(want), names, now)
	return snapshot
}

func askedFor(want []kind.Desired) map[string]bool {
	asked := map[string]bool{}
	for i := range want {
		asked[want[i].Key.Kind] = true
	}
	return asked
}

// matter are the kinds that are asked for, and those of which something may be owned.
func (e *Engine) matter(asked map[string]bool, idle func(kind.Info) bool) (names []string) {
	for _, k := range e.Kinds {
		if of := k.Info(); k.Driver() != nil && (asked[of.Kind] || !of.ImportOnly && !idle(of)) {
			names = append(names, of.Kind)
		}
	}
	return names
}

// Survey lists every collection that there is, with all that is in it.
func (e *Engine) Survey(ctx context.Context) kind.Snapshot {
	var names []string
	for _, k := range e.Kinds {
		if k.Driver() != nil {
			names = append(names, k.Info().Kind)
		}
	}
	return e.observe(kind.WithEverything(ctx), names, nil)
}

// observe lists collections; complete are the kinds of which everything is asked for.
func (e *Engine) observe(ctx context.Context, names []string, complete map[string]bool) kind.Snapshot {
	ctx = kind.WithShared(ctx)
	drivers, seldom := map[string]kind.AnyDriver{}, map[string]bool{}
	for _, k := range e.Kinds {
		drivers[k.Info().Kind], seldom[k.Info().Kind] = k.Driver(), sometimes(k.Info())
	}
	snapshot := make(kind.Snapshot, len(names))
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(e.parallelism())
	for _, name := range names {
		group.Go(func() error {
			of := ctx
			if complete[name] {
				of = kind.WithEverything(ctx)
			}
			items, err := drivers[name].List(of)
			usual := errors.Is(err, kind.ErrNoService) || seldom[name] && errors.Is(err, kind.ErrForbidden)
			if err != nil && e.Log != nil && ctx.Err() == nil && !usual {
				e.Log.Warn("cannot be listed", "kind", name, "error", err) // the plan has no more than may be posted
			}
			mu.Lock()
			defer mu.Unlock()
			snapshot[name] = kind.Collection{Items: items, Err: hide(redact.From(ctx), err)}
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
	return snapshot
}

// Plan makes the plan for a revision, weakened by every policy. approved are the
// plans that the brake may let through, weaker the policies of this revision. It only
// reads.
func (e *Engine) Plan(ctx context.Context, commit string, want []kind.Desired, approved []plan.Approval, weaker ...plan.Policy) plan.Plan {
	secrets := e.secretsOf(want)
	ctx = redact.With(ctx, secrets)
	have := e.Observe(ctx, want)
	p := e.compute(Revision{Commit: commit, Want: want, Policies: weaker}, have, nil).Redacted(secrets).Apply(plan.Brake(e.Limits, approved))
	return e.preflight(ctx, p, have, secrets)
}

// compute compares a revision with a snapshot; lost is for [plan.Input.Lost].
func (e *Engine) compute(rev Revision, have kind.Snapshot, lost map[string]string) plan.Plan {
	return plan.Compute(plan.Input{
		Stack: e.Stack, Commit: rev.Commit, Kinds: e.Kinds, Want: rev.Want, Have: have, Replace: e.Replace, Synced: rev.Synced,
		Printer: e.Printer, Lost: lost,
	}).Apply(e.Policies...).Apply(rev.Policies...)
}
