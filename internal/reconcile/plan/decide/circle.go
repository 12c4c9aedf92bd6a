package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// untie lets a replacement begin without what it awaits if that, in the end,
// waits for the replacement itself: an interrupted pass can leave
//
//	replace a, which b uses      waits until b is gone
//	create c, which depends on a   waits for the new a
//	replace b, to depend on c      would wait for c
//
// Then b goes, and is made when c is there. It returns nil where nothing is replaced.
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
			g.next[i] = nil // recreated when next asked for
		}
	}
	return g
}

// waits is which step waits for which.
type waits struct {
	steps   []plan.Step
	blocked [][]int              // see [planner.block]
	at      map[manifest.Key]int // where a key's step is
	next    [][]int              // what a step waits for; nil until asked for
	seen    []int                // by which search a step was last seen
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

func (g *waits) of(i int) []int {
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

// reaches reports whether a step waits for another in the end. What it waits for
// directly is looked at first: a network that everything is plugged into waits
// for all of it.
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
		next := g.of(i)
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
