package engine

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// rough is a world whose requests may fail unless calm is true. The fate of a request depends only on the seed, the request's text and how
// often it was sent before. So the order of steps that run at the same time does not matter.
type rough struct {
	*thingtest.World
	seed       uint64
	fates      []fate        // the possible fates of requests that write.
	lag        time.Duration // largest age of the state that a list shows.
	badLists   bool          // lists fail, or take long.
	others     bool          // somebody else changes things, too.
	restarts   bool          // passes may belong to another process.
	calm       bool
	calls      map[string]int  // number of requests, by text.
	past       []moment        // earlier states, which lists may show.
	newest     int             // index in past of the newest list shown.
	asked      int             // number of requests.
	destroying map[string]bool // names of things that plans destroy.
	log, wrong []string        // events, and laws that were broken.
}

// moment is the state that lists show from a time on.
type moment struct {
	at    time.Time
	items []typed.Live[thingtest.Thing]
}

// fate is the outcome of a request that writes.
type fate string

const (
	late1    fate = "is done after a while"
	tardily  fate = "is done at once, and answered after a while"
	refused  fate = "is refused for now"
	rejected fate = "is rejected"
	lost     fate = "is done, and not answered"
	never    fate = "is not done, and not answered"
	partly   fate = "is done in part, and not answered"
	goesOn   fate = "is not answered, and done after a while"
	hangs    fate = "is done, and hangs"
	hangsOn  fate = "hangs, and is done after a while"
)

var allFates = []fate{late1, tardily, refused, rejected, lost, never, partly, goesOn, hangs, hangsOn}

// engine returns an engine for this world.
func (r *rough) engine() *Engine {
	e := engineOf(r.World)
	e.Kinds = []*kind.Kind{thingtest.Of(r.Kind().Info, r)}
	e.Watcher = roughWatcher{r}
	return e
}

func (r *rough) locked(f func()) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	f()
}

// note records an event; the caller holds the lock.
func (r *rough) note(format string, args ...any) {
	r.log = append(r.log, time.Now().Format("04:05.000 ")+fmt.Sprintf(format, args...))
}

// roll returns a random number below n. It depends only on the seed, on what, and on the number of earlier calls with what.
func (r *rough) roll(what string, n int) int {
	h := fnv.New64a()
	r.locked(func() {
		r.calls[what]++
		_, _ = fmt.Fprint(h, r.seed, what, r.calls[what]) // a hash does not fail
	})
	x := h.Sum64() // the lowest bits are not random enough
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	return int((x ^ x>>33) % uint64(n))
}

// some returns a random duration up to a limit. It depends on what as in roll.
func (r *rough) some(what string, limit time.Duration) time.Duration {
	return time.Duration(r.roll("time for "+what, 1000)+1) * limit / 1000
}

// isCalm counts a request, which takes at least a moment, and reports whether all requests succeed.
func (r *rough) isCalm() (calm bool) {
	time.Sleep(time.Millisecond)
	r.locked(func() { r.asked, calm = r.asked+1, r.calm })
	return calm
}

