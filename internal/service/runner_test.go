package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// world records which stacks are served. It records an error if a stack is served twice at the same time.
type world struct {
	mu     sync.Mutex
	starts map[string]int
	now    map[string]bool
	broken map[string]bool
	ending time.Duration // time that a stack takes to end
	wrong  []string
}

func (w *world) serve(ctx context.Context, stack string) error {
	w.mu.Lock()
	if w.broken[stack] {
		w.mu.Unlock()
		return errors.New("cannot be")
	}
	if w.now[stack] {
		w.wrong = append(w.wrong, stack+" is served twice")
	}
	w.starts[stack]++
	w.now[stack] = true
	w.mu.Unlock()
	<-ctx.Done()
	time.Sleep(w.ending)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.now, stack)
	return nil
}

// serving returns the served stacks, with the number of starts of each.
func (w *world) serving() string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprint(w.wrong)
	for _, stack := range slices.Sorted(maps.Keys(w.now)) {
		text += fmt.Sprintf(" %s:%d", stack, w.starts[stack])
	}
	return text
}

func run(t *testing.T, script func(r *runner, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{starts: map[string]int{}, now: map[string]bool{}, broken: map[string]bool{}}
		r := &runner{serve: w.serve, log: slog.New(slog.DiscardHandler)}
		r.set(map[string]string{"a": ""})
		ctx, end := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { r.run(ctx); close(done) }()
		script(r, w)
		end()
		<-done
		if now := w.serving(); now != "[]" {
			t.Errorf("after the end: %s", now)
		}
	})
}

func (w *world) want(t *testing.T, want string) {
	t.Helper()
	if got := w.serving(); got != "[]"+want {
		t.Errorf("served: %q, want %q", got, want)
	}
}

func TestStacksComeAndGoSingly(t *testing.T) {
	run(t, func(r *runner, w *world) {
		w.want(t, " a:1")
		for n := range 10 {
			r.set(map[string]string{"a": "", "b": ""})
			w.want(t, fmt.Sprintf(" a:1 b:%d", n+1))
			r.set(map[string]string{"a": ""})
			w.want(t, " a:1")
		}
	})
}

// A stack that is wanted again while it is ending starts only after its end. So does another stack with the same name.
func TestASuccessorWaits(t *testing.T) {
	run(t, func(r *runner, w *world) {
		w.want(t, " a:1")
		w.ending = time.Minute
		r.set(map[string]string{})
		r.set(map[string]string{"a": ""})
		w.want(t, " a:1")
		time.Sleep(time.Minute)
		w.want(t, " a:2")
		r.set(map[string]string{"a": "of another folder"})
		w.want(t, " a:2")
		time.Sleep(time.Minute)
		w.want(t, " a:3")
	})
}

func TestAStackThatCannotBeServedStopsNoOther(t *testing.T) {
	run(t, func(r *runner, w *world) {
		w.broken["b"] = true
		r.set(map[string]string{"a": "", "b": ""})
		time.Sleep(10 * time.Minute)
		w.want(t, " a:1")
		w.mu.Lock()
		delete(w.broken, "b")
		w.mu.Unlock()
		time.Sleep(2 * maxPause)
		w.want(t, " a:1 b:1")
		w.mu.Lock()
		w.broken["c"] = true
		w.mu.Unlock()
		r.set(map[string]string{"a": "", "c": ""})
		w.want(t, " a:1")
		r.set(map[string]string{"a": ""})
	})
}
