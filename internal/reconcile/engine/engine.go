package engine

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Engine compares one stack with its cloud and carries out the differences.
// One engine runs one pass at a time. Its exported fields are read-only once it
// is in use, except Kinds, which its owner sets before each pass.
type Engine struct {
	Stack string
	// Kinds are the kinds whose drivers use the main entry of clouds.yaml. Realm returns the scope within which the IDs of a kind are
	// unique. Realm matters only if there are further entries, and may be nil.
	Kinds []*kind.Kind
	Realm func(kind.Info) string
	// Entries are the further entries of clouds.yaml whose credentials manifests may name.
	Entries []Entry
	// Policies weaken every plan before it is shown or carried out. They do not include the brake, see Limits.
	Policies []plan.Policy
	// Limits bounds how much one pass may destroy.
	Limits guard.Limits
	// UseForeign is true if objects with the mark of another stack may be used, see [world.Rules.UseForeign].
	UseForeign bool
	// Replace says whether objects without an annotation about it may be replaced.
	Replace bool
	// Parallelism is the number of steps that run at a time; 0 means 10.
	Parallelism int
	Timing      Timing
	Watcher     Watcher
	Log         *slog.Logger
	// Secrets returns further texts that must not be shown, such as the credentials in use; nil if there are none. The secrets of the
	// manifests need not be among them.
	Secrets func() []string
	// Quotas reads the limits and the usage of a service, by its catalog type; nil
	// where plans do not show quotas.
	Quotas func(ctx context.Context, service string) (kind.Allowances, error)
	// Zones reads the availability zones of a service; nil if plans do not check zones.
	Zones func(ctx context.Context, service string) ([]string, error)
	// Hosts counts the hosts of each availability zone; nil if plans do not check
	// hosts.
	Hosts func(ctx context.Context) (map[string]int, error)
	// Probe checks whether a machine at an address serves; nil if machines are not probed.
	Probe func(ctx context.Context, address string, p rollout.Probe) error
	// Reported returns who changed the object with an ID, if a service of the cloud has reported it. It may be nil. It is called if the
	// driver does not know who it was.
	Reported func(id string) (t kind.Trace, ok bool)
	// UserName returns the name of the user with an ID, or its argument if the name is unknown. It may be nil. Most clouds let only
	// administrators ask for it, but their services report it.
	UserName func(id string) string
	// Looks is true if [Engine.Look] will be called, so that each pass has to record how the cloud looks at its end.
	Looks bool
	// Prices are the costs of objects; nil if they are unknown.
	Prices *preflight.Prices

	// AloneSince is the time from which on no other process sends requests for the stack; the beginning of the first pass if it is zero.
	AloneSince time.Time
	// Memory has the facts from earlier passes. Engines for the same stack use the same Memory one after the other. If it is nil, the
	// engine starts with an empty one.
	Memory *memory.Memory

	// Printer makes the fingerprints of secrets (see [world.Input]).
	Printer *fingerprint.Printer

	entries entries

	own memory.Memory // used if Memory is nil
}

// past returns the memory with the facts from earlier passes.
func (e *Engine) past() *memory.Memory { return cmp.Or(e.Memory, &e.own) }

// log returns the log. If Log is nil, the returned log discards everything.
func (e *Engine) log() *slog.Logger {
	return cmp.Or(e.Log, slog.New(slog.DiscardHandler))
}

// Timing bounds the engine's waits. A zero field means the default, which is at the end of its comment.
type Timing struct {
	Poll           time.Duration // shortest time between two lists of one collection; 500 ms.
	PollMax        time.Duration // longest time between two lists, while nothing changes; 5 s.
	PendingWait    time.Duration // how long the cloud may work on one object; 15 min.
	BusyWait       time.Duration // how long an object may be locked or in use; 2 min.
	Backoff        time.Duration // first pause after a transient error; 1 s.
	UnansweredWait time.Duration // how long the cloud may continue a request that it has not answered; 3 min.
	KilledWait     time.Duration // shortest time after AloneSince that the engine waits for requests of a killed process; 0 if it does not wait for them at all.
	MaxListAge     time.Duration // maximum age of the list in which an object is seen before it is deleted, wiped, adopted or let go; 1 min.
	Grace          time.Duration // how long steps in flight may continue after the pass is asked to stop; 30 s.
	Tries          int           // attempts at one step that fails transiently; 4.
}

func (t Timing) orDefaults() Timing {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&t.Poll, 500*time.Millisecond)
	set(&t.PollMax, 5*time.Second)
	set(&t.PendingWait, 15*time.Minute)
	set(&t.BusyWait, 2*time.Minute)
	set(&t.Backoff, time.Second)
	set(&t.UnansweredWait, 3*time.Minute)
	set(&t.MaxListAge, time.Minute)
	set(&t.Grace, 30*time.Second)
	if t.Tries == 0 {
		t.Tries = 4
	}
	return t
}

// Watcher is informed about a pass while it runs. Its methods are called one at a time and must return quickly.
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

// Progress says how many steps of a pass are done and what it is doing now.
type Progress struct {
	Commit      string
	Began, At   time.Time // when the pass began, and the time of this report
	Done, Total int
	// Doing are the steps in flight. Waiting are the objects that the cloud still works on. In both, the oldest comes first.
	Doing, Waiting []Activity
	// Rollouts are the groups whose members are being changed.
	Rollouts []plan.Rollout
}

// Activity is a step in flight, or the step of an object that the cloud works on. It does not have the step itself, because there may be
// thousands of activities in each round, and watchers keep them for a long time.
type Activity struct {
	Key      manifest.Key
	Action   plan.Action
	IsUpkeep bool
	Why      cause.List // the causes of the step, and what it has to wait for
	Since    time.Time
}

// ActivityOf returns the activity of a step.
func ActivityOf(s *plan.Step, since time.Time) Activity {
	return Activity{Key: s.Key, Action: s.Action, IsUpkeep: s.IsUpkeep, Why: s.Why(), Since: since}
}

func (e *Engine) parallelism() int {
	if e.Parallelism > 0 {
		return e.Parallelism
	}
	return 10
}
