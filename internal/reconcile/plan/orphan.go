package plan

import (
	"cmp"
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// orphans decides about what the stack owns and no longer wants, in an order
// in which users come before what they use.
func (p *planner) orphans() {
	list, reached := []Step{}, p.reached()
	for _, name := range slices.Backward(p.names) {
		x := p.cloud.Of(name)
		if x == nil || p.Have[name].Err != nil {
			continue
		}
		for owner, claimed := range x.Known(reached) {
			o, ok := kind.ParseOwner(owner)
			switch key, wanted := p.taken[owner]; {
			case !ok || o.Kind != name:
			case wanted:
				list = append(list, p.copiesLeft(key, claimed)...)
			default:
				list = append(list, p.unwanted(o, owner, claimed)...)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Step) int {
		return cmp.Or(cmp.Compare(p.rank(b.Key.Kind), p.rank(a.Key.Kind)), a.Key.Compare(b.Key), cmp.Compare(a.ID(), b.ID()))
	})
	p.steps = append(append(p.steps, p.astray(reached)...), p.usersFirst(list)...)
}

// usersFirst moves each step behind those whose objects use its own, and
// changes the order no further.
func (w *world) usersFirst(list []Step) []Step {
	at := make(map[*kind.Live]int, len(list))
	for i, s := range list {
		at[s.have] = i
	}
	out := make([]Step, 0, len(list))
	seen := make([]bool, len(list))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, user := range w.cloud.UsersOf(list[i].have) {
			if j, ok := at[user]; ok {
				visit(j)
			}
		}
		out = append(out, list[i])
	}
	for i := range list {
		visit(i)
	}
	return out
}

func (w *world) rank(kind string) int { return slices.Index(w.names, kind) }

// orphanKey is the key that an owner text stands for; where the text has only a
// digest of it, the object's name takes its place.
func (w *world) orphanKey(o kind.Owner, item *kind.Live) manifest.Key {
	key := manifest.Key{Group: w.group[o.Kind], Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
	if key.Name == "" {
		key.Namespace, key.Name = "default", item.Name
	}
	return key
}

func (p *planner) orphan(o kind.Owner, item *kind.Live) Step {
	s, gone := Step{Key: p.orphanKey(o, item), object: object{have: item}}, cause.Of(cause.Gone)
	if over := p.suspendedOver(o, item); over != (manifest.Key{}) && item.Phase != kind.Deleting {
		s.Parent, s.ofSuspended = over, true
		return s.withAction(Keep, gone, cause.Of(cause.PartOfSuspended, over))
	}
	stays := p.staysFor(o.Kind, item)
	switch info := p.kinds[o.Kind].Info; {
	case item.Mark.Detach && (info.FixedMark || info.StaysMarked):
		return s.withAction(Keep, gone, cause.Of(cause.MarkStays, o.Kind))
	case item.Mark.Detach && !p.holding[item].IsZero():
		return s.withAction(Keep, gone, cause.Of(cause.MarkHeld, p.holding[item]))
	case !stays.IsZero() && item.Phase != kind.Deleting:
		s.left = true
		return s.withAction(Keep, gone, stays)
	case item.Mark.Detach && item.Phase != kind.Deleting:
		return s.withAction(Detach, cause.Of(cause.LetGo))
	case item.Mark.Keep:
		return s.withAction(Keep, gone, cause.Of(cause.LeftAsAsked))
	case item.Phase == kind.Deleting:
		return s.withAction(Wait, cause.Of(cause.BeingDeleted))
	case !p.spared[item].IsZero():
		s.left = true
		return s.withAction(Keep, gone, p.spared[item])
	case len(p.imports[item]) > 0:
		s.Error, s.locked = true, true
		return s.withAction(Refuse, cause.Of(cause.GoneAnd, gone, cause.Of(cause.StillReferred)))
	case !p.locked[item].IsZero():
		s.Error, s.locked = true, true
		return s.withAction(Refuse, cause.Of(cause.GoneAnd, gone, p.locked[item]))
	}
	if p.isSpare(item) {
		s.spare = true
		return s.withAction(Delete, cause.Of(cause.SpareUnneeded))
	}
	if why := p.beyond(item); !why.IsZero() {
		return s.withAction(Delete, why)
	}
	return s.withAction(Delete, gone)
}

// unlisted explains which collections are unknown although the cloud has the
// service, sorted by kind.
func (w *world) unlisted() []string {
	var out []string
	for _, name := range w.names {
		if c, ok := w.Have[name]; ok && c.Err != nil && !errors.Is(c.Err, kind.ErrNoService) {
			out = append(out, name+": "+c.Err.Error())
		}
	}
	return append(out, w.unseen()...)
}
