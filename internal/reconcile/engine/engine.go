package engine

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/redact"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// Engine compares one stack with its cloud and carries out what differs. Its
// exported fields are read-only once it is in use; one engine runs one pass at
// a time.
type Engine struct {
	Stack string
	// Kinds are those of the main entry of clouds.yaml, Realm says within what their IDs
	// are unique; it matters only beside further entries, and may be nil.
	Kinds []*kind.Kind
	Realm func(kind.Info) string
	// Entries are the further entries through which objects may be made.
	Entries []Entry
	// Policies weaken every plan before it is shown or carried out. The brake
	// is not among them: see Limits.
	Policies []plan.Policy
	// Limits is how much one pass may destroy.
	Limits guard.Limits
	// Others is that of [world.Input].
	Others bool
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
	// Hosts is how many hosts there are, by availability zone; nil where that is not to be
	// shown.
	Hosts func(ctx context.Context) (map[string]int, error)
	// Probe asks a machine at an address whether it serves; nil where that is not to be asked.
	Probe func(ctx context.Context, address string, p rollout.Probe) error
	// Prices are what things cost; nil where that is not known.
	Prices *preflight.Prices

	// Memory is what is known of the past. Engines for the same stack share it, one after the other; nil for a process that has just begun.
	Memory *memory.Memory

	// Printer makes the fingerprints of secrets (see [world.Input]).
	Printer *fingerprint.Printer

	entries entries

	own memory.Memory // where none was given
}

// past is what is known of the past.
func (e *Engine) past() *memory.Memory { return cmp.Or(e.Memory, &e.own) }

// Timing bounds the engine's waits. Zero fields mean the defaults.
type Timing struct {
	Poll    time.Duration // shortest time between two lists of one collection; 500 ms
	PollMax time.Duration // longest, while nothing changes; 5 s
	Pending time.Duration // how long the cloud may work on one object; 15 min
	Busy    time.Duration // how long an object may be locked or in use; 2 min
	Backoff time.Duration // first pause after a transient error; 1 s
	Late    time.Duration // how long the cloud may go on with a request that it has not answered; 3 min
	Former  time.Duration // how long it may go on with one that a killed process asked for, if it is quick; 0 for not at all
	Fresh   time.Duration // how long ago the mark of what is deleted, wiped, adopted or let go may have been seen; 1 min
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
	// Planned is called once, before anything is written, with the plan and what it needs of the cloud.
	Planned(plan.Plan, preflight.Findings)
	// Started and Finished frame every step that is carried out. Finished is called when the cloud shows the step's effect, or when
	// the pass stops waiting for it.
	Started(plan.Step)
	Finished(Result)
	// Progress is called whenever the picture may have changed.
	Progress(Progress)
}

// Progress is how far a pass has come.
type Progress struct {
	Commit      string
	Began, At   time.Time // when the pass began, and when it had come so far
	Done, Total int
	// Doing are the steps in flight, Waiting what the cloud still works on,
	// both oldest first.
	Doing, Waiting []Activity
	// Rollouts are the groups whose members are being changed.
	Rollouts []plan.Rollout
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
	shown := e.observe(ctx, e.matter(asked, func(kind.Info, memory.Place) bool { return false }), want, nil, kind.Listing{})
	e.excuse(shown, asked)
	return e.snapshot(shown, nil, want)
}

// begin is [Engine.Observe] for a pass, which remembers what is known to be idle.
func (e *Engine) begin(ctx context.Context, want []kind.Desired) kind.Snapshot {
	asked, now := askedFor(want), time.Now()
	places := e.matter(asked, func(of kind.Info, at memory.Place) bool { return e.idle(of, at, now) })
	shown := e.observe(ctx, places, want, nil, kind.Listing{})
	e.excuse(shown, asked)
	e.remindRefused(shown)
	snapshot := e.snapshot(shown, nil, want)
	e.note(shown, snapshot, managedOf(want), places, now)
	return snapshot
}

