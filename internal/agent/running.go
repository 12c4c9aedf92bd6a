package agent

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Running is the progress of a pass that changes something.
type Running struct {
	State   string `json:"state"` // as in [report.StateDuring]
	Message string `json:"message"`
	Commit  string `json:"commit,omitempty"`
	Done    int    `json:"done"`
	Total   int    `json:"total"`
}

// Watcher returns a watcher that stores the progress of the stack's passes for [Loop.State].
func (s *Loop) Watcher() engine.Watcher { return progress{&s.control} }

type progress struct{ control *control }

func (progress) Planned(plan.Plan, preflight.Findings) {}
func (progress) Started(plan.Step)                     {}
func (progress) Finished(engine.Result)                {}

func (p progress) Progress(now engine.Progress) {
	p.control.mu.Lock()
	defer p.control.mu.Unlock()
	if p.control.running = nil; now.Total > 0 {
		p.control.running = &now
	}
}

// shown returns the progress of the running pass; nil while no pass changes anything.
func (c *control) shown(now time.Time) *Running {
	if c.running == nil {
		return nil
	}
	is := report.StateDuring(*c.running, now)
	return &Running{is.State, is.Message, c.running.Commit, c.running.Done, c.running.Total}
}
