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

// rarelyListed reports whether even a pass that changes something skips the place while it is idle. That is so for
// rare kinds, and for further entries, because most kinds are not created through them.
func rarelyListed(of kind.Info, at memory.Place) bool { return of.Seldom() || at.Entry != "" }

// idle reports whether a pass may skip the list of a place, because a list less than [relistInterval] ago showed no object of the stack. A list may
// not show the result of a request yet, so a place is not idle while the stack changes objects of its kind. A pass that changes something lists the
// place nevertheless, unless rarelyListed is true. Previews skip no place, because their engines do not see which objects passes create. used are the
// services that the stack uses. A refused list is not skipped if it would not be excused now.
func (e *Engine) idle(of kind.Info, at memory.Place, used map[string]bool, now time.Time) bool {
	f, known := e.past().Found(at)
	return known && !f.Owns && now.Sub(f.At) < relistInterval && !e.past().Begins(at.Kind) && (f.Refused == nil || excusable(of, at, used))
}

// noteFindings stores the results of the lists of places in the memory. A place with managed objects counts as a place with objects of the stack,
// because the pass may still create one there. If the list of such a place is refused, the stack may own objects there. It owns none if the place is
// rarely listed, or if its list was already refused when the place had no managed objects. Any other list that failed changes nothing, unless the pass may create objects in the place.
func (e *Engine) noteFindings(shown map[memory.Place]kind.Shown, have kind.Snapshot, managed map[memory.Place]bool, listed []memory.Place, now time.Time) {
	for _, at := range listed {
		part, there := shown[at]
		switch {
		case !there: // the place was excused
			e.past().NoteFound(at, memory.Finding{At: now, Refused: kind.ErrForbidden})
		case part.Refused:
			e.past().NoteFound(at, memory.Finding{At: now, Refused: part.Err})
		case part.Err == nil:
			e.past().NoteFound(at, memory.Finding{Owns: managed[at] || e.bearsThrough(at, have[at.Kind]), At: now})
		case managed[at]:
			e.noteUnknown(at, part.Err, now)
		}
	}
}

// noteUnknown stores that the list of a place with managed objects failed.
func (e *Engine) noteUnknown(at memory.Place, err error, now time.Time) {
	switch f, known := e.past().Found(at); {
	case f.Owns || f.Refused != nil:
	case errors.Is(err, kind.ErrForbidden) && !rarelyListed(e.kind(at.Kind).Info, at):
		e.past().NoteFound(at, memory.Finding{Owns: true, At: now})
	case known:
		e.past().NoteFound(at, memory.Finding{}) // as if it had never been listed
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
