package decide

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Only one object can have a range of addresses. If another object of the cloud already has a part of the range, the new object depends on
// that other one:
//
//	the other object                             the new object
//	-------------------------------------------  ----------------------------------------------------
//	is being deleted                             is created
//	has a manifest, and loses the range when it  is created after that replacement
//	is replaced
//	has a manifest, and keeps the range          is refused
//	belongs to another stack, or to nobody       is refused
//	is the stack's, and has no manifest          is refused, because both may be the same object under
//	                                             another name. The other object stays with all its
//	                                             users, since no new object replaces it

// overlapped says which object has a part of a range; zero if none has, or if that object is replaced or deleted before.
func (p *planner) overlapped(d *kind.Desired, have *kind.Live, c kind.Claim) cause.Cause {
	holders := p.Cloud.Collection(c.HolderKind)
	if c.Owner.ID == "" || c.Owner.Replacing || holders == nil {
		return cause.Cause{}
	}
	for item := range holders.WithValuesOf(c.Owner.ID) {
		if item.Phase == kind.Deleting || have != nil && (holder{item, c.HolderKind}).deletedWith(have) || !p.within(item, c) {
			continue
		}
		switch owner := p.ownerOf(item); {
		case owner != nil && owner.Key == d.Key:
		case owner != nil:
			p.movesFor[d.Key] = append(p.movesFor[d.Key], owner.Key)
		case p.isOwn(item):
			p.keepFor(item, d.Key)
			return p.renamedText(d, item, c)
		default:
			return cause.Of(cause.ClaimOverlaps, holder{item, c.HolderKind}.text(), p.Stack, remedy(c.Remedy, cause.ChooseOthers))
		}
	}
	return cause.Cause{}
}

// within reports whether an object has a part of the claimed range.
func (w worldReader) within(item *kind.Live, c kind.Claim) bool {
	for _, token := range item.Tokens {
		if what, of := strings.CutPrefix(token, kind.ValueToken(c.Owner.ID, "")); of && c.Overlaps(what) {
			return true
		}
	}
	return false
}

// ownerOf returns the desired object that the mark of an object names, or nil if there is none.
func (w worldReader) ownerOf(item *kind.Live) *kind.Desired {
	if item.Mark == nil || item.Mark.Rivals != "" || item.Copied != "" {
		return nil
	}
	return w.ByOwner[item.Mark.Owner]
}

func (w worldReader) renamedText(d *kind.Desired, item *kind.Live, c kind.Claim) cause.Cause {
	was := manifest.Key{Kind: c.HolderKind, Name: item.Name}
	if o, ok := ownertext.Parse(item.Mark.Owner); ok {
		was = w.orphanKey(o, item)
	}
	return cause.Of(cause.ClaimRenamed, was, d.Key, resolve.AnnotationMoved, was)
}

// keepFor keeps an object without a manifest, and all its users without a manifest, because the new object with the key instead,
// which should replace it, cannot be created.
func (p *planner) keepFor(item *kind.Live, instead manifest.Key) {
	if p.keptFor[item] != (manifest.Key{}) {
		return
	}
	p.keptFor[item] = instead
	for _, user := range p.Cloud.UsersOf(item) {
		if p.ownerOf(user) == nil {
			p.keepFor(user, instead)
		}
	}
}

// whyNotDelete says why an object without a manifest must not be deleted; zero if it may be deleted.
func (p *planner) whyNotDelete(kindName string, item *kind.Live) cause.Cause {
	if instead := p.keptFor[item]; instead != (manifest.Key{}) {
		return cause.Of(cause.KeptInstead, instead)
	}
	carries := p.KindOf[kindName].Info.Carries
	if carries == "" || p.Cloud.Collection(carries) == nil {
		return cause.Cause{}
	}
	for _, id := range item.Uses {
		if l := p.Cloud.Collection(carries).WithID(id); l != nil && !p.locked[l].IsZero() {
			return cause.Of(cause.KeptForOthers, plan.LiveText(carries, l))
		}
	}
	return cause.Cause{}
}

// awaitMoves makes a new object wait until the objects that have its range are replaced. If they are not replaced, it refuses the new
// object.
func (p *planner) awaitMoves() {
	if len(p.movesFor) == 0 {
		return
	}
	at := map[manifest.Key]*plan.Step{}
	for i := range p.steps {
		if s := &p.steps[i]; !s.Surplus {
			at[s.Key] = s
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		if s.Surplus || s.Action != plan.Create && s.Action != plan.Recreate {
			continue
		}
		for _, key := range p.movesFor[s.Key] {
			if of := at[key]; of == nil || of.Action != plan.Recreate {
				*s = s.Refused(cause.Of(cause.AddressesOfOther, key))
				break
			}
			s.Awaits = append(s.Awaits, key)
		}
	}
}
