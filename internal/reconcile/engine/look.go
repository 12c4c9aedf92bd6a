package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A look decides whether a pass is needed after something has changed in the cloud. It lists only the collections that may have changed, and
// compares the objects that concern the stack with those at the end of the last pass. It plans nothing, and concludes nothing else.

// Moved says what may have changed in the cloud.
type Moved struct {
	// Collections are the changed collections, as in [kind.Info.Lists]; nil if any collection may have changed.
	Collections []string
	// Since is the time of the change, or a later time. Lists that were requested after Since show the change.
	Since time.Time
}

// And returns the changes of m and of other. m is nil if there are none so far.
func (m *Moved) And(other Moved) *Moved {
	if m == nil {
		return &other
	}
	all := &Moved{Since: m.Since}
	if other.Since.After(m.Since) {
		all.Since = other.Since
	}
	if len(m.Collections) == 0 || len(other.Collections) == 0 {
		return all
	}
	all.Collections = m.Collections // shared as long as nothing is added, because messages about the same collections are frequent
	for _, name := range other.Collections {
		if !slices.Contains(all.Collections, name) {
			all.Collections = append(slices.Clip(all.Collections), name)
		}
	}
	return all
}

// Looked is the result of a look. A pass is needed unless it is [LookedSame].
type Looked string

// The results of looks.
const (
	LookedSame    Looked = "same"    // nothing that concerns the stack has changed.
	LookedChanged Looked = "changed" // something that concerns the stack has changed.
	LookedUnknown Looked = "unknown" // no comparison was possible: any collection may have changed, or the last pass has left work.
	LookedFailed  Looked = "failed"  // a collection could not be listed.
)

// Look reports whether a change in the cloud concerns the stack. It only reads.
func (e *Engine) Look(ctx context.Context, moved Moved) Looked {
	before := e.past().Sights()
	if before == nil || !e.knows(moved.Collections) {
		return LookedUnknown
	}
	results := map[string]*kind.SharedResults{}
	for _, entry := range e.entryNames() {
		results[entry] = kind.ResultsSince(moved.Since)
	}
	var mu sync.Mutex
	found := LookedSame
	var group errgroup.Group
	group.SetLimit(e.parallelism())
	for _, at := range e.placesToLook(moved.Collections, before) {
		group.Go(func() error {
			was, known := before[at]
			shown := e.list(ctx, at, kind.Listing{Everything: was.Everything, Managed: was.Managed, Joined: was.Joined, Shared: results[at.Entry]})
			one := e.compared(at, shown, was, known)
			mu.Lock()
			defer mu.Unlock()
			if one != LookedSame && found != LookedChanged {
				found = one
			}
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
	return found
}

// knows reports whether kinds read each of the collections, so that a look can notice its changes.
func (e *Engine) knows(collections []string) bool {
	for _, name := range collections {
		if !slices.ContainsFunc(e.Kinds, func(k *kind.Kind) bool {
			return k.Driver != nil && (slices.Contains(k.Info.Lists, name) || slices.Contains(k.Info.Joins, name))
		}) {
			return false
		}
	}
	return len(collections) > 0
}

// placesToLook returns the places whose lists may show the changes of collections. All places with objects of these collections are listed,
// because a new object may have a mark of the stack. But a further entry in which nothing concerned the stack has to wait for the next pass. A
// place into which a collection is only joined is listed if any of its objects concerns the stack.
func (e *Engine) placesToLook(collections []string, before map[memory.Place]memory.Sight) (places []memory.Place) {
	moved := func(name string) bool { return slices.Contains(collections, name) }
	for _, k := range e.Kinds {
		own, joined := slices.ContainsFunc(k.Info.Lists, moved), slices.ContainsFunc(k.Info.Joins, moved)
		if k.Driver == nil || !own && !joined {
			continue
		}
		for _, entry := range e.entryNames() {
			at := memory.Place{Kind: k.Info.Kind, Entry: entry}
			_, known := before[at]
			if own && (known || entry == "") || joined && known {
				places = append(places, at)
			}
		}
	}
	return places
}

// compared compares the list of a place with the last pass. known is false if nothing in the place concerned the stack then. Such a place was
// not listed, may be refused, or has only objects of others.
func (e *Engine) compared(at memory.Place, shown kind.Shown, was memory.Sight, known bool) Looked {
	switch {
	case shown.Err != nil && !known && (shown.Closed || errors.Is(shown.Err, kind.ErrForbidden) || errors.Is(shown.Err, kind.ErrNoService)):
		return LookedSame
	case shown.Err != nil:
		return LookedFailed
	case !known && e.bearsThrough(at, kind.Collection{Items: shown.Items, Index: shown.Index}):
		e.past().NoteFound(at, memory.Finding{Owns: true, At: time.Now()}) // so that the pass lists the place
		return LookedChanged
	case !known:
		return LookedSame
	case was.Concern.Look(shown.Index, e.Stack).Same(was.Sight):
		return LookedSame
	}
	return LookedChanged
}

// noteSights records how the places look at the end of a pass, for the next looks. Nothing is recorded if the pass has left work.
func (r *run) noteSights() {
	if p := &r.pass; !r.engine.Looks || p.Outcome() == plan.Broken || p.RollsBack || p.LeavesUnforeseen {
		return
	}
	concerns := concernsOf(r.pass.Last, r.engine.Stack)
	managed, complete, joined := r.engine.managing(r.rev.Want), r.engine.adopting(r.rev.Want), r.engine.joining(r.rev.Want)
	all := map[memory.Place]memory.Sight{}
	for name, c := range r.snapshot {
		parts := c.Parts
		if parts == nil {
			parts = []kind.Shown{{Index: c.Indexed(), Err: c.Err}}
		}
		for _, part := range parts {
			at := memory.Place{Kind: name, Entry: part.Entry}
			if part.Err == nil && len(r.engine.kind(name).Info.Lists) > 0 {
				concern := concerns[name]
				if seen := concern.Look(part.Index, r.engine.Stack); seen.Count > 0 || !concern.Empty() {
					all[at] = memory.Sight{Sight: seen, Concern: concern, Everything: complete[at], Managed: managed[at], Joined: joined[at]}
				}
			}
		}
	}
	r.engine.past().NoteSights(all)
}

// concernsOf returns, by kind, the objects that concern a stack although they have no mark of it, according to a plan.
func concernsOf(p plan.Plan, stack string) map[string]bind.Concern {
	all := map[string]bind.Concern{}
	for i := range p.Steps {
		s := &p.Steps[i]
		c := all[s.Key.Kind]
		d := s.Want
		if have := s.Have; have != nil && !slices.ContainsFunc(have.Mark.Owners(), func(owner string) bool { return ownertext.BeginOf(owner) == ownertext.Begin(stack) }) {
			c.IDs = append(c.IDs, have.ID)
		}
		switch {
		case d == nil || d.Virtual:
		case d.Import != nil && !d.Import.Searches():
			c.IDs = append(c.IDs, d.Import.ID)
		case d.Import != nil && s.Have != nil && d.Import.Named() == s.Have.Name && s.Have.Name != "":
			c.Names = append(c.Names, s.Have.Name)
		case d.Import != nil, s.Have == nil && !d.Unmanaged:
			c.All = true // it is searched for by other attributes, or still has to be created
		}
		all[s.Key.Kind] = c
	}
	return all
}
