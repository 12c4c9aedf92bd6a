package reconcile

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// untie lets a replacement begin without what it awaits if that, in the end,
// waits for the replacement itself: an interrupted pass can leave
//
//	replace a, which b uses      waits until b is gone
//	create c, which leans on a   waits for the new a
//	replace b, to lean on c      would wait for c
//
// Then b goes, and is made when c is there.
func (p *planner) untie() {
	at := map[manifest.Key]int{}
	going := map[*Live[any]]int{}
	for i, s := range p.steps {
		if !s.surplus {
			at[s.Key] = i
		}
		if s.Action.Destroys() {
			going[s.have] = i
		}
	}
	next := func(i int) (list []int) {
		for _, key := range p.steps[i].Awaits {
			if j, ok := at[key]; ok {
				list = append(list, j)
			}
		}
		if len(p.steps[i].Blockers) > 0 {
			for _, user := range p.usersOf(p.steps[i].have) {
				if j, ok := going[user]; ok && j != i {
					list = append(list, j)
				}
			}
		}
		return list
	}
	for i := range p.steps {
		if s := &p.steps[i]; s.Action == Recreate {
			s.Awaits = slices.DeleteFunc(s.Awaits, func(key manifest.Key) bool {
				from, ok := at[key]
				return ok && reaches(next, from, i, map[int]bool{})
			})
		}
	}
}

// reaches tells whether a way leads from one step to another.
func reaches(next func(int) []int, from, to int, seen map[int]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(next(from), func(j int) bool { return reaches(next, j, to, seen) })
}
