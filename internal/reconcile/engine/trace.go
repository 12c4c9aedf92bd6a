package engine

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

const (
	// maxTraced is the number of objects for which one call of traceSteps sends requests. The next call handles further
	// objects.
	maxTraced = 20
	// traceTime is how long the requests of one call may take.
	traceTime = 5 * time.Second
)

// traceSteps asks the cloud who caused the differences of steps, unless that is known already. If the answer to a request
// is late, the request is not repeated, and it stays unknown who caused the difference.
func (e *Engine) traceSteps(ctx context.Context, steps []plan.Step) {
	var unknown []plan.Step
	for _, s := range steps {
		if len(unknown) < maxTraced && e.past().Trace(s) == nil {
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
				e.past().NoteTrace(s, trace)
			}
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
}

// withTraces asks the cloud who caused the drift of a plan, and returns the plan with the answers. It removes from the
// memory the drift that no longer exists.
func (e *Engine) withTraces(ctx context.Context, p plan.Plan) plan.Plan {
	drifting := p.Drifting()
	e.past().Forget(memory.Differs(drifting))
	e.traceSteps(ctx, drifting)
	return p.WithTraces(e.past().Trace)
}

// traceAll adds to the late drift and to the last plan of a pass who caused the drift. It asks the cloud only about the
// late drift.
func (r *run) traceAll(ctx context.Context) {
	past := r.engine.past()
	r.engine.traceSteps(ctx, r.pass.LateDrift)
	for i := range r.pass.LateDrift {
		r.pass.LateDrift[i].Trace = past.Trace(r.pass.LateDrift[i])
	}
	r.pass.Last = r.pass.Last.WithTraces(past.Trace)
	past.Forget(memory.Differs(r.pass.Last.Drifting()))
}

// trace asks the cloud who changed the object of a step, and when. It returns the zero Trace if the cloud does not
// report it.
func (e *Engine) trace(ctx context.Context, s plan.Step) kind.Trace {
	drv, there := e.driverFor(&s, s.Entry())
	if drv == nil {
		return kind.Trace{}
	}
	have := kind.Live{ID: s.Lost}
	var changes []kind.Change
	if s.Have != nil {
		have, changes = *there, s.Changes
	}
	if have.ID == "" {
		return kind.Trace{}
	}
	t := e.driverTrace(ctx, drv, s, have, changes)
	if t.Who == "" && e.Reported != nil { // a message may name the user of a service that acted for somebody else
		if told, ok := e.Reported(have.ID); ok {
			t = told
		}
	}
	if e.UserName != nil {
		t.Who = e.UserName(t.Who)
	}
	return shown(t, s)
}

// driverTrace returns what the driver knows about the last change of an object.
func (e *Engine) driverTrace(ctx context.Context, drv *kind.Driver, s plan.Step, have kind.Live, changes []kind.Change) kind.Trace {
	if drv.Trace == nil {
		return kind.Trace{When: have.Updated}
	}
	t, ok, err := drv.Trace(redact.With(ctx, s.Secrets), have, changes)
	if err != nil {
		e.log().Debug("the cloud cannot say who changed an object", "object", s.Key.String(), "error", hide(s.Secrets, err))
	}
	if !ok || err != nil {
		return kind.Trace{}
	}
	return t
}

// shown returns a trace without the secrets of a step.
func shown(t kind.Trace, s plan.Step) kind.Trace {
	t.Who, t.What = s.Secrets.Text(t.Who), s.Secrets.Text(t.What)
	return t
}
