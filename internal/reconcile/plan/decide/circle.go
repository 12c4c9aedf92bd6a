package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// untie removes circles of steps that wait for each other. A replacement does not wait for a step that waits, directly or not, for the replacement
// itself. An interrupted pass can leave such a circle:
//
//	the step                       what it waits for
//	-----------------------------  -----------------------------------
//	replace a, which b uses        b is deleted
//	create c, which depends on a   the new a exists
//	replace b, to depend on c      c exists, which would close a circle
//
// Then b is deleted without waiting for c, and created when c exists. untie returns the graph of the steps that wait; nil if no object is
// replaced.
func (p *planner) untie(blocked [][]int) *waits {
	if !slices.ContainsFunc(p.steps, func(s plan.Step) bool { return s.Action == plan.Recreate }) {
		return nil
	}
	g := p.waits(blocked)
	for i := range p.steps {
		if s := &p.steps[i]; s.Action == plan.Recreate && len(s.Awaits) > 0 {
			s.Awaits = slices.DeleteFunc(s.Awaits, func(key manifest.Key) bool {
				from, ok := g.at[key]
				return ok && g.reaches(from, i)
			})
			g.next[i] = nil // nil, so that it is computed again
		}
	}
	return g
}

// waits is the graph of the steps that wait for others.
type waits struct {
	steps   []plan.Step
	blocked [][]int              // the result of [planner.block].
	at      map[manifest.Key]int // the index of a key's step.
	next    [][]int              // the steps that each step waits for; nil before the first use.
	seen    []int                // by step: the number of the last search that reached it.
	round   int
}

func (p *planner) waits(blocked [][]int) *waits {
	g := &waits{steps: p.steps, blocked: blocked, at: map[manifest.Key]int{}, next: make([][]int, len(p.steps)), seen: make([]int, len(p.steps))}
	for i, s := range p.steps {
		if !s.Surplus {
			g.at[s.Key] = i
		}
	}
	return g
}

func (g *waits) nextOf(i int) []int {
	if g.next[i] != nil {
		return g.next[i]
	}
	list := []int{}
	for _, key := range g.steps[i].Awaits {
		if j, ok := g.at[key]; ok {
			list = append(list, j)
		}
	}
	list = append(list, g.blocked[i]...)
	g.next[i] = list
	return list
}

// reaches reports whether one step waits for another, directly or through others. The arguments are the indexes of the two steps. The steps
// for which a step waits directly are checked first, because the step of a network can wait for very many.
func (g *waits) reaches(from, to int) bool {
	g.round++
	open := []int{from}
	for len(open) > 0 {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		if i == to {
			return true
		}
		if g.seen[i] == g.round {
			continue
		}
		g.seen[i] = g.round
		next := g.nextOf(i)
		if slices.Contains(next, to) {
			return true
		}
		for _, j := range next {
			if g.seen[j] != g.round {
				open = append(open, j)
			}
		}
	}
	return false
}
