package engine

import (
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// run is the state of one pass. Only the goroutine of its loop reads and writes it; those of steps read engine, secrets and done.
type run struct {
	engine   *Engine
	rev      Revision
	timing   Timing
	snapshot kind.Snapshot
	skipped  []memory.Place             // places that are listed before the pass changes anything, and that are not in the snapshot yet.
	changed  map[string]*changedObjects // changes that the snapshot does not contain yet, by kind name.
	// answersUnplanned is true if a step has ended since the present round was planned. listsUnplanned is true if a list has
	// arrived since then.
	answersUnplanned, listsUnplanned bool
	round                            round
	fresh                            map[string]*freshness      // by kind name.
	histories                        map[string]*history        // by step identity.
	permitted                        map[string]kind.Disruption // the worst disruption that is permitted for each object, by step identity.
	chosen                           *guard.Chosen              // the objects to which the pass is limited; nil before the first plan.
	recording                        bool                       // true if new machines have to record the approval in their marks.
	permission                       *plan.Permission           // the limit on the steps of the pass; nil if all steps are allowed.
	doing                            map[string]Activity
	unfinished                       []unfinished
	pending                          map[string]time.Time // since when the cloud works on each object, by step identity.
	built                            map[string]time.Time // the same for new objects that are not ready yet
	stuck                            map[manifest.Key]error
	refused                          map[string]error // the refusals of the cloud, by demand.
	demands                          map[manifest.Key]int
	done                             chan outcome
	lastDeletion                     time.Time                        // when something was last deleted.
	writeCount                       int                              // number of steps that changed the cloud.
	destroyed                        map[string]bool                  // objects that the pass deleted and has not created since, by step identity.
	drifted                          map[string]bool                  // objects that are reported as drift, by step identity.
	sick                             map[manifest.Key]rollout.Finding // members of groups that do not serve, according to their probes.
	users                            map[manifest.Key][]manifest.Key  // the objects that refer to each object; nil until needed.
	secrets                          *redact.Redactor
	pass                             Pass
}

// freshness says how recent the list of a collection is.
type freshness struct {
	at           time.Time     // when it was listed.
	began        time.Time     // when that list began; the list may lack later changes.
	asked        time.Time     // the same as at, or when a later list was of no use yet (noteStillPending).
	took         time.Duration // duration of the last list.
	listInterval time.Duration // shortest time until the next list.
	// stale are the keys whose state is unknown since a step ended: it failed, or its answer does not show the object. Their steps are not
	// started before the next list.
	stale map[manifest.Key]bool
	// touched is true if any object of the collection was written since the last list.
	touched bool
	// deletes is true if the cloud was asked to delete an object of the collection since the last list, and did not do so at once.
	deletes  bool
	failures int // number of lists that failed in a row
	// writtenEntries are the entries through which the pass wrote objects of the collection.
	writtenEntries map[string]bool
}

func newRun(e *Engine, rev Revision) *run {
	rev.index = world.Index(e.Stack, rev.Want)
	r := &run{
		engine: e, rev: rev, timing: e.Timing.orDefaults(), changed: map[string]*changedObjects{}, fresh: map[string]*freshness{}, histories: map[string]*history{},
		permitted: map[string]kind.Disruption{}, doing: map[string]Activity{}, stuck: map[manifest.Key]error{},
		refused: map[string]error{}, done: make(chan outcome, e.parallelism()), destroyed: map[string]bool{}, drifted: map[string]bool{}, secrets: e.secretsOf(e.past().WithFallbacks(rev.Want)),
		pass: Pass{Stack: e.Stack, Commit: rev.Commit, Started: time.Now(), want: rev.Want},
	}
	for _, k := range e.Kinds {
		r.fresh[k.Info.Kind] = &freshness{listInterval: r.timing.Poll, stale: map[manifest.Key]bool{}, writtenEntries: map[string]bool{}}
	}
	return r
}

// loop runs until nothing is in flight, nothing is pending and nothing can
// start. Before it ends, it lists once more the collections that it has
// written.
func (r *run) loop(ctx, stepCtx context.Context) {
	for {
		if r.listsUnplanned {
			r.planRound(ctx)
		}
		if ctx.Err() == nil {
			r.dispatch(stepCtx)
		}
		if r.answersUnplanned && len(r.doing) < r.engine.parallelism() {
			r.planRound(ctx)
			continue
		}
		again := r.engine.past().SaveNews(time.Now())
		r.engine.watch(func(w Watcher) { w.Progress(r.progress()) })
		wake, more := r.nextWake()
		switch {
		case len(r.doing) > 0 || more && ctx.Err() == nil:
			r.awaitResults(ctx, earlier(wake, again))
			r.refresh(ctx)
		case ctx.Err() != nil:
			return
		case r.relistWritten(ctx):
		case r.retryRejected():
			r.planRound(ctx)
		default:
			return
		}
	}
}
