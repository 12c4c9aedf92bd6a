package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// slowly is a cloud that needs a long time (takes) for the first creation. The client stops waiting before that.
type slowly struct {
	*thingtest.World
	takes time.Duration
	holds bool        // whether the request ends only when its context ends
	turns bool        // whether the first request still waits for its turn when its context ends
	at    []time.Time // times of the creations
}

func (s *slowly) Create(ctx context.Context, want typed.Want[thingtest.Spec]) (typed.Live[thingtest.Thing], error) {
	if s.at = append(s.at, time.Now()); len(s.at) > 1 {
		return s.World.Create(ctx, want)
	}
	if s.turns {
		<-ctx.Done()
		return typed.Live[thingtest.Thing]{}, fmt.Errorf("%w: %w", kind.ErrUnsent, ctx.Err())
	}
	mark := want.Mark
	mark.Applied = kind.Unfinished
	time.AfterFunc(s.takes, func() {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		s.Put(thingtest.Thing{Name: want.Key.Name, Mark: &mark, Mine: true})
	})
	if s.holds {
		<-ctx.Done()
		return typed.Live[thingtest.Thing]{}, ctx.Err()
	}
	return typed.Live[thingtest.Thing]{}, fmt.Errorf("%w: 504", kind.ErrUnanswered)
}

func (s *slowly) engine(m *memory.Memory) *Engine {
	e := engineOf(s.World)
	e.Kinds, e.Memory = []*kind.Kind{thingtest.Of(s.Kind().Info, s)}, m
	return e
}

// A creation whose answer did not come in time may continue in the cloud for longer than the client waited. The object
// is not created a second time. That is also true if a newer commit ends the pass, or the request.
func TestACreationThatIsNotAnsweredIsGivenTime(t *testing.T) {
	for name, tt := range map[string]struct {
		takes, ends time.Duration // ends is when the pass is ended; 0 if it is not ended
		holds, anew bool          // see slowly, and whether the agent logs in again after the pass
		made        int
	}{
		"in time":                         {takes: 105 * time.Second, made: 1},
		"far too late":                    {takes: 10 * time.Minute, made: 2},
		"news":                            {takes: 105 * time.Second, ends: 30 * time.Second, made: 1},
		"news, far too late":              {takes: 10 * time.Minute, ends: 30 * time.Second, made: 2},
		"news, and a new login":           {takes: 105 * time.Second, ends: 30 * time.Second, anew: true, made: 1},
		"news cut it off":                 {takes: 105 * time.Second, ends: 30 * time.Second, holds: true, made: 1},
		"news cut it off, and it is lost": {takes: 10 * time.Minute, ends: 30 * time.Second, holds: true, made: 2},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := &slowly{World: thingtest.New(), takes: tt.takes, holds: tt.holds}, &memory.Memory{}
			want, err := s.Wanted("a")
			if err != nil {
				t.Fatal(err)
			}
			var last Pass
			synctest.Test(t, func(t *testing.T) {
				e := s.engine(m)
				if tt.ends > 0 {
					ctx, supersede := context.WithCancelCause(t.Context())
					time.AfterFunc(tt.ends, func() { supersede(Superseded("commit 1a2b3c4")) })
					e.Sync(ctx, Revision{Want: want})
				}
				if tt.anew {
					e = s.engine(m)
				}
				last = e.Sync(t.Context(), Revision{Want: want})
			})
			if last.Outcome() != plan.InSync || len(s.at) != tt.made || tt.made == 2 && s.at[1].Sub(s.at[0]) < 3*time.Minute {
				t.Errorf("%s after tries at %v", last.Outcome(), s.at)
			}
		})
	}
}

// A creation that was not sent before the pass ended is sent by the next pass, as soon as lists show the results of all requests.
func TestACreationThatWasNotSentIsNotWaitedFor(t *testing.T) {
	s, m := &slowly{World: thingtest.New(), turns: true}, &memory.Memory{}
	want, err := s.Wanted("a")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, supersede := context.WithCancelCause(t.Context())
		time.AfterFunc(30*time.Second, func() { supersede(Superseded("commit 1a2b3c4")) })
		s.engine(m).Sync(ctx, Revision{Want: want})
		ended := time.Now()
		if last := s.engine(m).Sync(t.Context(), Revision{Want: want}); last.Outcome() != plan.InSync || len(s.at) != 2 || s.at[1].Sub(ended) > 10*time.Second {
			t.Errorf("%s after tries at %v; the first pass ended at %v", last.Outcome(), s.at, ended)
		}
	})
}

// The agent forgets a creation without an answer when the cloud can no longer be working on it.
func TestUnansweredCreationsAreForgotten(t *testing.T) {
	s, m := &slowly{World: thingtest.New(), takes: 10 * time.Minute}, &memory.Memory{}
	want, err := s.Wanted("a")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s.engine(m).Sync(ctx, Revision{Want: want})
		if m.HiddenUntil("Thing/a", false).Before(time.Now()) {
			t.Error("it is forgotten while it goes on")
		}
		time.Sleep(3 * time.Minute)
		if s.engine(m).Sync(t.Context(), Revision{}); !m.HiddenUntil("Thing/a", false).IsZero() {
			t.Error("it is still remembered")
		}
		time.Sleep(10 * time.Minute)
	})
}
