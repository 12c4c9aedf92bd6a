package engine

import (
	"context"
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// relist is how long an engine that carries out passes goes without listing a privileged or rare
// kind that no manifest asks for: another agent may have made objects of it meanwhile.
const relist = time.Hour

// finding is what the last list of a privileged or rare kind said.
type finding struct {
	owns bool // an object of the stack's
	at   time.Time
}

// sometimes reports whether objects of a kind need not be listed at each pass.
func sometimes(of kind.Info) bool { return of.Privileged || of.Catalog || of.Rare }

// idle reports whether a pass may go without listing a privileged or rare kind: it was listed a
// while ago, and the stack owned nothing. What is remembered saves requests and decides
// nothing; an engine that has just been started lists all of them once, and finds what
// an earlier one has left. Plans list everything, since they are made by engines which do
// not see what passes make.
func (e *Engine) idle(of kind.Info, now time.Time) bool {
	f, known := e.found[of.Kind]
	return sometimes(of) && known && !f.owns && now.Sub(f.at) < relist
}

// excuse takes refused lists of privileged and rare kinds out of a snapshot, where no manifest
// asks for the kind and nothing of it was owned before: credentials that may not list the users
// of a cloud, or Barbican's secrets, have most likely made none either, and every other stack's
// pass would fail. Any other failure is one.
func (e *Engine) excuse(have kind.Snapshot, asked map[string]bool) {
	for _, k := range e.Kinds {
		name := k.Info().Kind
		if sometimes(k.Info()) && !asked[name] && !e.found[name].owns && errors.Is(have[name].Err, kind.ErrForbidden) {
			delete(have, name)
		}
	}
}

// note remembers what lists of privileged and rare kinds said. One that is refused says nothing
// new of what is owned, and of what is managed the pass may make one yet.
func (e *Engine) note(have kind.Snapshot, managed map[string]bool, listed []string, now time.Time) {
	if e.found == nil {
		e.found = map[string]finding{}
	}
	for _, k := range e.Kinds {
		name := k.Info().Kind
		if c, there := have[name]; !sometimes(k.Info()) || there && c.Err != nil {
			continue
		} else if there {
			e.found[name] = finding{managed[name] || e.ownsAny(name, c.Items), now}
		}
	}
	for _, name := range listed {
		if _, there := have[name]; !there { // excused
			e.found[name] = finding{at: now}
		}
	}
}

// managing says which kinds must be listed completely: those of which a manifest asks for an
// object of the stack's own, and those of which it was found to have one.
func (e *Engine) managing(ctx context.Context, want []kind.Desired) context.Context {
	managed := managedOf(want)
	for name, f := range e.found {
		managed[name] = managed[name] || f.owns
	}
	return kind.WithManaged(ctx, managed)
}

func managedOf(want []kind.Desired) map[string]bool {
	managed := map[string]bool{}
	for i := range want {
		if !want[i].Unmanaged {
			managed[want[i].Key.Kind] = true
		}
	}
	return managed
}

// ownsAny reports whether an object bears a mark of the stack.
func (e *Engine) ownsAny(kindName string, items []kind.Live[any]) bool {
	for i := range items {
		for _, text := range items[i].Mark.Owners() {
			if o, ok := kind.ParseOwner(text); ok && items[i].Mine && o.Kind == kindName && o.Of(e.Stack) {
				return true
			}
		}
	}
	return false
}
