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
	// pace is the interval at which the progress of a running pass is shown.
	pace = time.Second
	// maxRunning is the maximum number of running steps that are shown.
	maxRunning = 10
)

// Watch returns a watcher that shows the passes of a stack while they run.
func (s *Store) Watch(stack string) engine.Watcher { return &live{store: s, stack: stack} }

// planned contains the plan and the findings with which a pass starts.
type planned struct {
	plan  plan.Plan
	needs preflight.Findings
}

// live is a running pass. It implements engine.Watcher.
type live struct {
	store *Store
	stack string

	mu      sync.Mutex
	planned *planned // nil after it was shown
	newest  engine.Progress
	run     int  // the number of the stack's run that it belongs to
	due     bool // reports whether it will be shown soon
}

func (l *live) Planned(p plan.Plan, needs preflight.Findings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.planned = &planned{p, needs}
}

func (l *live) Started(plan.Step)      {}
func (l *live) Finished(engine.Result) {}

// Progress shows the newest one of the reports that arrive within one [pace].
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

// runs returns the number of ended runs of a stack.
func (s *Store) runs(stack string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.views[stack].runs
}

// progress shows the progress of the pass of a run, until the run is recorded. began contains the plan with which the pass started. It is nil
// if that was already shown.
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
		return // an item that cannot be encoded cannot be reported either
	}
	s.show(stack, next, newest)
}

// blank returns a stack before its first run.
func blank(name string) draft { return stack(name, nil, nil) }

// running returns the view in which the stack shows the progress and the commit of its running pass. newest is the newest version of the
// store. The result contains the new one.
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

// during returns the draft of a stack while a pass changes something. Its commit and state are those of the running pass, not those of the
// last run.
func (d draft) during(p engine.Progress, now time.Time) draft {
	is := report.StateDuring(p, now)
	shown := maps.Clone(d.status())
	if shown["commit"] != p.Commit {
		for _, field := range []string{"subject", "author", "files", "commitAddress"} {
			delete(shown, field)
		}
	}
	conditions := available(true, is.State, is.Message, status.ReasonProgressing)
	maps.Copy(shown, map[string]any{"state": is.State, "message": is.Message, "commit": p.Commit, "progress": progressOf(p, now), "conditions": conditions})
	delete(shown, "rollouts") // the progress has newer ones
	d.whole, d.conditions, d.fields = map[string]any{"status": shown}, conditions, map[string]string{"status.state": is.State}
	lastRun, _ := shown["lastRun"].(string)
	d.cells = clean(d.name, is.State, report.Short(p.Commit), lastRun, is.Message)
	return d
}

// doing contains the text for a running step of each action. A step that waits for the cloud is "waiting for".
var doing = map[plan.Action]string{plan.Create: "creating", plan.Update: "changing", plan.Recreate: "replacing", plan.Delete: "deleting", plan.Detach: "letting go of",
	plan.Wait: "waiting for", plan.Keep: "waiting for", plan.Refuse: "waiting for"}

func progressOf(p engine.Progress, now time.Time) map[string]any {
	busy := []string{}
	for _, list := range [][]engine.Activity{p.Doing, p.Waiting} {
		for _, a := range list[:min(len(list), maxRunning-len(busy))] {
			busy = append(busy, report.Clean(doing[a.Action]+" "+a.Key.String()))
		}
	}
	shown := map[string]any{"done": p.Done, "total": p.Total, "busy": busy, "rollouts": texts(p.Rollouts)}
	if left := report.RemainingTime(p, now); left > 0 {
		shown["secondsLeft"] = int(left.Seconds())
	}
	return shown
}
