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
)

// Engine compares one stack with its cloud and carries out the differences.
// Its exported fields are read-only once it is in use. One engine runs one
// pass at a time.
type Engine struct {
	Stack string
	// Kinds are those of the main entry of clouds.yaml. Realm returns the scope within
	// which the IDs of a kind are unique. Realm matters only if there are further
	// entries, and may be nil.
	Kinds []*kind.Kind
	Realm func(kind.Info) string
	// Entries are the further entries of clouds.yaml whose credentials manifests may name.
	Entries []Entry
	// Policies weaken every plan before it is shown or carried out. The brake is
	// not among them: see Limits.
	Policies []plan.Policy
	// Limits bounds how much one pass may destroy.
	Limits guard.Limits
	// Others is whether objects with the mark of another stack may be used, see [world.Rules.Others].
	Others bool
	// Replace says whether objects without an annotation about it may be replaced.
	Replace bool
	// Parallelism is the number of steps that run at a time; 0 means 10.
	Parallelism int
	Timing      Timing
	Watcher     Watcher
	Log         *slog.Logger
	// Secrets lists texts that must not be shown besides the secrets of the
	// manifests, such as the credentials in use; nil when there are none.
	Secrets func() []string
	// Quotas reads the limits and the usage of a service, by its catalog type; nil
	// where plans do not show quotas.
	Quotas func(ctx context.Context, service string) (kind.Allowances, error)
	// Zones reads the availability zones of a service; nil where plans do not check zones.
	Zones func(ctx context.Context, service string) ([]string, error)
	// Hosts counts the hosts of each availability zone; nil where plans do not check
	// hosts.
	Hosts func(ctx context.Context) (map[string]int, error)
	// Probe checks whether a machine at an address serves; nil where nothing is probed.
	Probe func(ctx context.Context, address string, p rollout.Probe) error
	// Prices are the costs of objects; nil where they are unknown.
	Prices *preflight.Prices

	// Memory is what is known of the past. Engines for the same stack use it one after the other; nil for a process that has just started.
	Memory *memory.Memory

	// Printer makes the fingerprints of secrets (see [world.Input]).
	Printer *fingerprint.Printer

	entries entries

	own memory.Memory // used where Memory is nil
}

// past returns what is known of the past.
func (e *Engine) past() *memory.Memory { return cmp.Or(e.Memory, &e.own) }

// log is the log, which may lead nowhere.
func (e *Engine) log() *slog.Logger {
	return cmp.Or(e.Log, slog.New(slog.DiscardHandler))
}

// Timing bounds the engine's waits. A zero field means the default, which is at the end of its comment.
type Timing struct {
	Poll    time.Duration // shortest time between two lists of one collection; 500 ms.
	PollMax time.Duration // longest time between two lists, while nothing changes; 5 s.
	Pending time.Duration // how long the cloud may work on one object; 15 min.
	Busy    time.Duration // how long an object may be locked or in use; 2 min.
	Backoff time.Duration // first pause after a transient error; 1 s.
	Late    time.Duration // how long the cloud may continue a request that it has not answered; 3 min.
	Former  time.Duration // how long the cloud may continue a request of a killed process, if the cloud is quick; 0 for not at all.
	Fresh   time.Duration // maximum age of a list that shows an object's mark, before the object is deleted, wiped, adopted or let go; 1 min.
	Grace   time.Duration // time for steps in flight once the pass is asked to stop; 30 s.
	Tries   int           // attempts at one step that fails transiently; 4.
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
	// Planned is called once, before anything is written, with the plan and what it needs from the cloud.
	Planned(plan.Plan, preflight.Findings)
	// Started is called when a step starts. Finished is called when the cloud shows the step's effect, or when the pass stops
	// waiting for it.
	Started(plan.Step)
	Finished(Result)
	// Progress is called whenever the progress may have changed.
	Progress(Progress)
}

// Progress is how far a pass has come.
type Progress struct {
	Commit      string
	Began, At   time.Time // when the pass began, and the time of this report
	Done, Total int
	// Doing are the steps in flight, Waiting the objects that the cloud still
	// works on, both oldest first.
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

// compute compares a revision with a snapshot.
func (e *Engine) compute(rev Revision, have kind.Snapshot, past world.Past) plan.Plan {
	p := decide.Compute(world.Input{
		Stack: e.Stack, Commit: rev.Commit, Kinds: e.Kinds, Want: rev.Want, Have: have, Synced: rev.Synced, Before: rev.Before, Past: past,
		Rules: world.Rules{Replace: e.Replace, Others: e.Others, Healing: rev.healing, Approving: len(rev.Approved) > 0},
		Now:   time.Now(), Printer: e.Printer,
	})
	p.Ignored = rev.Ignored
	return p.Apply(e.Policies...).Apply(rev.Policies...)
}
