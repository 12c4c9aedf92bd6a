package engine

import (
	"context"
	"errors"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
)

// A refused list does not say that there is nothing. It is excused if the stack most likely owns nothing in the place: no manifest asks for it, and the
// stack owned nothing there before. Credentials that may not list the users of a cloud, or its load balancers, have most likely created none
// either. Without this rule, the passes of all stacks with such credentials would fail. A list that fails for any other reason is not excused.
//
//	the place                              is excused                                       the plan
//	-------------------------------------  -----------------------------------------------  -----------------------------------
//	has a rare kind                        always                                           lacks the collection
//	  ... and the stack has more entries   always                                           has the place as unknown
//	belongs to a further entry             if earlier commits did not ask for it            has the place as unknown
//	any other                              the same, and the stack uses only other          has the collection as unknown, and a
//	                                       services                                         note
//
// With further entries, the place is unknown so that no object that may exist there is created again through another entry. This is not necessary
// for a privileged kind, because its objects belong to the whole cloud, and an entry that may create them can list all of them.

// commits visits the objects of earlier commits, see [Revision.EarlierKinds]. It may be nil.
type commits func(ctx context.Context, visit func(commit string, want []kind.Desired) (more bool)) error

// excuse marks the refused lists that are excused. named are places that earlier commits managed, so that their refused lists are not excused.
func (e *Engine) excuse(ctx context.Context, shown map[memory.Place]kind.Shown, asked map[memory.Place]bool, before commits) (named map[memory.Place]bool) {
	found, used, searched := e.past().AllFound(), e.usedServices(asked), false
	var failed error
	for _, k := range e.Kinds {
		for _, entry := range e.entryNames() {
			at := memory.Place{Kind: k.Info.Kind, Entry: entry}
			part := shown[at]
			if asked[at] || found[at].Owns || e.past().Begins(at.Kind) || !errors.Is(part.Err, kind.ErrForbidden) || !excusable(k.Info, at, used) {
				continue
			}
			if !k.Info.Seldom() && found[at].Refused == nil {
				if !searched {
					named, failed = managedBefore(ctx, before)
					searched = true
				}
				if named[at] || failed != nil {
					continue
				}
			}
			if part.Refused = true; e.leavesOut(k.Info, at) {
				delete(shown, at)
			} else {
				shown[at] = part
			}
		}
	}
	return named
}

// addRefused adds the places that are not listed now because an earlier list of them was refused.
func (e *Engine) addRefused(shown map[memory.Place]kind.Shown) {
	for at, f := range e.past().AllFound() {
		k := e.kind(at.Kind)
		if _, asked := shown[at]; !asked && f.Refused != nil && k != nil && !e.leavesOut(k.Info, at) {
			shown[at] = kind.Shown{Entry: at.Entry, Err: f.Refused, Refused: true}
		}
	}
}

// excusable reports whether the refused list of a place may be excused, if the stack uses these services.
func excusable(of kind.Info, at memory.Place, used map[string]bool) bool {
	return rarelyListed(of, at) || len(used) > 0 && !used[of.Service]
}

// leavesOut reports whether the snapshot lacks a place whose refused list is excused.
func (e *Engine) leavesOut(of kind.Info, at memory.Place) bool {
	return rarelyListed(of, at) && (len(e.Entries) == 0 || of.Scope == kind.OfCloud)
}

// usedServices returns the catalog types of the services of which a manifest asks for an object, or the stack owns one.
func (e *Engine) usedServices(asked map[memory.Place]bool) map[string]bool {
	used, found := map[string]bool{}, e.past().AllFound()
	for _, k := range e.Kinds {
		for _, entry := range e.entryNames() {
			if at := (memory.Place{Kind: k.Info.Kind, Entry: entry}); k.Info.Service != "" && (asked[at] || found[at].Owns) {
				used[k.Info.Service] = true
			}
		}
	}
	return used
}

// maxBefore is the number of earlier states of the manifests that are searched for a kind whose list is refused.
const maxBefore = 10

// managedBefore returns the places of the objects that earlier commits manage.
func managedBefore(ctx context.Context, before commits) (named map[memory.Place]bool, err error) {
	named = map[memory.Place]bool{}
	if before == nil {
		return named, nil
	}
	visited := 0
	err = before(ctx, func(_ string, want []kind.Desired) (more bool) {
		visited++
		for at := range managedOf(want) {
			named[at] = true
		}
		return ctx.Err() == nil && visited < maxBefore
	})
	return named, errors.Join(err, ctx.Err())
}
