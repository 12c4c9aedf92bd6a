package report

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Tee tells several watchers.
type Tee []engine.Watcher

// Planned implements engine.Watcher.
func (t Tee) Planned(p plan.Plan) {
	for _, w := range t {
		w.Planned(p)
	}
}

// Started implements engine.Watcher.
func (t Tee) Started(s plan.Step) {
	for _, w := range t {
		w.Started(s)
	}
}

// Finished implements engine.Watcher.
func (t Tee) Finished(r engine.Result) {
	for _, w := range t {
		w.Finished(r)
	}
}

// Progress implements engine.Watcher.
func (t Tee) Progress(p engine.Progress) {
	for _, w := range t {
		w.Progress(p)
	}
}