// askedFor are the places that manifests are about.
func askedFor(want []kind.Desired) map[memory.Place]bool {
	asked := map[memory.Place]bool{}
	for i := range want {
		if d := &want[i]; !d.Absent() {
			asked[memory.Place{Kind: d.Key.Kind, Entry: d.Entry}] = true
		}
	}
	return asked
}

// matter are the places that are asked for, and those where something may be owned.
func (e *Engine) matter(asked map[memory.Place]bool, idle func(kind.Info, memory.Place) bool) (places []memory.Place) {
	for _, entry := range e.entryNames() {
		for _, k := range e.Kinds {
			of := k.Info
			if at := (memory.Place{Kind: of.Kind, Entry: entry}); k.Driver != nil && (asked[at] || !idle(of, at)) {
				places = append(places, at)
			}
		}
	}
	return places
}

// Survey lists every collection that there is, with all that is in it, by the main entry.
func (e *Engine) Survey(ctx context.Context) kind.Snapshot {
	var places []memory.Place
	for _, k := range e.Kinds {
		if k.Driver != nil {
			places = append(places, memory.Place{Kind: k.Info.Kind})
		}
	}
	return e.snapshot(e.observe(ctx, places, nil, nil, kind.Listing{Everything: true}), nil, nil)
}

// list asks one place what it has.
func (e *Engine) list(ctx context.Context, at memory.Place, asked kind.Listing) kind.Shown {
	shown := kind.Shown{Entry: at.Entry}
	access, open := e.access(at.Entry)
	if !open {
		shown.Closed, shown.Err = true, e.closed(at.Entry)
		return shown
	}
	k := kindNamed(access.Kinds, at.Kind)
	if access.Realm != nil {
		shown.Realm = access.Realm(k.Info)
	}
	end := trace.Begin(ctx, "list "+at.Kind, map[string]string{"stackreeve.kind": at.Kind, "stackreeve.entry": at.Entry})
	shown.Items, shown.Err = k.Driver.List(ctx, asked)
	end(shown.Err != nil)
	return shown
}

// Plan makes the plan for a revision, weakened by every policy. approved are the
// plans that the brake may let through, weaker the policies of this revision. It only
// reads.
func (e *Engine) Plan(ctx context.Context, commit string, want []kind.Desired, approved []plan.Approval, weaker ...plan.Policy) plan.Plan {
	p, _, _ := e.plan(ctx, Revision{Commit: commit, Want: want, Approved: approved, Policies: weaker})
	return p
}

// PlanOf is [Engine.Plan] of all that is known of a revision, with what the plan needs of the cloud.
func (e *Engine) PlanOf(ctx context.Context, rev Revision) (plan.Plan, preflight.Findings) {
	p, have, secrets := e.plan(ctx, rev)
	return p, e.preflight(redact.With(ctx, secrets), p, have, secrets)
}

// plan is the plan for a revision, what the cloud holds, and what must not be shown of both.
func (e *Engine) plan(ctx context.Context, rev Revision) (p plan.Plan, have kind.Snapshot, secrets *redact.Redactor) {
	e.logIn(ctx)
	secrets = e.secretsOf(rev.Want)
	ctx = redact.With(ctx, secrets)
	have = e.Observe(ctx, rev.Want)
	p = e.compute(rev, have, e.past().Past()).Redacted(secrets).Apply(guard.Brake(e.Limits, rev.Approved))
	return e.traced(ctx, p), have, secrets
}

// compute compares a revision with a snapshot.
func (e *Engine) compute(rev Revision, have kind.Snapshot, past world.Past) plan.Plan {
	p := decide.Compute(world.Input{
		Stack: e.Stack, Commit: rev.Commit, Kinds: e.Kinds, Want: rev.Want, Have: have, Replace: e.Replace, Others: e.Others, Synced: rev.Synced,
		Printer: e.Printer, Past: past, Now: time.Now(), Healing: rev.healing, Approving: len(rev.Approved) > 0, Before: rev.Before,
	})
	p.Left = rev.Left
	return p.Apply(e.Policies...).Apply(rev.Policies...)
}
