package reconcile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Brake holds a plan that destroys more than the limits allow, or everything
// the stack owns, unless somebody approved of all it would do. Surplus copies
// left by interrupted requests do not count: the object itself stays.
func Brake(limits Limits, approved []Approval) Policy {
	return func(p Plan) Plan {
		reasons := p.destruction().over(limits)
		if len(reasons) == 0 || slices.ContainsFunc(approved, func(a Approval) bool { return a.Covers(p) }) {
			return p
		}
		p.Held = strings.Join(reasons, "; ")
		if len(approved) > 0 {
			p.Held += "; " + p.unapproved(approved)
		}
		return p
	}
}

// harm is what a step that is carried out does at worst, beyond recall: to its
// object, or to its data. Surplus copies do none.
func (s Step) harm() (d Disruption, harms bool) {
	d = s.Disruption()
	return d, d >= Rebuild && !s.surplus
}

// destruction counts what a plan destroys.
type destruction struct {
	owned, harmed           int
	ownedKinds, harmedKinds map[string]int
	verbs                   []string
}

func (p Plan) destruction() destruction {
	d := destruction{owned: p.Owned, ownedKinds: p.OwnedKinds, harmedKinds: map[string]int{}}
	verbs := map[string]bool{}
	for _, s := range p.Steps {
		if _, harms := s.harm(); !harms {
			continue
		}
		d.harmed++
		d.harmedKinds[s.Key.Kind]++
		verbs[verbOf(s)] = true
	}
	for _, verb := range []string{"delete", "replace", "wipe"} {
		if verbs[verb] {
			d.verbs = append(d.verbs, verb)
		}
	}
	return d
}

func verbOf(s Step) string {
	if s.Action == Update {
		return "wipe"
	}
	return string(s.Action)
}

// over says which limits are exceeded, and by how much.
func (d destruction) over(limits Limits) (reasons []string) {
	switch {
	case d.harmed == 0:
	case limits.All.unlimited():
	case d.harmed > limits.All.of(d.owned):
		reasons = append(reasons, fmt.Sprintf("it would %s %d of the %d objects the stack owns%s, more than the limit of %s",
			d.verb(), d.harmed, d.owned, d.byKind(), limits.All))
	case d.harmed == d.owned:
		reasons = append(reasons, fmt.Sprintf("it would %s everything the stack owns%s", d.verb(), d.byKind()))
	}
	for _, kind := range slices.Sorted(maps.Keys(limits.Kinds)) {
		limit, harmed, owned := limits.Kinds[kind], d.harmedKinds[kind], d.ownedKinds[kind]
		if harmed > limit.of(owned) {
			reasons = append(reasons, fmt.Sprintf("it would %s %d of the %d objects of kind %s, more than its limit of %s", d.verb(), harmed, owned, kind, limit))
		}
	}
	return reasons
}

// verb is "delete", or "delete, replace or wipe", or what is between.
func (d destruction) verb() string {
	last := len(d.verbs) - 1
	if last < 1 {
		return strings.Join(d.verbs, "")
	}
	return strings.Join(d.verbs[:last], ", ") + " or " + d.verbs[last]
}

// byKind lists what is destroyed, the most of a kind first.
func (d destruction) byKind() string {
	kinds := slices.SortedFunc(maps.Keys(d.harmedKinds), func(a, b string) int {
		if n := d.harmedKinds[b] - d.harmedKinds[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", d.harmedKinds[kind], kind)
	}
	return " (" + strings.Join(kinds, ", ") + ")"
}
