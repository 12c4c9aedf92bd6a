package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A group may have further members while others are interrupted: spares. The manifests come with all that
// there may be, and the plan is made with as many as the group needs now (see [rollout.Decision]). The others
// are as if no manifest had them: those that are there and were made as spares go, and that harms nobody.

// spares are the further members that groups may have.
type spares struct {
	members map[manifest.Key][]manifest.Key // of each group, in their order
	scaled  map[manifest.Key][]manifest.Key // likewise, those that groups have while they shall have so many
	first   map[manifest.Key]manifest.Key   // of each such group, the first member that is always there
	least   map[manifest.Key]int            // and how many of these there are
	owner   map[manifest.Key]manifest.Key   // the member that an object belongs to
	byOwner map[string]*kind.Desired        // what bears an owner text, that of a former name, too
	byKey   map[manifest.Key]*kind.Desired
}

// sparesOf finds what belongs to spares; nil where there are none.
func sparesOf(in Input) *spares {
	if !slices.ContainsFunc(in.Want, func(d kind.Desired) bool { return d.Spare || d.Scaled }) {
		return nil
	}
	s := &spares{members: map[manifest.Key][]manifest.Key{}, scaled: map[manifest.Key][]manifest.Key{}, first: map[manifest.Key]manifest.Key{}, least: map[manifest.Key]int{},
		owner: map[manifest.Key]manifest.Key{}, byOwner: map[string]*kind.Desired{}, byKey: map[manifest.Key]*kind.Desired{}}
	members := map[string]string{}
	for _, k := range in.Kinds {
		members[k.Info.Kind] = k.Group.Members
	}
	for i := range in.Want {
		d := &in.Want[i]
		member := members[d.Parent.Kind] == d.Key.Kind
		if d.Spare || d.Scaled {
			s.byKey[d.Key], s.byOwner[kind.OwnerText(in.Stack, d.Key)] = d, d
		}
		switch {
		case !member:
		case d.Spare:
			s.members[d.Parent] = append(s.members[d.Parent], d.Key)
		case d.Scaled:
			s.scaled[d.Parent] = append(s.scaled[d.Parent], d.Key)
		default:
			if s.least[d.Parent]++; s.least[d.Parent] == 1 {
				s.first[d.Parent] = d.Key
			}
		}
	}
	s.indexFormer(in.Stack)
	for _, d := range s.byKey {
		member := d
		for member != nil && members[member.Parent.Kind] != member.Key.Kind {
			member = s.byKey[member.Parent]
		}
		if member != nil {
			s.owner[d.Key] = member.Key
		}
	}
	for _, d := range s.byKey { // what goes with a member and is not of it, such as its name
		for _, ref := range d.Refs {
			if of, ok := s.owner[ref.Key]; ok && s.owner[d.Key] == (manifest.Key{}) {
				s.owner[d.Key] = of
			}
		}
	}
	return s
}

// indexFormer adds what was called otherwise, where nothing else is called so now.
func (s *spares) indexFormer(stack string) {
	for _, d := range s.byKey {
		for _, key := range d.From {
			if owner := kind.OwnerText(stack, key); s.byOwner[owner] == nil {
				s.byOwner[owner] = d
			}
		}
	}
}

// with are the objects of a revision without those spares, and scaled members, that are more than so many of their group.
func (s *spares) with(want []kind.Desired, spares map[manifest.Key]int, sizes map[manifest.Key]size) []kind.Desired {
	if s == nil {
		return want
	}
	in := map[manifest.Key]bool{}
	for group, members := range s.members {
		for i, member := range members {
			in[member] = i < spares[group]
		}
	}
	for group, members := range s.scaled {
		for i, member := range members {
			in[member] = s.least[group]+i < sizes[group].members
		}
	}
	out := make([]kind.Desired, 0, len(want))
	for i := range want {
		if d := &want[i]; !d.Spare && !d.Scaled || in[s.owner[d.Key]] {
			out = append(out, *d)
		}
	}
	return out
}

// sparesThere counts the spares of each group of which something is in the cloud: the last one, and those
// before it.
func (w *world) sparesThere() map[manifest.Key]int {
	there := map[manifest.Key]bool{}
	for owner, d := range w.all.byOwner {
		if !d.Virtual && len(w.cloud.Claimed(d.Key.Kind, owner).Sole) > 0 {
			there[w.all.owner[d.Key]] = true
		}
	}
	count := map[manifest.Key]int{}
	for group, members := range w.all.members {
		for i, member := range members {
			if there[member] {
				count[group] = i + 1
			}
		}
	}
	return count
}

// isSpare reports whether something in the cloud was made for a spare that is not needed now: no other member
// is ever called so.
func (w *world) isSpare(item *kind.Live) bool {
	if w.all == nil || item.Mark == nil {
		return false
	}
	d := w.all.byOwner[item.Mark.Owner]
	return d != nil && d.Spare && w.byKey[d.Key] == nil
}

// learnSpares notes how many spares a group needs, and reports whether that was not known before. One that
// is not needed any more is drained first, as those are that are interrupted.
func (gs *groups) learnSpares(g *group, next learned) (news bool) {
	needed := g.decision.Spares
	if g.unseen != (manifest.Key{}) {
		needed = max(needed, gs.spares[g.key])
	}
	if gs.all == nil || gs.settledSpares[g.key] || needed == gs.spares[g.key] {
		return false
	}
	for i, m := range g.members {
		if !m.spare || g.spareNumber(i) < needed || g.drained(m, gs.Now, next.traffic[m.member] != kind.Flows) {
			continue
		}
		if next.traffic[m.member] != kind.Flows {
			return news
		}
		next.stop(m, kind.Ends)
		news = true
	}
	if !news {
		next.spares[g.key], next.settledSpares[g.key] = needed, true
	}
	return true
}

// spareNumber is which spare a member is, counted from 0.
func (g *group) spareNumber(at int) (n int) {
	for _, m := range g.members[:at] {
		if m.spare {
			n++
		}
	}
	return n
}

// replicas is how many members the group has without its spares.
func (g *group) replicas() int { return len(g.members) - g.spareNumber(len(g.members)) }

// awaitSpares has the plan looked at again when spares that are not needed any more have been drained, or when those
// whom they stand in for have worked for long enough.
func (gs *groups) awaitSpares(g *group) {
	if at := g.decision.Awaited; at >= 0 && gs.spares[g.key] > 0 {
		gs.awaited(g, g.members[at], g.decision.Until)
	}
	for _, m := range g.members {
		if !m.spare || gs.traffic[m.member] != kind.Ends || len(m.changes) > 0 {
			continue
		}
		for _, f := range m.fronts {
			if until := f.since.Add(g.strategy.Drain); !f.since.IsZero() && until.After(gs.Now) {
				f.step.settling = &settling{until: until}
			}
		}
	}
}