// fare sends a request with a random fate. do carries out the whole request, part only its first half.
func (r *rough) fare(ctx context.Context, what string, do func() error, part func()) error {
	work := func() error {
		defer r.remember()
		return do()
	}
	if r.isCalm() || len(r.fates) == 0 || r.roll(what, 3) > 0 {
		return work()
	}
	f := r.fates[r.roll("fate of "+what, len(r.fates))]
	r.locked(func() { r.note("%s %s", what, f) })
	after := r.some(what, 20*time.Second)
	switch f {
	case late1:
		if err := pause(ctx, after); err != nil {
			return err
		}
		return work()
	case tardily:
		err := work()
		return errors.Join(pause(ctx, after), err)
	case refused:
		return []error{errors.New("500"), fmt.Errorf("%w: 409", kind.ErrBusy), &kind.RetryAfterError{After: 5 * time.Second, Err: errors.New("429")},
			&kind.RetryAfterError{After: 20 * time.Second, Err: errors.New("503")}}[r.roll("refusal of "+what, 4)]
	case rejected:
		return fmt.Errorf("%w: 400", kind.ErrRejected)
	case lost, hangs:
		_ = work() // the result is not returned
	case partly:
		part()
	case goesOn, hangsOn:
		time.AfterFunc(r.some(what, 150*time.Second), func() { _ = work() })
	case never:
	}
	if f == hangs || f == hangsOn {
		if err := pause(ctx, time.Minute); err != nil {
			return err
		}
	}
	return thingtest.ErrLost
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// remember adds the present state to past.
func (r *rough) remember() []typed.Live[thingtest.Thing] {
	items, _ := r.World.List(context.Background(), kind.Listing{})
	r.locked(func() { r.past = append(r.past, moment{time.Now(), items}) })
	return slices.Clone(items)
}

// List implements [thingtest.Driver]. A list never shows an older state than an earlier list has shown.
func (r *rough) List(context.Context, kind.Listing) ([]typed.Live[thingtest.Thing], error) {
	calm := r.isCalm()
	if r.badLists && !calm {
		switch r.roll("list", 12) {
		case 0:
			return nil, errors.New("503")
		case 1:
			return nil, &kind.RetryAfterError{After: 7 * time.Second, Err: errors.New("429")}
		case 2:
			time.Sleep(r.some("list", 10*time.Second))
		case 3:
			defer time.Sleep(r.some("list", 10*time.Second))
		}
	}
	items := r.remember()
	lags := r.lag > 0 && !calm && r.roll("lag", 2) == 0
	r.Mu.Lock()
	defer r.Mu.Unlock()
	at := len(r.past) - 1
	for lags && at > r.newest && r.past[at].at.After(time.Now().Add(-r.lag)) {
		at--
	}
	if r.newest = max(r.newest, at); at == len(r.past)-1 {
		return items, nil
	}
	return slices.Clone(r.past[at].items), nil
}

// Create implements [thingtest.Driver].
func (r *rough) Create(ctx context.Context, want typed.Want[thingtest.Spec]) (live typed.Live[thingtest.Thing], err error) {
	var made typed.Live[thingtest.Thing] // the request may set this after its answer
	err = r.fare(ctx, "create "+want.Key.Name, func() error {
		live, err := r.World.Create(context.Background(), want)
		r.Mu.Lock()
		defer r.Mu.Unlock()
		made = live
		r.note("created %s %s: %v", want.Key.Name, live.ID, err)
		for _, x := range r.Things {
			if err == nil && x.Mark != nil && x.Mark.Owner == want.Mark.Owner && x.ID != live.ID && x.Leaving == 0 {
				r.wrong = append(r.wrong, fmt.Sprintf("%s: %s was made beside %s", want.Key, live.ID, x.ID))
			}
		}
		return err
	}, func() {})
	r.locked(func() { live = made })
	return live, err
}

// Update implements [thingtest.Driver].
func (r *rough) Update(ctx context.Context, want typed.Want[thingtest.Spec], have typed.Live[thingtest.Thing], changes []kind.Change) error {
	return r.fare(ctx, "update "+want.Key.Name, func() error {
		return r.World.Update(context.Background(), want, have, changes)
	}, func() { // everything except the mark
		r.locked(func() {
			if x := r.Things[have.ID]; x != nil {
				x.Colour = want.Spec.Colour
			}
		})
	})
}

// Delete implements [thingtest.Driver].
func (r *rough) Delete(ctx context.Context, have typed.Live[thingtest.Thing]) (gone bool, err error) {
	went := false // the request may set this after its answer
	err = r.fare(ctx, "delete "+have.Name, func() error {
		gone, err := r.World.Delete(context.Background(), have)
		r.Mu.Lock()
		defer r.Mu.Unlock()
		went = gone
		r.note("deleted %s %s: %v", have.Name, have.ID, err)
		if err == nil && !r.destroying[have.Name] && have.Phase != kind.Failed {
			r.wrong = append(r.wrong, fmt.Sprintf("%s %s was deleted, which no plan said", have.Name, have.ID))
		}
		return err
	}, func() {})
	r.locked(func() { gone = went })
	return gone, err
}

// meddle changes a thing of the stack as somebody else would.
func (r *rough) meddle() {
	defer r.remember()
	what, whom := r.roll("meddling", 5), r.roll("victim", 100)
	r.Mu.Lock()
	defer r.Mu.Unlock()
	ids := slices.Sorted(maps.Keys(r.Things))
	if len(ids) == 0 {
		return
	}
	x := r.Things[ids[whom%len(ids)]]
	if x.Mark == nil || !strings.HasPrefix(x.Mark.Owner, "stackreeve:s:") || x.Leaving > 0 {
		return
	}
	r.note("somebody does %d to %s %s", what, x.Name, x.ID)
	switch what {
	case 0:
		x.Colour = "green"
	case 1:
		x.Shape = "odd"
	case 2:
		x.Near = nil
	case 3:
		x.Failed = true
	default:
		if !slices.ContainsFunc(slices.Collect(maps.Values(r.Things)), func(other *thingtest.Thing) bool { return slices.Contains(other.On, x.ID) }) {
			delete(r.Things, x.ID)
		}
	}
}

// roughWatcher records what a pass does.
type roughWatcher struct{ *rough }

func (r roughWatcher) Planned(p plan.Plan, _ preflight.Findings) {
	r.locked(func() {
		for _, s := range p.Steps {
			if s.Action.Destroys() {
				r.destroying[s.Key.Name] = true
			}
			if s.Action != plan.Keep || s.Drift {
				r.note("  is to %s %s: %s; drift: %v", s.Action, s.Key.Name, s.FullCause(), s.Drift)
			}
		}
	})
}

func (r roughWatcher) Started(s plan.Step) {
	r.locked(func() { r.note("  begins to %s %s %s", s.Action, s.Key.Name, s.ID()) })
}

func (r roughWatcher) Finished(x Result) {
	r.locked(func() { r.note("  has tried to %s %s: %v", x.Step.Action, x.Step.Key.Name, x.Err) })
}

func (roughWatcher) Progress(Progress) {}
