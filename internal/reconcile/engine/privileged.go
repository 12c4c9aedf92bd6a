package engine

import (
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// relist is how long an engine that carries out passes goes without listing a privileged or rare
// kind that no manifest asks for: another agent may have made objects of it meanwhile.
const relist = time.Hour

// finding is what the last list of a place of a privileged or rare kind, or of a further
// entry, said.
type finding struct {
	owns bool // an object of the stack's
	at   time.Time
	// refused is why it may not be listed; nil where it may.
	refused error
}

// sometimes reports whether objects of a kind need not be listed at each pass.
func sometimes(of kind.Info) bool { return of.Privileged || of.Catalog || of.Rare }

// seldom reports whether a place need not be listed at each pass: most kinds are not made
// through further entries.
func seldom(of kind.Info, at place) bool { return sometimes(of) || at.entry != "" }

// idle reports whether a pass may go without listing such a place: it was listed a
// while ago, and the stack owned nothing. What is remembered saves requests and decides
// nothing; an engine that has just been started lists all of them once, and finds what
// an earlier one has left. Plans list everything, since they are made by engines which do
// not see what passes make.
func (e *Engine) idle(of kind.Info, at place, now time.Time) bool {
	f, known := e.found[at]
	return seldom(of, at) && known && !f.owns && now.Sub(f.at) < relist
}

// excuse takes refused lists of such places out of what is shown, where no manifest
// asks for the place and nothing of it was owned before: credentials that may not list the users
// of a cloud, or Barbican's secrets, have most likely made none either, and every other stack's
// pass would fail. Any other failure is one. Beside other entries the place stays unknown, so
// that nothing is made by one of them that may be there; what is privileged is of the whole
// cloud, and who made any of it sees what all have made.
func (e *Engine) excuse(shown map[place]kind.Shown, asked map[place]bool) {
	for _, k := range e.Kinds {
		for _, entry := range e.entryNames() {
			at := place{k.Info().Kind, entry}
			part := shown[at]
			if !seldom(k.Info(), at) || asked[at] || e.found[at].owns || !errors.Is(part.Err, kind.ErrForbidden) {
				continue
			}
			if part.Refused = true; len(e.Entries) == 0 || k.Info().Privileged {
				delete(shown, at)
			} else {
				shown[at] = part
			}
		}
	}
}

// remindRefused adds to what is shown the places that are not asked since they refused it.
func (e *Engine) remindRefused(shown map[place]kind.Shown) {
	for at, f := range e.found {
		if _, asked := shown[at]; !asked && f.refused != nil {
			shown[at] = kind.Shown{Entry: at.entry, Err: f.refused, Refused: true}
		}
	}
}

// note remembers what lists of such places said. One that failed says nothing
// new of what is owned, and of what is managed the pass may make one yet.
func (e *Engine) note(shown map[place]kind.Shown, have kind.Snapshot, managed map[place]bool, listed []place, now time.Time) {
	if e.found == nil {
		e.found = map[place]finding{}
	}
	for _, at := range listed {
		part, there := shown[at]
		switch {
		case !seldom(e.kind(at.kind).Info(), at) || there && part.Err != nil && !part.Refused:
		case !there: // excused
			e.found[at] = finding{at: now}
		case part.Refused:
			e.found[at] = finding{at: now, refused: part.Err}
		default:
			e.found[at] = finding{owns: managed[at] || e.ownsThrough(at, have[at.kind]), at: now}
		}
	}
}

// managing says which places must be listed completely: those where a manifest asks for an
// object of the stack's own, and those where it was found to have one.
func (e *Engine) managing(want []kind.Desired) map[place]bool {
	managed := managedOf(want)
	for at, f := range e.found {
		managed[at] = managed[at] || f.owns
	}
	return managed
}

func managedOf(want []kind.Desired) map[place]bool {
	managed := map[place]bool{}
	for i := range want {
		if !want[i].Unmanaged {
			managed[place{want[i].Key.Kind, want[i].Entry}] = true
		}
	}
	return managed
}

// owns reports whether an object bears a mark of the stack.
func (e *Engine) owns(kindName string, l *kind.Live[any]) bool {
	for _, text := range l.Mark.Owners() {
		if o, ok := kind.ParseOwner(text); ok && l.Mine && o.Kind == kindName && o.Of(e.Stack) {
			return true
		}
	}
	return false
}
