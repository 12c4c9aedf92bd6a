package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// relistInterval is the interval at which passes list a kind that no manifest refers to, and of which the stack owned no object.
// They list it again because another agent may have created objects since, or the cloud may have copied a mark.
const relistInterval = time.Hour

// rareKind reports whether objects of a kind are not listed only because a pass changes objects of other kinds.
func rareKind(of kind.Info) bool {
	return of.Scope == kind.OfCloud || of.Scope == kind.Offered || of.Rare
}

// rarelyListed reports whether a place is idle even during a pass that changes something. That is so for rare kinds,
// and for further entries, because most kinds are not created through them.
func rarelyListed(of kind.Info, at memory.Place) bool { return rareKind(of) || at.Entry != "" }

// idle reports whether a pass may skip the list of a place, because a list less than [relistInterval] ago showed no object of
// the stack. A list may not show the result of a request yet, so a place is not idle while the stack changes objects of its kind. A pass that changes something nevertheless lists it first, unless the place is one of those that are rarely listed.
// Previews skip no place, because their engines do not see which objects passes
// create.
func (e *Engine) idle(at memory.Place, now time.Time) bool {
	f, known := e.past().Found(at)
	return known && !f.Owns && now.Sub(f.At) < relistInterval && !e.past().Begins(at.Kind)
}

// dropRefused removes the refused lists of places that are rarely listed, if no manifest asks for the place and the stack
// owned nothing there before. Credentials that may not list the users of a cloud, or the secrets of
// Barbican, have most likely created none either. Without this rule, the passes of all stacks with
// such credentials would fail. A list that fails for any other reason is not removed.
//
// If the stack has further entries, the place counts as unknown, so that no object that may exist
// there is created again through another entry. This is not necessary for a privileged kind,
// because its objects belong to the whole cloud, and an entry that may create them can list all of
// them.
func (e *Engine) dropRefused(shown map[memory.Place]kind.Shown, asked map[memory.Place]bool) {
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

// addRefused adds the places that are not listed now because an earlier list of them was
// refused.
func (e *Engine) addRefused(shown map[memory.Place]kind.Shown) {
	for at, f := range e.past().AllFound() {
		if _, asked := shown[at]; !asked && f.Refused != nil {
			shown[at] = kind.Shown{Entry: at.Entry, Err: f.Refused, Refused: true}
		}
	}
}

// noteFindings stores the results of the lists of places in the memory. A list that failed changes
// nothing, unless the pass may create objects in the place. A place with managed objects counts as a place with objects of the stack, because the
// pass may still create one there.
func (e *Engine) noteFindings(shown map[memory.Place]kind.Shown, have kind.Snapshot, managed map[memory.Place]bool, listed []memory.Place, now time.Time) {
	for _, at := range listed {
		part, there := shown[at]
		switch {
		case there && part.Err != nil && !part.Refused:
			if f, known := e.past().Found(at); known && managed[at] && !f.Owns {
				e.past().NoteFound(at, memory.Finding{}) // as if it had never been listed
			}
		case !there: // the place was excused
			e.past().NoteFound(at, memory.Finding{At: now})
		case part.Refused:
			e.past().NoteFound(at, memory.Finding{At: now, Refused: part.Err})
		default:
			e.past().NoteFound(at, memory.Finding{Owns: managed[at] || e.bearsThrough(at, have[at.Kind]), At: now})
		}
	}
}

// bearsThrough reports whether an object that is seen through a place bears a mark of the stack. The mark may be for another kind: the
// cloud has copied it, or somebody else has written it there, and the plan shows that. In another project, only a mark for this kind counts, as
// in package bind.
func (e *Engine) bearsThrough(at memory.Place, c kind.Collection) bool {
	for l := range c.Indexed().Bearing(ownertext.Begin(e.Stack)) {
		elsewhere := !l.InOwnProject && l.Guarded && l.Project != ""
		if l.Entry == at.Entry && slices.ContainsFunc(l.Mark.Owners(), func(text string) bool {
			o, ok := ownertext.Parse(text)
			return ok && o.Of(e.Stack) && o.Kind != l.AlsoListedAs && (l.InOwnProject || elsewhere && o.Kind == at.Kind)
		}) {
			return true
		}
	}
	return false
}

// managing returns the places that must be listed completely. For each of them, a manifest
// describes a managed object, or an earlier list showed an object of the stack.
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

// owns reports whether an object has a mark of the stack.
func (e *Engine) owns(kindName string, l *kind.Live) bool {
	for _, text := range l.Mark.Owners() {
		if o, ok := ownertext.Parse(text); ok && l.InOwnProject && o.Kind == kindName && o.Of(e.Stack) {
			return true
		}
	}
	return false
}
