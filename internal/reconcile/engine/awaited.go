package engine

import (
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// awaited are the objects that the cloud works on, or that the pass checks until they serve ([plan.Step.Settling]).
type awaited struct {
	// pending are their IDs, by place.
	pending map[memory.Place][]string
	// others has the places in which the cloud also works on objects that are not pending, such as those that it deletes.
	others map[memory.Place]bool
	// deleted has the kinds of the objects that the cloud deletes.
	deleted map[string]bool
}

// add records that the run waits for the object of a step.
func (a *awaited) add(s *plan.Step) {
	if a.pending == nil {
		*a = awaited{map[memory.Place][]string{}, map[memory.Place]bool{}, map[string]bool{}}
	}
	at := memory.Place{Kind: s.Key.Kind, Entry: s.Entry()}
	switch s.Have.Phase {
	case kind.Pending:
		a.pending[at] = append(a.pending[at], s.ID())
	case kind.Deleting:
		a.deleted[s.Key.Kind] = true
		a.others[at] = true
	default: // it is checked until it serves
		a.others[at] = true
	}
}

// waitingFor returns what the run waits for in the places that are about to be listed. It leaves out every place whose list has another purpose, too,
// and every place whose last list is too old to be shown to people.
func (r *run) waitingFor(places []memory.Place, now time.Time) map[memory.Place]kind.Waiting {
	perKind := map[string]int{}
	for _, at := range places {
		perKind[at.Kind]++
	}
	waiting := map[memory.Place]kind.Waiting{}
	for _, at := range places {
		ids := r.round.awaited.pending[at]
		if perKind[at.Kind] > 1 || len(ids) == 0 || r.round.awaited.others[at] || !r.isOnlyAwaited(at.Kind) || now.Sub(r.fresh[at.Kind].at) > r.timing.MaxListAge {
			continue
		}
		waiting[at] = kind.Waiting{IDs: ids, Together: !r.round.isNeeded(at.Kind) && len(r.round.settling) == 0}
	}
	return waiting
}

// isOnlyAwaited reports whether a collection has to be listed only because the cloud works on its objects. There are other reasons:
//
// - An object of it was written.
// - The last list failed.
// - A step needs a recent list.
// - An object has served for long enough.
// - The run waits for objects inside the machines of the collection.
func (r *run) isOnlyAwaited(kindName string) bool {
	s := r.fresh[kindName]
	_, settles := r.round.settling[kindName]
	return r.round.awaitedKinds[kindName] && !s.deletes && len(s.stale) == 0 && !settles && !r.round.outdated[kindName] && firstError(r.snapshot[kindName]) == nil && !r.hostsAwaited(kindName)
}

// isNeeded reports whether a step may wait for objects of a kind. If a step waits for its turn, or for an object that is not in the cloud
// itself, that may be any kind (needsAll).
func (o *round) isNeeded(kindName string) bool { return o.needsAll || o.needed[kindName] }

// noteAwaited records that the run waits for the object of a step. If the object has to be changed afterwards, its kind is needed, because that
// change waits for it.
func (r *run) noteAwaited(s *plan.Step) {
	r.round.awaitedKinds[s.Key.Kind] = true
	r.round.awaited.add(s)
	if !s.ManifestUnchanged || s.HalfMade() {
		r.round.needed[s.Key.Kind] = true
	}
}

// noteNeeds records the kinds for whose objects a step waits. A step that waits for its turn may wait for any object.
func (r *run) noteNeeds(s *plan.Step) {
	r.round.needsAll = r.round.needsAll || !s.Turn.IsZero()
	for _, key := range s.Awaits {
		k := r.engine.kind(key.Kind)
		r.round.needsAll = r.round.needsAll || k == nil || k.Driver == nil
		r.round.needed[key.Kind] = true
	}
	for _, user := range s.Blockers {
		kindName, _, _ := strings.Cut(user, "/")
		r.round.needed[kindName] = true
	}
}

// hostsAwaited reports whether the run waits for objects inside the objects of a kind.
func (r *run) hostsAwaited(kindName string) bool {
	for _, k := range r.engine.Kinds {
		for _, outside := range k.Info.HostedOn {
			if outside == kindName && r.round.awaitedKinds[k.Info.Kind] {
				return true
			}
		}
	}
	return false
}

// isAwaited reports whether the run waits for an object of a kind, and for nothing else of the kind.
func isAwaited(waiting map[memory.Place]kind.Waiting, kindName string) bool {
	for at := range waiting {
		if at.Kind == kindName {
			return true
		}
	}
	return false
}

// noteStillPending records that the cloud still works on the awaited objects of a kind. The last list stays, with its time. The next plan decides
// whether an object has taken too long.
func (r *run) noteStillPending(kindName string, began, ended time.Time) {
	s := r.fresh[kindName]
	s.asked = ended
	r.slowDown(kindName, ended.Sub(began))
	r.listsUnplanned = true
}
