package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// start starts a step. Its outcome arrives in r.done.
func (r *run) start(ctx context.Context, t candidate) {
	s := *t.step
	r.doing[t.id] = ActivityOf(&s, time.Now())
	if s.Action.Destroys() { // recorded before the request, since its answer may be lost and a list may show the result first
		r.destroyed[t.id] = true
		r.engine.past().NoteDestroying(&s)
	}
	r.noteBegun(s)
	r.engine.watch(func(w Watcher) { w.Started(s) })
	if r.recording || s.Continues {
		s = s.Recording()
	}
	go func() {
		o := r.engine.perform(ctx, s)
		o.result.Err = hide(r.secrets, o.result.Err)
		r.done <- o
	}()
}

// outcome is the result of one step. noteOutcome (wait.go) takes it.
type outcome struct {
	id      string
	entries []string // all entries that were tried; if one of them succeeded, it is the last one
	result  Result
	live    *kind.Live
	gone    bool
}

// perform carries out one step. It runs concurrently, so it reads only data that no longer changes.
// The loop of the run processes the result. If the cloud forbids the step through one entry of
// clouds.yaml, perform tries the other entries that show the object. It tries no other entry for an object with a
// manifest, except a surplus copy.
func (e *Engine) perform(ctx context.Context, s plan.Step) outcome {
	o := outcome{id: s.Identity(), entries: []string{s.Entry()}, result: Result{Step: s, Started: time.Now()}}
	o.live, o.gone, o.result.Err = e.do(ctx, s, s.Entry())
	for _, entry := range s.OtherEntries() {
		if !errors.Is(o.result.Err, kind.ErrForbidden) {
			break
		}
		live, gone, err := e.do(ctx, s, entry)
		if o.entries = append(o.entries, entry); !errors.Is(err, kind.ErrForbidden) {
			o.live, o.gone, o.result.Err = live, gone, err
		}
	}
	o.result.Took = time.Since(o.result.Started)
	return o
}

func (e *Engine) do(ctx context.Context, s plan.Step, entry string) (live *kind.Live, gone bool, err error) {
	drv, there := e.driverFor(&s, entry)
	if drv == nil {
		return nil, false, fmt.Errorf("%s: %w", entry, e.loginError(entry))
	}
	switch s.Action {
	case plan.Create:
		made, err := drv.Create(ctx, s.View())
		if err != nil {
			return nil, false, fmt.Errorf("create: %w", err)
		}
		made.Entry = entry
		return &made, false, nil
	case plan.Update:
		if err := drv.Update(ctx, s.View(), *there, s.Changes); err != nil {
			return nil, false, fmt.Errorf("update: %w", err)
		}
		return nil, false, nil
	case plan.Detach:
		err := drv.Unmark(ctx, *there)
		if errors.Is(err, kind.ErrGone) {
			return nil, true, nil
		}
		if err != nil {
			return nil, false, fmt.Errorf("remove the mark: %w", err)
		}
		return nil, false, nil
	case plan.Keep, plan.Wait, plan.Refuse:
	case plan.Recreate, plan.Delete:
		have := *there
		have.Recreated = s.Action == plan.Recreate
		gone, err := drv.Delete(ctx, have)
		if errors.Is(err, kind.ErrGone) {
			return nil, true, nil
		}
		if err != nil {
			return nil, false, fmt.Errorf("delete: %w", err)
		}
		return nil, gone, nil
	}
	return nil, false, fmt.Errorf("a step to %s cannot be carried out", s.Action)
}

func (e *Engine) kind(name string) *kind.Kind { return kindNamed(e.Kinds, name) }

// retriable reports whether a later attempt may succeed although nobody has changed anything.
func retriable(err error) bool {
	return !errors.Is(err, kind.ErrRejected) && !errors.Is(err, kind.ErrNoService)
}
