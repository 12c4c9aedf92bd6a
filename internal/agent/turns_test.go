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
		list, order := make([]*turn, atOnce+further), make(chan int, atOnce+further)
		turns := NewTurns()
		for i := range list {
			list[i] = turns.queue()
			go func() {
				<-list[i].granted
				order <- i
			}()
			synctest.Wait()
		}
		if len(order) != atOnce {
			t.Fatalf("%d stacks have a turn at the same time, want %d", len(order), atOnce)
		}
		for ended := 1; ended < further; ended++ { // the turns end one after the other, because the order is random if several turns end together
			list[ended].end()
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
		for _, one := range list {
			one.end()
			one.end() // a second time changes nothing
		}
		if turns.taken != 0 || len(turns.waiting) != 0 {
			t.Errorf("%d turns are taken and %d stacks wait when all have ended", turns.taken, len(turns.waiting))
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

// If a stack waits for its turn, the end of the agent ends the wait, and so does the move of the stack to another agent. Neither leaves a place in
// the queue.
func TestATurnIsNotWaitedForAtTheEnd(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			turns := NewTurns()
			free := hold(turns)
			o := &outside{commit: "one"}
			s := o.stack(t, "@every 24h", "@every 24h")
			leave := make(chan struct{})
			s.Turns, s.Leave = turns, leave
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go Serve(ctx, []*Loop{s})
			synctest.Wait()
			if len(turns.waiting) != 1 {
				t.Fatalf("%d places", len(turns.waiting))
			}
			if leaves {
				close(leave)
			} else {
				cancel()
			}
			synctest.Wait()
			if len(turns.waiting) != 0 {
				t.Errorf("leaves: %t: it still waits", leaves)
			}
			if free(); len(o.runs) > 0 || len(o.passes) > 0 || turns.taken != 0 {
				t.Errorf("leaves: %t: %d reports, %d passes, want nothing; %d turns", leaves, len(o.runs), len(o.passes), turns.taken)
			}
		})
	}
}
