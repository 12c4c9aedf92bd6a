package reconcile

import (
	"context"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Revision is what one pass shall bring about.
type Revision struct {
	Commit string
	Want   []Desired
	// Approved are the plans that the brake may let through.
	Approved []Approval
	// Synced is true when this commit was in sync before.
	Synced bool
}

// Sync carries out one pass: it looks, decides, acts as soon as what a step
// leans on is ready, and looks again at the collections that moved, until
// nothing is left to do or nothing more can be done. When ctx ends it starts
// nothing new and gives the steps in flight a bounded time.
func (e *Engine) Sync(ctx context.Context, rev Revision) Pass {
	r := newRun(e, rev)
	ctx = redact.With(ctx, r.secrets)
	stepCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(r.timing.Grace, stop) })()

	r.snapshot = e.Observe(ctx, rev.Want)
	r.observedAll()
	plan := r.replan()
	r.pass.First = e.recall(plan.Apply(Brake(e.Limits, rev.Approved)))
	r.permit(r.pass.First)
	e.watch(func(w Watcher) { w.Planned(r.pass.First) })
	if r.pass.First.Held == "" {
		plan = r.loop(ctx, stepCtx, plan)
	} else {
		plan = r.pass.First
	}
	r.pass.Last = plan
	e.remember(plan)
	r.pass.Took = time.Since(r.pass.Started)
	r.pass.Interrupted = ctx.Err() != nil
	if plan.Held == "" {
		r.pass.Failures = failuresOf(plan, r.lastErrors(plan))
	}
	return r.pass
}

func (e *Engine) watch(f func(Watcher)) {
	if e.Watcher != nil {
		f(e.Watcher)
	}
}

// run is the state of one pass. Only its loop touches it.
type run struct {
	engine    *Engine
	rev       Revision
	timing    Timing
	snapshot  Snapshot
	seen      map[string]*sight     // by kind name
	tries     map[string]*try       // by step identity
	permitted map[string]Disruption // how much may be done to what, by step identity
	doing     map[string]Activity
	pending   map[manifest.Key]time.Time
	stuck     map[manifest.Key]error
	done      chan outcome
	freed     time.Time // when something was last deleted
	secrets   *redact.Redactor
	pass      Pass
}

// sight is what the run knows about one collection's freshness.
type sight struct {
	at    time.Time     // when it was listed
	every time.Duration // how long to leave it alone
	// stale keys were written since; nothing more is done about them before
	// the next list.
	stale map[manifest.Key]bool
	// touched is true when anything was written since the last list.
	touched bool
	tries   int // lists that failed in a row
}

type outcome struct {
	id     string
	result Result
	live   *Live[any]
	gone   bool
}

func newRun(e *Engine, rev Revision) *run {
	return &run{
		engine: e, rev: rev, timing: e.Timing.orDefaults(), seen: map[string]*sight{}, tries: map[string]*try{},
		permitted: map[string]Disruption{}, doing: map[string]Activity{}, pending: map[manifest.Key]time.Time{},
		stuck: map[manifest.Key]error{}, done: make(chan outcome, e.parallelism()), secrets: e.secretsOf(rev.Want),
		pass: Pass{Stack: e.Stack, Commit: rev.Commit, Started: time.Now(), want: rev.Want},
	}
}

func (r *run) replan() Plan {
	r.pass.Rounds++
	return r.engine.plan(r.rev.Commit, r.rev.Want, r.snapshot, r.rev.Synced).hiding(r.secrets)
}

// loop runs until nothing is in flight, nothing is pending and nothing can
// start. Before it believes that, it lists once more what it has written.
func (r *run) loop(ctx, stepCtx context.Context, plan Plan) Plan {
	for {
		if ctx.Err() == nil {
			r.dispatch(stepCtx, plan)
		}
		r.report(plan)
		wake, more := r.nextWake(plan)
		if len(r.doing) == 0 && (!more || ctx.Err() != nil) {
			if ctx.Err() != nil || !r.verify(ctx) && !r.secondChance() {
				return plan
			}
		} else {
			r.sleep(ctx, wake)
			r.refresh(ctx, plan)
		}
		plan = r.replan()
	}
}

