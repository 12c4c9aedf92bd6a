package engine

import (
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// relist is how long an engine that carries out passes goes without listing a privileged or rare
// kind that no manifest asks for: another agent may have made objects of it meanwhile.
const relist = time.Hour

// sometimes reports whether objects of a kind need not be listed at each pass.
func sometimes(of kind.Info) bool {
	return of.Scope == kind.OfCloud || of.Scope == kind.Offered || of.Rare
}

// seldom reports whether a place need not be listed at each pass: most kinds are not made
// through further entries.
func seldom(of kind.Info, at memory.Place) bool { return sometimes(of) || at.Entry != "" }

// idle reports whether a pass may go without listing such a place: it was listed a
// while ago, and the stack owned nothing. What is remembered saves requests and decides
// nothing; an engine that has just been started lists all of them once, and finds what
// an earlier one has left. Plans list everything, since they are made by engines which do
// not see what passes make.
func (e *Engine) idle(of kind.Info, at memory.Place, now time.Time) bool {
	if !seldom(of, at) {
		return false
	}
	f, known := e.past().Found(at)
	return known && !f.Owns && now.Sub(f.At) < relist
}

// excuse takes refused lists of such places out of what is shown, where no manifest
// asks for the place and nothing of it was owned before: credentials that may not list the users
// of a cloud, or Barbican's secrets, have most likely made none either, and every other stack's
// pass would fail. Any other failure is one. Beside other entries the place stays unknown, so
// that nothing is made by one of them that may be there; what is privileged is of the whole
// cloud, and who made any of it sees what all have made.
func (e *Engine) excuse(shown map[memory.Place]kind.Shown, asked map[memory.Place]bool) {
	found := e.past().AllFound()
	for _, k := range e.Kinds {
		for _, entry := range e.entryNames() {
			at := memory.Place{Kind: k.Info.Kind, Entry: entry}
			part := shown[at]
			if !seldom(k.Info, at) || asked[at] || found[at].Owns || !errors.Is(part.Err, kind.ErrForbidden) {
				continue
			}
			if part.Refused = true; len(e.Entries) == 0 || k.Info.Scope == kind.OfCloud {
				delete(shown, at)
			} else {
				shown[at] = part
			}
		}
	}
}

// remindRefused adds to what is shown the places that are not asked since they refused it.
func (e *Engine) remindRefused(shown map[memory.Place]kind.Shown) {
	for at, f := range e.past().AllFound() {
		if _, asked := shown[at]; !asked && f.Refused != nil {
			shown[at] = kind.Shown{Entry: at.Entry, Err: f.Refused, Refused: true}
		}
	}
}

// note remembers what lists of such places said. One that failed says nothing
// new of what is owned, and of what is managed the pass may make one yet.
func (e *Engine) note(shown map[memory.Place]kind.Shown, have kind.Snapshot, managed map[memory.Place]bool, listed []memory.Place, now time.Time) {
	for _, at := range listed {
		part, there := shown[at]
		switch {
		case !seldom(e.kind(at.Kind).Info, at) || there && part.Err != nil && !part.Refused:
		case !there: // excused
			e.past().NoteFound(at, memory.Finding{At: now})
		case part.Refused:
			e.past().NoteFound(at, memory.Finding{At: now, Refused: part.Err})
		default:
			e.past().NoteFound(at, memory.Finding{Owns: managed[at] || e.ownsThrough(at, have[at.Kind]), At: now})
		}
	}
}

// managing says which places must be listed completely: those where a manifest asks for an
// object of the stack's own, and those where it was found to have one.
func (e *Engine) managing(want []kind.Desired) map[memory.Place]bool {
	managed := managedOf(want)
	for at, f := range e.past().AllFound() {
		managed[at] = managed[at] || f.Owns
	}
	return managed
}

func managedOf(want []kind.Desired) map[memory.Place]bool {
	managed := map[memory.Place]bool{}
	for i := range want {
		if !want[i].Unmanaged {
			managed[memory.Place{Kind: want[i].Key.Kind, Entry: want[i].Entry}] = true
		}
	}
	return managed
}

// owns reports whether an object bears a mark of the stack.
func (e *Engine) owns(kindName string, l *kind.Live) bool {
	for _, text := range l.Mark.Owners() {
		if o, ok := ownertext.Parse(text); ok && l.InOwnProject && o.Kind == kindName && o.Of(e.Stack) {
			return true
		}
	}
	return false
}
