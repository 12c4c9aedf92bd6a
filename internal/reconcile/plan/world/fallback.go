package world

import (
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// WithFallbacks returns the input in which each group that went back has the desired objects of the earlier commit. Every object still comes
// after the objects that it refers to. Dropped contains the present objects of the group that it did not have at that commit.
func (in Input) WithFallbacks() Input {
	if len(in.Fallbacks) == 0 {
		return in
	}
	now := in.Want
	in.Want, in.Fallbacks, in.Dropped = nil, maps.Clone(in.Fallbacks), map[manifest.Key]bool{}
	there := map[manifest.Key]bool{} // keys that must not be added, or not again
	for group, f := range in.Fallbacks {
		parts := plan.PartsOf(now, group)
		maps.Copy(there, parts)
		for key := range parts {
			in.Dropped[key] = !f.Parts[key]
		}
		f.NewMembers = in.newMembers(now, group)
		in.Fallbacks[group] = f
	}
	add := func(d kind.Desired) {
		if !there[d.Key] {
			there[d.Key], in.Want = true, append(in.Want, d)
		}
	}
	for _, d := range now {
		if f, back := in.Fallbacks[d.Key]; back {
			d.Rollout = f.Strategy(d.Rollout)
		}
		add(d)
	}
	for _, group := range slices.SortedFunc(maps.Keys(in.Fallbacks), manifest.Key.Compare) {
		f := in.Fallbacks[group]
		for _, d := range f.Want {
			if f.Parts[d.Key] {
				in.Want = append(in.Want, d)
			} else {
				add(d)
			}
		}
	}
	in.Want = referencesFirst(in.Want)
	return in
}

// newMembers returns the present members of a group that it did not have at the earlier commit. Spare and scaled members are left out, because
// they need not exist now either.
func (in Input) newMembers(now []kind.Desired, group manifest.Key) (members []manifest.Key) {
	at := slices.IndexFunc(in.Kinds, func(k *kind.Kind) bool { return k.Info.Kind == group.Kind })
	for _, d := range now {
		if at >= 0 && d.Parent == group && d.Key.Kind == in.Kinds[at].Group.Members && in.Dropped[d.Key] && !d.Spare && !d.Scaled {
			members = append(members, d.Key)
		}
	}
	return members
}

// referencesFirst moves each object behind the objects that it refers to. Apart from that, it keeps the order.
func referencesFirst(want []kind.Desired) []kind.Desired {
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
