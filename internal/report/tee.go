package report

import "github.com/stackreeve/stackreeve/internal/reconcile"

// Tee tells several watchers.
type Tee []reconcile.Watcher

// Planned implements reconcile.Watcher.
func (t Tee) Planned(p reconcile.Plan) {
	for _, w := range t {
		w.Planned(p)
	}
}

// Started implements reconcile.Watcher.
func (t Tee) Started(s reconcile.Step) {
	for _, w := range t {
		w.Started(s)
	}
}

// Finished implements reconcile.Watcher.
func (t Tee) Finished(r reconcile.Result) {
	for _, w := range t {
		w.Finished(r)
	}
}

// Progress implements reconcile.Watcher.
func (t Tee) Progress(p reconcile.Progress) {
	for _, w := range t {
		w.Progress(p)
	}
}
