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

// inTurns serves a stack that looks, in a process with turns.
func inTurns(t *testing.T, o *outside, test func(s *Loop, turns *Turns)) {
	t.Helper()
	var turns *Turns
	o.look, o.with = engine.LookedSame, func(s *Loop) {
		turns = NewTurns()
		s.Turns = turns
	}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Minute)
		test(s, turns)
	})
}

// hold takes all turns and holds them, although each ends after a while. free gives them back.
func hold(t *Turns) (free func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken += atOnce
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.taken -= atOnce
		t.grant()
	}
}

var ports = engine.Moved{Collections: []string{"network/ports"}, Since: time.Unix(1, 0)}

// A look that waits for its turn starts no pass, however long that takes. It covers the changes that arrive meanwhile.
func TestLookWaitsForItsTurn(t *testing.T) {
	o := &outside{commit: "one"}
	inTurns(t, o, func(s *Loop, turns *Turns) {
		passes := len(o.passes)
		free := hold(turns)
		s.Look(ports)
		o.pause(time.Minute)
		s.Look(engine.Moved{Collections: []string{"network/networks"}})
		o.pause(time.Minute)
		if len(o.looks) != 0 || len(o.passes) != passes {
			t.Fatalf("%d looks and %d passes without a turn", len(o.looks), len(o.passes)-passes)
		}
		free()
		o.pause(0)
		if len(o.passes) != passes || len(o.looks) != 1 || len(o.looks[0].Collections) != 2 || turns.taken != 0 {
			t.Errorf("%d passes, looks at %v, %d turns", len(o.passes)-passes, o.looks, turns.taken)
		}
	})
}

// A stack whose look waits for its turn hears commits, and leaves at once. The run of the commit keeps the place in the queue.
func TestWhileALookWaits(t *testing.T) {
	o := &outside{commit: "one"}
	inTurns(t, o, func(s *Loop, turns *Turns) {
		free := hold(turns)
		s.Look(ports)
		o.pause(0)
		place := turns.waiting[0]
		fetches, passes := o.fetches, len(o.passes)
		s.Wake() // without a new commit, the look goes on waiting
		o.pause(0)
		if len(turns.waiting) != 1 || turns.waiting[0] != place || o.fetches != fetches+1 {
			t.Errorf("after a poll: %d places, %d fetches", len(turns.waiting), o.fetches-fetches)
		}
		o.commit = "two"
		s.Wake()
		o.pause(0)
		if o.fetches != fetches+2 || len(o.looks) != 0 || len(turns.waiting) != 1 || turns.waiting[0] != place {
			t.Errorf("after a commit: %d fetches, %d looks, %d places", o.fetches-fetches, len(o.looks), len(turns.waiting))
		}
		free()
		o.pause(0)
		if len(o.passes) != passes+1 || o.passes[passes].Commit != "two" || len(o.looks) != 1 || turns.taken != 0 {
			t.Errorf("in its turn: %d passes, %d looks, %d turns", len(o.passes)-passes, len(o.looks), turns.taken)
		}
	})
	o = &outside{commit: "one"}
	inTurns(t, o, func(s *Loop, turns *Turns) {
		leave := make(chan struct{}) // of the bubble
		s.Leave = leave
		s.Wake() // the loop waits again, now with Leave
		o.pause(0)
		hold(turns)
		s.Look(ports)
		o.pause(0)
		if len(turns.waiting) != 1 {
			t.Fatalf("%d places", len(turns.waiting))
		}
		close(leave)
		o.pause(0)
		if len(turns.waiting) != 0 {
			t.Error("it still waits")
		}
	})
}

// A look and the pass after it share one turn: a stack that asks between them waits.
func TestALookAndItsPassHaveOneTurn(t *testing.T) {
	o := &outside{commit: "one"}
	var other *turn
	before := false
	o.pass = func(context.Context, int) engine.Pass {
		if other != nil {
			before = other.limit != nil
		}
		return engine.Pass{}
	}
	inTurns(t, o, func(s *Loop, turns *Turns) {
		passes := len(o.passes)
		free := hold(turns)
		o.look = engine.LookedChanged
		s.Look(ports)
		o.pause(0)
		other = turns.queue()
		turns.mu.Lock()
		turns.taken-- // one turn is free
		turns.grant()
		turns.mu.Unlock()
		o.pause(0)
		if len(o.passes) != passes+1 || before || other.limit == nil {
			t.Errorf("%d passes; the other stack was first: %t, and has had its turn: %t", len(o.passes)-passes, before, other.limit != nil)
		}
		turns.taken++
		free()
	})
}

// After a rest, a pass has covered the looks that arrived before.
func TestLooksEndWithARest(t *testing.T) {
	o := &outside{commit: "one"}
	fails := false
	o.pass = func(context.Context, int) engine.Pass {
		if fails {
			return failed()
		}
		return engine.Pass{}
	}
	inTurns(t, o, func(s *Loop, turns *Turns) {
		fails = true
		s.Check()
		o.pause(0)
		s.Look(ports)
		o.pause(0)
		if len(turns.waiting) != 0 || turns.taken != 0 {
			t.Errorf("during a rest: %d places, %d turns", len(turns.waiting), turns.taken)
		}
		fails = false
		o.pause(time.Hour)
		if len(o.looks) != 0 {
			t.Errorf("looks at %v after a pass that was later", o.looks)
		}
	})
}
