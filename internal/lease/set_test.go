package lease

import (
	"maps"
	"testing"
	"time"
)

// TestStacksThatComeAndGo removes and adds a stack ten times. Serving the other stacks starts only once, and the removed stack is free for
// other agents immediately.
func TestStacksThatComeAndGo(t *testing.T) {
	onEach(t, func(t *testing.T, k keys) {
		w := newWorld(t, k, 6)
		a, b, c := three(w)
		time.Sleep(55 * time.Second)
		last := w.stacks[5]
		for range 10 {
			for _, stacks := range [][]string{w.stacks[:5], w.stacks} {
				for _, one := range []*agent{a, b, c} {
					one.Set(stacks)
				}
				time.Sleep(20 * time.Second)
				w.mu.Lock()
				if served := len(w.serving[last]) == 1; served != (len(stacks) == 6) {
					t.Errorf("%d stacks; the last is served: %t", len(stacks), served)
				}
				w.mu.Unlock()
				if len(stacks) == 5 && w.keys.Value("stacks/"+last) != nil {
					t.Errorf("the key of a stack that went: %s", w.keys.Value("stacks/"+last))
				}
			}
		}
		w.mu.Lock()
		began := maps.Clone(w.began) // a copy from before the end of the agents, which hand over their stacks to the remaining ones
		w.mu.Unlock()
		for _, one := range []*agent{a, b, c} {
			one.end()
		}
		for _, stack := range w.stacks[:5] {
			if began[stack] != 1 {
				t.Errorf("%s was begun %d times", stack, began[stack])
			}
		}
		if began[last] != 11 {
			t.Errorf("the last was begun %d times, want 11", began[last])
		}
	})
}
