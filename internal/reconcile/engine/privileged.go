package engine

import (
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// relist is how long an engine that carries out passes does not list a privileged or rare kind
// that no manifest asks for. After that it lists the kind, because another agent may have
// created objects meanwhile.
const relist = time.Hour

// rareKind reports whether objects of a kind need not be listed at each pass.
func rareKind(of kind.Info) bool {
	return of.Scope == kind.OfCloud || of.Scope == kind.Offered || of.Rare
}

// rarelyListed reports whether a place need not be listed at each pass: most kinds are not
// created through further entries.
func rarelyListed(of kind.Info, at memory.Place) bool { return rareKind(of) || at.Entry != "" }

// idle reports whether a pass may skip the list of such a place. It may if a list less
// than [relist] ago showed nothing that the stack owns. This memory saves requests and
// decides nothing: a new process lists all places once, and finds what an earlier one
// has left. Plans list everything, because the engines that make them do not see what
// passes create.
func (e *Engine) idle(of kind.Info, at memory.Place, now time.Time) bool {
	if !rarelyListed(of, at) {
		return false
	}
	f, known := e.past().Found(at)
	return known && !f.Owns && now.Sub(f.At) < relist
}

// excuse removes the refused lists of such places, if no manifest asks for the place and the
// stack owned nothing there before. Credentials that may not list the users of a cloud, or the
// secrets of Barbican, have most likely created none either. Without this rule the pass of
// every other stack would fail. Any other failure counts as a failure.
//
// With further entries the place stays unknown, so that no other entry creates an object again
// that may exist there. Objects of a privileged kind belong to the whole cloud: an entry that
// may create one sees those of all.
func (e *Engine) excuse(shown map[memory.Place]kind.Shown, asked map[memory.Place]bool) {
	found := e.past().AllFound()
	for _, k := range e.Kinds {
		for _, entry := range e.entryNames() {
			at := memory.Place{Kind: k.Info.Kind, Entry: entry}
			part := shown[at]
			if !rarelyListed(k.Info, at) || asked[at] || found[at].Owns || !errors.Is(part.Err, kind.ErrForbidden) {
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

// remindRefused adds the places that are not listed now because an earlier list of them was
// refused.
func (e *Engine) remindRefused(shown map[memory.Place]kind.Shown) {
	for at, f := range e.past().AllFound() {
		if _, asked := shown[at]; !asked && f.Refused != nil {
			shown[at] = kind.Shown{Entry: at.Entry, Err: f.Refused, Refused: true}
		}
	}
}

// note remembers the results of the lists of such places. A list that failed
// says nothing new about ownership. In a place with managed objects, the pass
// may still create one.
func (e *Engine) note(shown map[memory.Place]kind.Shown, have kind.Snapshot, managed map[memory.Place]bool, listed []memory.Place, now time.Time) {
	for _, at := range listed {
		part, there := shown[at]
		switch {
		case !rarelyListed(e.kind(at.Kind).Info, at) || there && part.Err != nil && !part.Refused:
		case !there: // excused
			e.past().NoteFound(at, memory.Finding{At: now})
		case part.Refused:
			e.past().NoteFound(at, memory.Finding{At: now, Refused: part.Err})
		default:
			e.past().NoteFound(at, memory.Finding{Owns: managed[at] || e.ownsThrough(at, have[at.Kind]), At: now})
		}
	}
}

// managing returns the places that must be listed completely. In each of them a manifest
// asks for an object of the stack itself, or the stack was seen to own one.
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
