package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Revision is a commit, with the other inputs of a pass.
type Revision struct {
	Commit string
	Want   []kind.Desired
	// Ignored are the files and documents of the commit that were ignored.
	Ignored []manifest.Ignored
	// Approved are the approvals because of which the brake does not hold a plan. Those of the command line and of HTTP are set before the
	// pass. Package agent adds those of the forge when a plan is held.
	Approved []plan.Approval
	// Only is the hash of the one plan that may be carried out; "" if every plan may be.
	Only string
	// Targets limit the pass to some objects; nil if there is none (see [guard.Choose]).
	Targets []plan.Target
	// Recreate is true if a person has requested that the targets are recreated.
	Recreate bool
	// Synced is true when this commit was in sync before.
	Synced bool
	// PreviousSums becomes [world.Input.PreviousSums].
	PreviousSums map[manifest.Key]checksum.Sum
	// EarlierCommits visits the objects of earlier commits, the newest first, until visit returns false. It is nil if
	// there is no history.
	EarlierCommits func(ctx context.Context, visit func(commit string, want []kind.Desired) (more bool)) error
	// EarlierKinds does the same for lists that the cloud refuses: the stack may own objects of the kinds in earlier commits. At most [maxBefore]
	// commits are visited. It may be set although EarlierCommits is nil.
	EarlierKinds func(ctx context.Context, visit func(commit string, want []kind.Desired) (more bool)) error
	// Policies weaken the plans of this revision, in addition to the engine's own.
	Policies []plan.Policy

	firstIDs map[string]bool // the IDs of the objects in the first plan, if Recreate is true; nil before that plan. planRound sets it.
	index    *world.Wanted   // the index of Want, for all plans of a pass; nil for a single plan.
	healing  bool            // true while only the healing steps of the plan are carried out (heal.go)
}

// Sync carries out one pass. It lists the cloud, makes a plan, starts each step as soon as its dependencies
// are ready, and lists the changed collections again. It ends when no step is left, or when no step can be
// started any more. When ctx ends, it starts no more steps, and waits a limited time for the steps in flight.
// A cause of type [Superseded] says why the pass ended early.
func (e *Engine) Sync(ctx context.Context, rev Revision) Pass {
	e.logIn(ctx)
	e.past().Forget(memory.PassBegins{At: time.Now(), Want: rev.Want})
	pass := e.runPass(ctx, rev)
	e.savePast()
	return pass
}

func (e *Engine) savePast() {
	if err := e.past().Save(time.Now()); err != nil {
		e.log().Warn("the memory of the stack cannot be saved for the next process", "error", err)
	}
}

func (e *Engine) runPass(ctx context.Context, rev Revision) Pass {
	r := newRun(e, rev)
	ctx = redact.With(ctx, r.secrets)
	stepCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(r.timing.Grace, stop) })()

	r.snapshot, r.skipped = e.observeForPass(ctx, rev)
	e.estimateKilledWait(r.timing, r.pass.Started, time.Now())
	r.observed(r.snapshot, r.pass.Started)
	r.planRound(ctx)
	if r.repeatRollback(ctx) {
		return e.runPass(ctx, rev)
	}
	// The cloud is asked who caused drift before a step corrects the drift, because later it may not report
	// that any more.
	first := e.withTraces(ctx, r.round.plan.Apply(guard.Brake(e.Limits, rev.Approved), guard.OnlyWithHash(rev.Only)))
	found := e.preflightOnce(ctx, first, r.snapshot, r.secrets)
	r.pass.First = first.Recorded()
	r.permit(r.pass.First)
	e.watch(func(w Watcher) { w.Planned(r.pass.First, found) })
	r.pass.Last = r.pass.First
	if rev.Recreate && !r.pass.First.Stopped() {
		r.noteRequested()
	}
	if !r.round.plan.Quiet() {
		e.savePast() // before the first write, so that after a kill the next process lists the kinds that this one may have created
	}
	switch {
	case !r.pass.First.Stopped():
		r.pass.Results = slices.Grow(r.pass.Results, r.round.writes)
		r.loop(ctx, stepCtx)
		r.pass.Last, r.pass.LeavesUnforeseen = r.round.plan.Recorded(), r.leavesUnforeseen()
	case r.pass.First.Heals() && rev.Only == "":
		r.heal(ctx, stepCtx)
	default:
		r.pass.Preflight = found
	}
	r.reportUnfinished()
	back, unread := r.rollBack(ctx)
	r.pass.RollsBack = back
	r.pass.Took = time.Since(r.pass.Started)
	r.pass.Interrupted = ctx.Err() != nil
	errors.As(context.Cause(ctx), &r.pass.Superseded)
	r.traceAll(ctx)
	e.past().Forget(memory.PassEnds{Plan: r.round.plan, Listed: r.listed})
	if !r.pass.Last.Stopped() {
		r.pass.Failures = append(failuresOf(r.pass.Last, r.lastErrors(r.pass.Last), time.Now()), unread...)
	}
	r.noteSights()
	return r.pass
}

// permit records what the first plan destroys, because the brake has checked only that plan. Later rounds must not destroy
// more.
func (r *run) permit(first plan.Plan) {
	for _, s := range first.Steps {
		if d, harms := s.Harm(); harms {
			r.permitted[s.Identity()] = max(d, r.permitted[s.Identity()])
		}
	}
	r.permission = first.Permission(r.rev.Only != "" || first.Limit != nil)
	r.recording = first.Approved != nil && first.Limit == nil && !r.rev.healing // nobody has approved the rest of a group by approving some of its members
}

func (e *Engine) watch(f func(Watcher)) {
	if e.Watcher != nil {
		f(e.Watcher)
	}
}
