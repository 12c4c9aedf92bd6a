package agent

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// If all turns are taken, further stacks get their turns in the order of their requests. No stack waits forever for passes that do not end.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const further = 3
		turns, order := NewTurns(), make(chan int, atOnce+further)
		dones := make([]func(), atOnce+further)
		for i := range dones {
			go func() {
				done, err := turns.take(t.Context())
				if err != nil {
					t.Error(err)
				}
				dones[i] = done
				order <- i
			}()
			synctest.Wait()
		}
		if len(order) != atOnce {
			t.Fatalf("%d stacks have a turn at the same time, want %d", len(order), atOnce)
		}
		for ended := 1; ended < further; ended++ { // the turns end one after the other, because the order is random if several turns end together
			dones[ended]()
			synctest.Wait()
			if len(order) != atOnce+ended {
				t.Fatalf("%d stacks have had a turn when %d have ended, want one more for each than %d", len(order), ended, atOnce)
			}
		}
		time.Sleep(longTurn) // by the bubble's clock
		synctest.Wait()
		if len(order) != atOnce+further {
			t.Fatalf("%d stacks have had a turn when those of all others are over, want all", len(order))
		}
		for _, done := range dones {
			done()
		}
		if len(turns.taken) != 0 {
			t.Errorf("%d turns are taken when all have ended", len(turns.taken))
		}
		close(order)
		var have []int
		for i := range order {
			have = append(have, i)
		}
		if !slices.IsSorted(have) {
			t.Errorf("they came in the order %d", have)
		}
	})
}

// If a stack waits for its turn, the end of the agent ends the wait.
func TestATurnIsNotWaitedForAtTheEnd(t *testing.T) {
	turns := NewTurns()
	for range atOnce {
		if _, err := turns.take(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turns.take(ctx); err == nil {
		t.Error("it had a turn, though all are taken")
	}
	o := &outside{commit: "one"}
	s := o.stack(t, "@every 24h", "@every 24h")
	s.Turns = turns
	Serve(ctx, []*Loop{s})
	if len(o.runs) > 0 {
		t.Errorf("reported %+v, want nothing", o.runs)
	}
}
