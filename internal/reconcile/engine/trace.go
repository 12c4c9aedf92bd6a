package engine

import (
	"context"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

const (
	// mostTraced is of how many objects it is asked at a time who changed them; it is asked of others the next time.
	mostTraced = 20
	// traceTime is how long that may take.
	traceTime = 5 * time.Second
)

// traces are what the cloud has said of who made the differences that there still are: it is asked once of each.
type traces struct {
	mu    sync.Mutex
	known map[string]traceOf // by step identity
}

type traceOf struct {
	what  kind.Sum // the difference that it is of
	trace kind.Trace
}

// of is what is known of a step; nil when nothing is.
func (t *traces) of(s plan.Step) *kind.Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.known[s.Identity()]; ok && known.what == s.Difference() {
		return &known.trace
	}
	return nil
}

func (t *traces) note(s plan.Step, trace kind.Trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = map[string]traceOf{}
	}
	t.known[s.Identity()] = traceOf{s.Difference(), trace}
}

// keep forgets what is not of these steps: the same difference may come again, made by somebody else.
func (t *traces) keep(steps []plan.Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	still := map[string]bool{}
	for _, s := range steps {
		still[s.Identity()] = true
	}
	maps.DeleteFunc(t.known, func(id string, _ traceOf) bool { return !still[id] })
}

// askWho has the cloud say who made the differences of steps, as far as that is not known yet. What it does not answer in
// time is not asked again: it stays unknown.
func (e *Engine) askWho(ctx context.Context, steps []plan.Step) {
	var unknown []plan.Step
	for _, s := range steps {
		if len(unknown) < mostTraced && e.traces.of(s) == nil {
			unknown = append(unknown, s)
		}
	}
	within, cancel := context.WithTimeout(ctx, traceTime)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(e.parallelism())
	for _, s := range unknown {
		group.Go(func() error {
			if trace := e.trace(within, s); ctx.Err() == nil {
				e.traces.note(s, trace)
			}
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
}

// traced is a plan with who made its drift, which the cloud is asked; what is no drift any more is forgotten.
func (e *Engine) traced(ctx context.Context, p plan.Plan) plan.Plan {
	drifting := p.Drifting()
	e.traces.keep(drifting)
	e.askWho(ctx, drifting)
	return p.WithTraces(e.traces.of)
}

// traceAll has the record of a pass say who made its drift, also that which began, or showed, later. The cloud is asked
// about that alone.
func (r *run) traceAll(ctx context.Context) {
	traces := &r.engine.traces
	r.engine.askWho(ctx, r.pass.Late)
	for i := range r.pass.Late {
		r.pass.Late[i].Trace = traces.of(r.pass.Late[i])
	}
	r.pass.Last = r.pass.Last.WithTraces(traces.of)
	traces.keep(r.pass.Last.Drifting())
}

// trace asks the cloud who changed the object of a step, and when; the zero Trace when it does not report it.
func (e *Engine) trace(ctx context.Context, s plan.Step) kind.Trace {
	drv, there := e.at(&s, s.Through())
	if drv == nil {
		return kind.Trace{}
	}
	have := kind.Live[any]{ID: s.Lost()}
	var changes []kind.Change
	if s.Have() != nil {
		have, changes = *there, s.Changes
	}
	if have.ID == "" {
		return kind.Trace{}
	}
	t, ok, err := drv.Trace(redact.With(ctx, s.Secrets()), have, changes)
	if err != nil && e.Log != nil {
		e.Log.Debug("who changed it is unknown", "object", s.Key.String(), "error", hide(s.Secrets(), err))
	}
	if !ok || err != nil {
		return kind.Trace{}
	}
	t.Who, t.What = s.Secrets().Text(t.Who), s.Secrets().Text(t.What)
	return t
}

// forgetUnwanted drops what is remembered of objects that nobody wants any more.
func (e *Engine) forgetUnwanted(p plan.Plan) {
	wanted := make(map[string]bool, len(p.Steps))
	for i := range p.Steps {
		wanted[p.Steps[i].Identity()] = p.Steps[i].Want() != nil
	}
	maps.DeleteFunc(e.ids, func(id, _ string) bool { return !wanted[id] })
}
