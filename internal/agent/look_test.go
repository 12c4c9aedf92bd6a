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
		s.Look(engine.Moved{})
		o.pause(0)
		if len(o.passes) != passes+1 || o.fetches != fetches {
			t.Errorf("%d more passes and %d more fetches, want 1 and 0", len(o.passes)-passes, o.fetches-fetches)
		}
		for range 10 {
			s.Look(engine.Moved{})
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
		s.Look(engine.Moved{})
		o.pause(0)
		if len(o.passes) != n {
			t.Errorf("%d more passes", len(o.passes)-n)
		}
	})
}

// A look at known collections runs a pass only if the change concerns the stack, or if that is not known. Each result is in the state.
func TestLookAtCollections(t *testing.T) {
	o := &outside{commit: "one", look: engine.LookedSame}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Minute)
		ports := engine.Moved{Collections: []string{"network/ports"}, Since: time.Unix(1, 0)}
		for _, tt := range []struct {
			moved         engine.Moved
			result, shown engine.Looked
			passes, looks int
		}{
			{ports, engine.LookedSame, engine.LookedSame, 0, 1},
			{ports, engine.LookedChanged, engine.LookedChanged, 1, 1},
			{ports, engine.LookedFailed, engine.LookedFailed, 1, 1},
			{engine.Moved{}, engine.LookedSame, engine.LookedUnknown, 1, 0},
		} {
			passes, looks := len(o.passes), len(o.looks)
			o.look = tt.result
			s.Look(tt.moved)
			o.pause(0)
			if len(o.passes) != passes+tt.passes || len(o.looks) != looks+tt.looks || s.State().LastLook.Result != tt.shown {
				t.Errorf("%v, which looks %s: %d passes, %d looks, %v; want %d, %d, %s", tt.moved, tt.result, len(o.passes)-passes, len(o.looks)-looks, s.State().LastLook, tt.passes, tt.looks, tt.shown)
			}
		}
		o.look = engine.LookedSame
		s.Look(ports)
		s.Look(engine.Moved{Collections: []string{"network/networks"}})
		o.pause(0)
		if last := o.looks[len(o.looks)-1]; len(last.Collections) != 2 || last.Since != ports.Since {
			t.Errorf("two signals lead to a look at %v", last)
		}
	})
}

// A look that waits for its turn starts no pass, however long that takes. It covers the changes that arrive meanwhile.
func TestLookWaitsForItsTurn(t *testing.T) {
	var turns *Turns
	o := &outside{commit: "one", look: engine.LookedSame, with: func(s *Loop) {
		turns = NewTurns()
		s.Turns = turns
	}}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Minute)
		passes := len(o.passes)
		for range atOnce {
			turns.taken <- struct{}{}
		}
		s.Look(engine.Moved{Collections: []string{"network/ports"}})
		o.pause(time.Minute)
		s.Look(engine.Moved{Collections: []string{"network/networks"}})
		o.pause(time.Minute)
		if len(o.looks) != 0 || len(o.passes) != passes {
			t.Fatalf("%d looks and %d passes without a turn", len(o.looks), len(o.passes)-passes)
		}
		for range atOnce {
			<-turns.taken
		}
		o.pause(0)
		if len(o.passes) != passes || len(o.looks) != 1 || len(o.looks[0].Collections) != 2 {
			t.Errorf("%d passes, looks at %v", len(o.passes)-passes, o.looks)
		}
	})
}
