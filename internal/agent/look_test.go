package agent

import (
	"context"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// A look runs a pass at once, and fetches nothing. Looks that arrive during a pass lead to one pass after it.
func TestLook(t *testing.T) {
	o := &outside{commit: "one", pass: func(_ context.Context, n int) engine.Pass {
		if n == 2 {
			time.Sleep(time.Minute)
		}
		return engine.Pass{}
	}}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Minute)
		passes, fetches := len(o.passes), o.fetches
		s.Look()
		o.pause(0)
		if len(o.passes) != passes+1 || o.fetches != fetches {
			t.Errorf("%d more passes and %d more fetches, want 1 and 0", len(o.passes)-passes, o.fetches-fetches)
		}
		for range 10 {
			s.Look()
		}
		o.pause(2 * time.Minute)
		if len(o.passes) != passes+2 || o.fetches != fetches {
			t.Errorf("%d more passes and %d more fetches, want 2 and 0", len(o.passes)-passes, o.fetches-fetches)
		}
		s.Check()
		o.pause(0)
		if o.fetches != fetches+1 {
			t.Errorf("%d more fetches after a check, want 1", o.fetches-fetches)
		}
	})
}

// During a pause after failures, a look starts nothing.
func TestLookDuringRest(t *testing.T) {
	o := &outside{commit: "one", pass: func(context.Context, int) engine.Pass { return failed() }}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Hour)
		n := len(o.passes)
		s.Look()
		o.pause(0)
		if len(o.passes) != n {
			t.Errorf("%d more passes", len(o.passes)-n)
		}
	})
}
