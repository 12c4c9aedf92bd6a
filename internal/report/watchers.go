package report

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// Watchers passes each call on to several watchers.
type Watchers []engine.Watcher

// Planned implements engine.Watcher.
func (t Watchers) Planned(p plan.Plan, needs preflight.Findings) {
	for _, w := range t {
		w.Planned(p, needs)
	}
}

// Started implements engine.Watcher.
func (t Watchers) Started(s plan.Step) {
	for _, w := range t {
		w.Started(s)
	}
}

// Finished implements engine.Watcher.
func (t Watchers) Finished(r engine.Result) {
	for _, w := range t {
		w.Finished(r)
	}
}

// Progress implements engine.Watcher.
func (t Watchers) Progress(p engine.Progress) {
	for _, w := range t {
		w.Progress(p)
	}
}
