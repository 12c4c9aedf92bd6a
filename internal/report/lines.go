package report

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Lines shows a running pass on an output that cannot be redrawn. It writes one line for every finished step, and one line for every ten seconds in
// which it wrote nothing else.
type Lines struct {
	text Text
	rev  func() source.Revision
	// prefix distinguishes stacks that run at the same time.
	prefix string

	mu       sync.Mutex
	progress engine.Progress
	written  time.Time // time of the last line
	ticking
}

// Quiet is the time after which Lines reports what the pass waits for, if it has written nothing else.
const Quiet = 10 * time.Second

// NewLines returns Lines that write to w. Each line begins with prefix.
func NewLines(w io.Writer, prefix string, rev func() source.Revision, text Text) *Lines {
	text.W = w
	return &Lines{text: text, rev: rev, prefix: prefix}
}

// Planned implements engine.Watcher.
func (l *Lines) Planned(p plan.Plan, needs preflight.Findings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Plan(p, needs, l.rev())
	l.written = time.Now()
	l.start(time.Second, l.tick)
}

// Started implements engine.Watcher.
func (l *Lines) Started(plan.Step) {}

// Finished implements engine.Watcher.
func (l *Lines) Finished(r engine.Result) {
	if wasBusy(r) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line(finished(r))
}

// Progress implements engine.Watcher.
func (l *Lines) Progress(p engine.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress = p
}

// Close ends the output.
func (l *Lines) Close() { l.stop() }

func (l *Lines) line(text string) {
	fmt.Fprintln(l.text.W, l.prefix+text)
	l.written = time.Now()
}

func (l *Lines) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	busy := append(l.progress.Doing[:len(l.progress.Doing):len(l.progress.Doing)], l.progress.Waiting...)
	if now.Sub(l.written) < Quiet || len(busy) == 0 {
		return
	}
	text := "waiting for " + waiting(busy[0], now)
	if n := len(busy) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	l.line(text)
}

// wasBusy reports whether a step found its object busy. Such a step is tried again, and is reported if it still fails.
func wasBusy(r engine.Result) bool {
	return errors.Is(r.Err, kind.ErrBusy) || errors.Is(r.Err, kind.ErrNotYet)
}

// finished returns one line about a step that was carried out or tried.
func finished(r engine.Result) string {
	if r.Err != nil {
		return Clean(fmt.Sprintf("%s: %s", r.Step.Key, private.Text(r.Err)))
	}
	done := map[plan.Action]string{plan.Create: "created", plan.Update: "changed", plan.Recreate: "old object deleted", plan.Delete: "deleted", plan.Detach: "let go"}
	text := fmt.Sprintf("%s %s: %s in %s", symbol(r.Step), r.Step.Key, done[r.Step.Action], DurationText(r.Took))
	if r.Unfinished {
		text += ", " + unfinishedText(r.Step.Action)
	}
	return Clean(text)
}

// unfinishedText returns the state of a step that the cloud has not finished.
func unfinishedText(a plan.Action) string {
	if a.Destroys() {
		return "the cloud still lists the object"
	}
	return "not usable yet"
}

// ticking calls a function at intervals between start and stop.
type ticking struct {
	end  chan struct{}
	done chan struct{}
}

func (t *ticking) start(every time.Duration, tick func()) {
	if t.end != nil {
		return
	}
	t.end, t.done = make(chan struct{}), make(chan struct{})
	end, done := t.end, t.done
	go func() {
		defer close(done)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				tick()
			case <-end:
				return
			}
		}
	}()
}

func (t *ticking) stop() {
	if t.end != nil {
		close(t.end)
		<-t.done
		t.end = nil
	}
}
