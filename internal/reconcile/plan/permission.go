package plan

import (
	"slices"
)

// Permission limits the steps of a pass if every change waits for an approval, or if the pass was requested for one plan only. It allows
// the steps of the first plan, the steps that follow from them, and the other approved steps. Drift that is found later waits for the next
// pass, and for another approval.
type Permission struct {
	prints []Print
	steps  map[string]bool // the steps that write in the first plan, by [Step.Identity]
}

// Permission returns what later plans of the same pass may do; nil if it sets no limit. only is true if the pass was requested for this plan
// only.
func (p Plan) Permission(only bool) *Permission {
	if p.Manual == "" && !only {
		return nil
	}
	l := &Permission{prints: p.Fingerprints(), steps: map[string]bool{}}
	if p.Approved != nil && p.Approved.coversRest(p) {
		l.prints = append(l.prints, p.Approved.Proof.Steps...)
		slices.SortFunc(l.prints, comparePrints)
	}
	for _, s := range p.Steps {
		if s.Action.Writes() {
			l.steps[s.Identity()] = true
		}
	}
	return l
}

// Allows reports whether a step may be carried out.
func (l *Permission) Allows(stack string, s Step) bool {
	switch {
	case l == nil, s.Spare:
		return true
	case s.Surplus:
		return l.steps[s.Identity()]
	case s.Drift && !l.steps[s.Identity()]:
		return false
	}
	return slices.ContainsFunc(s.needs(stack), func(print Print) bool {
		_, ok := slices.BinarySearchFunc(l.prints, print, comparePrints)
		return ok
	})
}
