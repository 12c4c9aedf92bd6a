package readapi

import (
	"maps"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

const (
	// pace is how often a pass that runs is shown.
	pace = time.Second
	// mostBusy are the steps of it that are shown.
	mostBusy = 10
)

// Watch shows the passes of a stack while they run.
func (s *Store) Watch(stack string) engine.Watcher { return &live{store: s, stack: stack} }

// planned is what a pass sets out with.
type planned struct {
	plan  plan.Plan
	needs preflight.Findings
}

// live is a pass that runs. It implements engine.Watcher.
type live struct {
	store *Store
	stack string

	mu      sync.Mutex
	planned *planned // until it is shown
	newest  engine.Progress
	run     int  // which run of the stack it is of
	due     bool // it will be shown
}

func (l *live) Planned(p plan.Plan, needs preflight.Findings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.planned = &planned{p, needs}
}

func (l *live) Started(plan.Step)      {}
func (l *live) Finished(engine.Result) {}

// Progress shows the newest of those that come within a moment.
func (l *live) Progress(p engine.Progress) {
	run := l.store.runs(l.stack)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newest, l.run = p, run
	if !l.due && p.Total > 0 {
		l.due = true
		time.AfterFunc(pace, l.show)
	}
}

func (l *live) show() {
	l.mu.Lock()
	p, run, began := l.newest, l.run, l.planned
	l.due, l.planned = false, nil
	l.mu.Unlock()
	l.store.progress(l.stack, run, p, began)
}

// runs is how many runs of a stack have ended.
func (s *Store) runs(stack string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.views[stack].runs
}

// progress shows how far the pass of a run has come, until that is recorded. began is what it set out with, nil where that is shown.
func (s *Store) progress(stack string, run int, p engine.Progress, began *planned) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	v, known := s.views[stack]
	if !known || v.runs != run || s.closed {
		return
	}
	if v.stack.whole == nil {
		v.stack = blank(stack)
	}
	next, newest, err := v.running(p, began, s.version)
	if err != nil {
		return // what cannot be encoded cannot be reported either
	}
	s.show(stack, next, newest)
}

// blank is a stack before its first run.
func blank(name string) draft { return stack(name, nil, nil) }

// running is the view with a stack that says how far its pass has come, and at which commit. newest is the newest version of the store before and after that.
func (v view) running(p engine.Progress, began *planned, newest int) (view, int, error) {
	v.items, v.newest = maps.Clone(v.items), maps.Clone(v.newest)
	list := []draft{v.stack.during(p, p.At)}
	if began != nil {
		list = append(list, planItem(&began.plan, began.needs, source.Revision{Commit: p.Commit}))
	}
	for _, d := range list {
		var before *item
		if had := v.items[d.gvk]; len(had) > 0 {
			before = &had[0]
		}
		made, err := v.made(d, newest+1, v.since, before)
		if err != nil {
			return v, newest, err
		}
		v.items[d.gvk], v.newest[d.gvk] = []item{made}, max(v.newest[d.gvk], made.version)
		newest = max(newest, made.version)
	}
	return v, newest, nil
}

// during is the draft of a stack while a pass has something to do. What it was before is over: neither its commit nor its state are those of
// the last run any more.
func (d draft) during(p engine.Progress, now time.Time) draft {
	is := report.StateDuring(p, now)
	shown := maps.Clone(d.status())
	if shown["commit"] != p.Commit {
		delete(shown, "subject")
		delete(shown, "author")
		delete(shown, "files")
	}
	conditions := available(true, is.State, is.Message, status.ReasonProgressing)
	maps.Copy(shown, map[string]any{"state": is.State, "message": is.Message, "commit": p.Commit, "progress": progressOf(p, now), "conditions": conditions})
	delete(shown, "rollouts") // those of the progress are newer
	d.whole, d.conditions, d.fields = map[string]any{"status": shown}, conditions, map[string]string{"status.state": is.State}
	lastRun, _ := shown["lastRun"].(string)
	d.cells = clean(d.name, is.State, report.Short(p.Commit), lastRun, is.Message)
	return d
}

// doing says what a step in flight does; what the cloud works on is waited for.
var doing = map[plan.Action]string{plan.Create: "creating", plan.Update: "changing", plan.Recreate: "replacing", plan.Delete: "deleting", plan.Detach: "letting go of",
	plan.Wait: "waiting for", plan.Keep: "waiting for", plan.Refuse: "waiting for"}

func progressOf(p engine.Progress, now time.Time) map[string]any {
	busy := []string{}
	for _, list := range [][]engine.Activity{p.Doing, p.Waiting} {
		for _, a := range list[:min(len(list), mostBusy-len(busy))] {
			busy = append(busy, report.Clean(doing[a.Step.Action]+" "+a.Step.Key.String()))
		}
	}
	shown := map[string]any{"done": p.Done, "total": p.Total, "busy": busy, "rollouts": texts(p.Rollouts)}
	if left := report.Left(p, now); left > 0 {
		shown["secondsLeft"] = int(left.Seconds())
	}
	return shown
}
