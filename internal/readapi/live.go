package readapi

import (
	"maps"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

const (
	// pace is how often a pass that runs is shown.
	pace = time.Second
	// mostBusy are the steps of it that are shown.
	mostBusy = 10
)

// Watch shows the passes of a stack while they run.
func (s *Store) Watch(stack string) engine.Watcher { return &live{store: s, stack: stack} }

// live is a pass that runs. It implements engine.Watcher.
type live struct {
	store *Store
	stack string

	mu     sync.Mutex
	newest engine.Progress
	run    int  // which run of the stack it is of
	due    bool // it will be shown
}

func (l *live) Planned(plan.Plan)      {}
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
	p, run := l.newest, l.run
	l.due = false
	l.mu.Unlock()
	l.store.progress(l.stack, run, p)
}

// runs is how many runs of a stack have ended.
func (s *Store) runs(stack string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.views[stack].runs
}

// progress shows how far the pass of a run has come, until that is recorded.
func (s *Store) progress(stack string, run int, p engine.Progress) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[stack]
	if v.runs != run || s.closed {
		return
	}
	if v.stack.whole == nil {
		v.stack = blank(stack)
	}
	next, newest, err := v.running(p, s.version)
	if err != nil {
		return // what cannot be encoded cannot be reported either
	}
	s.show(stack, next, newest)
}

// blank is a stack before its first run.
func blank(name string) draft { return stack(name, nil, nil) }

// running is the view with a stack that says how far its pass has come. newest is the newest version of the store before and after that.
func (v view) running(p engine.Progress, newest int) (view, int, error) {
	d := v.stack
	status := maps.Clone(d.status())
	status["progress"] = progressOf(p)
	d.whole = map[string]any{"status": status}
	before := v.items[stackGVK]
	made, err := v.made(d, newest+1, v.since, &before[0])
	if err != nil {
		return v, newest, err
	}
	v.items, v.newest = maps.Clone(v.items), maps.Clone(v.newest)
	v.items[stackGVK], v.newest[stackGVK] = []item{made}, max(v.newest[stackGVK], made.version)
	return v, max(newest, made.version), nil
}

func progressOf(p engine.Progress) map[string]any {
	busy := []string{}
	for _, list := range [][]engine.Activity{p.Doing, p.Waiting} {
		for _, a := range list[:min(len(list), mostBusy-len(busy))] {
			busy = append(busy, report.Clean(string(a.Step.Action)+" "+a.Step.Key.String()))
		}
	}
	return map[string]any{"done": p.Done, "total": p.Total, "busy": busy, "rollouts": texts(p.Rollouts)}
}