// id identifies a step across rounds.
func (s Step) id() string {
	if s.surplus || s.want == nil {
		return s.Key.String() + "#" + s.ID()
	}
	return s.Key.String()
}

// permit remembers what the first plan, which the brake has seen, destroys:
// later rounds may destroy that and no more.
func (r *run) permit(first Plan) {
	for _, s := range first.Steps {
		if d, harms := s.harm(); harms {
			r.permitted[s.id()] = max(d, r.permitted[s.id()])
		}
	}
}

// runnable tells whether a step can be started now.
func (r *run) runnable(s Step, now time.Time) bool {
	if !s.Action.Writes() || len(s.Awaits) > 0 || len(s.Blockers) > 0 {
		return false
	}
	if d, harms := s.harm(); harms && d > r.permitted[s.id()] && !r.healable(s) {
		return false
	}
	if _, busy := r.doing[s.id()]; busy || r.sight(s.Key.Kind).stale[s.Key] {
		return false
	}
	t := r.tries[s.id()]
	return t == nil || !t.final && !now.Before(t.notUntil)
}

func (r *run) dispatch(ctx context.Context, plan Plan) {
	now := time.Now()
	for _, s := range plan.Steps {
		if len(r.doing) >= r.engine.parallelism() {
			return
		}
		if !r.runnable(s, now) || r.exhausted(s) {
			continue
		}
		r.doing[s.id()] = Activity{Step: s, Since: now}
		r.engine.watch(func(w Watcher) { w.Started(s) })
		go func() {
			o := r.engine.perform(ctx, s)
			o.result.Err = hide(r.secrets, o.result.Err)
			r.done <- o
		}()
	}
}

func (r *run) sight(kind string) *sight {
	if r.seen[kind] == nil {
		r.seen[kind] = &sight{every: r.timing.Poll, stale: map[manifest.Key]bool{}}
	}
	return r.seen[kind]
}

// finish takes in what a step has brought.
func (r *run) finish(o outcome) {
	delete(r.doing, o.id)
	r.pass.Results = append(r.pass.Results, o.result)
	r.engine.watch(func(w Watcher) { w.Finished(o.result) })
	s := o.result.Step
	sight := r.sight(s.Key.Kind)
	sight.every, sight.touched = r.timing.Poll, true
	if o.result.Err != nil {
		r.fail(o.id, s.Action, o.result.Err)
		sight.stale[s.Key] = true
		return
	}
	t := r.try(o.id)
	t.err, t.failures, t.busy, t.first = nil, 0, 0, time.Time{}
	t.runs[s.Action]++
	if s.Action == Recreate {
		t.why = s.Reason
	}
	if s.Action.Destroys() {
		r.freed = time.Now()
	}
	switch {
	case o.gone:
		r.forget(s)
	case o.live != nil:
		r.learn(s, *o.live)
	default:
		sight.stale[s.Key] = true
	}
}

// learn puts a fresh object into the snapshot, so that what leans on it need
// not wait for the next list.
func (r *run) learn(s Step, live Live[any]) {
	c := r.snapshot[s.Key.Kind]
	c.Items = append(without(c.Items, live.ID), live)
	r.snapshot[s.Key.Kind] = c
}

func (r *run) forget(s Step) {
	c := r.snapshot[s.Key.Kind]
	c.Items = without(c.Items, s.ID())
	r.snapshot[s.Key.Kind] = c
}

// without copies items but the one with that ID; steps in flight still read
// the old slice.
func without(items []Live[any], id string) []Live[any] {
	return slices.DeleteFunc(slices.Clone(items), func(l Live[any]) bool { return l.ID == id })
}
