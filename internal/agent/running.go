package agent

import (
	"sync"
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

// Progress stores how far the running pass of a loop is. It is a watcher of the loop's engine.
type Progress struct {
	mu  sync.Mutex
	now *engine.Progress // nil while no pass changes anything.
}

// NewProgress returns the progress of a loop that has not run yet.
func NewProgress() *Progress { return &Progress{} }

// Planned implements [engine.Watcher].
func (*Progress) Planned(plan.Plan, preflight.Findings) {}

// Started implements [engine.Watcher].
func (*Progress) Started(plan.Step) {}

// Finished implements [engine.Watcher].
func (*Progress) Finished(engine.Result) {}

// Progress implements [engine.Watcher].
func (p *Progress) Progress(now engine.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now = nil; now.Total > 0 {
		p.now = &now
	}
}

// end says that no pass is running.
func (p *Progress) end() { p.Progress(engine.Progress{}) }

// running returns the progress of the running pass; nil while no pass changes anything.
func (p *Progress) running(now time.Time) *Running {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		return nil
	}
	is := report.StateDuring(*p.now, now)
	return &Running{is.State, is.Message, p.now.Commit, p.now.Done, p.now.Total}
}
