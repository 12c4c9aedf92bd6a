package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Fallback is what a group is kept at instead of what the repository wants of it.
type Fallback struct {
	Failing
	Commit string
	Want   []kind.Desired // what the group stood for, and what that used and was not managed

	parts map[manifest.Key]bool // of Want, those that the group stood for
	then  rollout.Strategy      // how it changed them
	lacks []manifest.Key        // the members that the repository wants of it and that it did not have
}

// NewFallback is what a group was at a commit, which wanted all this.
func NewFallback(f Failing, commit string, all []kind.Desired) Fallback {
	parts, byKey, used := partsOf(all, f.Group), map[manifest.Key]kind.Desired{}, map[manifest.Key]bool{}
	for _, d := range all {
		byKey[d.Key] = d
	}
	back := Fallback{Failing: f, Commit: commit, parts: parts}
	back.serving = nil // which keeps a whole plan alive
	if group := byKey[f.Group]; group.Rollout != nil {
		back.then = *group.Rollout
	}
	for _, d := range all {
		if !parts[d.Key] {
			continue
		}
		for _, ref := range d.Refs {
			if on, ok := byKey[ref.Key]; ok && !parts[ref.Key] && !used[ref.Key] && (on.Unmanaged || on.Data != nil) {
				used[ref.Key], back.Want = true, append(back.Want, on)
			}
		}
		back.Want = append(back.Want, d)
	}
	return back
}

// String says why, and what becomes of it.
func (f Fallback) String() string {
	text := fmt.Sprintf("went back to what it was at commit %.10s: %s did not serve after it was changed (%s); correct its template, or undo the change", f.Commit, f.Member, f.Why)
	switch n := len(f.lacks); n {
	case 0:
	case 1:
		text += fmt.Sprintf("; %s is not made before that", f.lacks[0])
	default:
		text += fmt.Sprintf("; %s and %d more are not made before that", f.lacks[0], n-1)
	}
	return text
}

// strategy is how the group changes its members meanwhile: as the repository says now, and as many at a time as it said then. Further
// members that are new in the strategy are not there to stand in for others.
func (f Fallback) strategy(now *rollout.Strategy) *rollout.Strategy {
	if now == nil {
		return nil
	}
	s := *now
	s.MaxUnavailable, s.MaxSurge = f.then.MaxUnavailable, f.then.MaxSurge
	return &s
}

// fallenBack has the groups that are kept at something else want what they wanted then, in an order in which nothing stands before
// what it refers to. What they have not had is as if it need not be there now.
func (in Input) fallenBack() Input {
	if len(in.Fallbacks) == 0 {
		return in
	}
	now := in.Want
	in.Want, in.Fallbacks, in.dropped = nil, maps.Clone(in.Fallbacks), map[manifest.Key]bool{}
	there := map[manifest.Key]bool{} // what is not added as it is now
	for group, f := range in.Fallbacks {
		parts := partsOf(now, group)
		maps.Copy(there, parts)
		for key := range parts {
			in.dropped[key] = !f.parts[key]
		}
		f.lacks = in.lacks(now, group)
		in.Fallbacks[group] = f
	}
	add := func(d kind.Desired) {
		if !there[d.Key] {
			there[d.Key], in.Want = true, append(in.Want, d)
		}
	}
	for _, d := range now {
		if f, back := in.Fallbacks[d.Key]; back {
			d.Rollout = f.strategy(d.Rollout)
		}
		add(d)
	}
	for _, group := range slices.SortedFunc(maps.Keys(in.Fallbacks), manifest.Key.Compare) {
		f := in.Fallbacks[group]
		for _, d := range f.Want {
			if f.parts[d.Key] {
				in.Want = append(in.Want, d)
			} else {
				add(d)
			}
		}
	}
	in.Want = inOrder(in.Want)
	return in
}

// lacks are the members of a group that it has not had, but for those that need not be there now either.
func (in Input) lacks(now []kind.Desired, group manifest.Key) (members []manifest.Key) {
	at := slices.IndexFunc(in.Kinds, func(k *kind.Kind) bool { return k.Info.Kind == group.Kind })
	for _, d := range now {
		if at >= 0 && d.Parent == group && d.Key.Kind == in.Kinds[at].Group.Members && in.dropped[d.Key] && !d.Spare && !d.Scaled {
			members = append(members, d.Key)
		}
	}
	return members
}

// refersToDropped reports whether an object refers to what a group would have and does not have, since it went back.
func (w *world) refersToDropped(d *kind.Desired) bool {
	return slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool { return w.dropped[ref.Key] && w.byKey[ref.Key] == nil })
}

// partsOf are the objects that a group stands for.
func partsOf(want []kind.Desired, group manifest.Key) map[manifest.Key]bool {
	parents, parts := map[manifest.Key]manifest.Key{}, map[manifest.Key]bool{}
	for _, d := range want {
		parents[d.Key] = d.Parent
	}
	for _, d := range want {
		for at, depth := d.Parent, 0; at != (manifest.Key{}) && depth < len(parents); at, depth = parents[at], depth+1 {
			if at == group {
				parts[d.Key] = true
				break
			}
		}
	}
	return parts
}

// inOrder puts each object behind what it refers to, and changes the order no further than that takes.
func inOrder(want []kind.Desired) []kind.Desired {
	at := map[manifest.Key]int{}
	for i, d := range want {
		at[d.Key] = i
	}
	rank := resolve.Components(len(want), func(i int) (next []int) {
		for _, ref := range want[i].Refs {
			if to, ok := at[ref.Key]; ok && !ref.Late {
				next = append(next, to)
			}
		}
		return next
	})
	order := make([]int, len(want))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank[a] - rank[b] })
	out := make([]kind.Desired, len(want))
	for i, from := range order {
		out[i] = want[from]
	}
	return out
}
