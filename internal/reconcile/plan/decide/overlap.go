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

// A range of addresses can be had by one object. Where another one of the cloud has a part of it:
//
//	that one                                     the new one
//	-------------------------------------------  ------------------------------------------------
//	is on its way out                            is created
//	is wanted, and has the range no more then    is created once that was replaced
//	is wanted, and keeps it                      is refused
//	is another stack's, or nobody's              is refused
//	is the stack's, and no manifest stands for   is refused: it may be the same under another name. That one
//	it any more                                  stays with all that uses it, for nothing can take its place

// overlapped says who has a part of a range; zero for nobody, or for what makes way.
func (p *planner) overlapped(d *kind.Desired, have *kind.Live, c kind.Claim) cause.Cause {
	if c.Of.ID == "" || c.Of.Anew {
		return cause.Cause{}
	}
	items := p.Have[c.By].Items
	for i := range items {
		item := &items[i]
		if item.Phase == kind.Deleting || have != nil && (holder{item, c.By}).goesWith(have) || !p.within(item, c) {
			continue
		}
		key, wanted := p.ownerOf(item)
		switch {
		case wanted && key == d.Key:
		case wanted:
			p.movesFor[d.Key] = append(p.movesFor[d.Key], key)
		case p.isOwn(item):
			p.keepFor(item, d.Key)
			return p.renamedText(d, item, c)
		default:
			return cause.Of(cause.ClaimOverlaps, holder{item, c.By}.text(), p.Stack, remedy(c.Remedy, cause.ChooseOthers))
		}
	}
	return cause.Cause{}
}

// within reports whether an object has a part of what is claimed.
func (w given) within(item *kind.Live, c kind.Claim) bool {
	for _, token := range item.Tokens {
		if what, of := strings.CutPrefix(token, kind.Held(c.Of.ID, "")); of && c.Overlaps(what) {
			return true
		}
	}
	return false
}

// ownerOf is the desired object that a mark of the stack stands for, if there is one.
func (w given) ownerOf(item *kind.Live) (key manifest.Key, wanted bool) {
	if item.Mark == nil || item.Mark.Rivals != "" || item.Copied != "" {
		return key, false
	}
	key, wanted = w.ByOwner[item.Mark.Owner]
	return key, wanted
}

func (w given) renamedText(d *kind.Desired, item *kind.Live, c kind.Claim) cause.Cause {
	was := manifest.Key{Kind: c.By, Name: item.Name}
	if o, ok := ownertext.Parse(item.Mark.Owner); ok {
		was = w.orphanKey(o, item)
	}
	return cause.Of(cause.ClaimRenamed, was, d.Key, resolve.AnnotationMoved, was)
}

// keepFor keeps what no manifest stands for any more, with all of that kind that uses it: what is to take its place cannot
// be made.
func (p *planner) keepFor(item *kind.Live, instead manifest.Key) {
	if p.keptFor[item] != (manifest.Key{}) {
		return
	}
	p.keptFor[item] = instead
	for _, user := range p.Cloud.UsersOf(item) {
		if _, wanted := p.ownerOf(user); !wanted {
			p.keepFor(user, instead)
		}
	}
}

// staysFor says why what no manifest stands for any more has to stay; zero where it has not.
func (p *planner) staysFor(kindName string, item *kind.Live) cause.Cause {
	if instead := p.keptFor[item]; instead != (manifest.Key{}) {
		return cause.Of(cause.KeptInstead, instead)
	}
	carries := p.KindOf[kindName].Info.Carries
	if carries == "" || p.Cloud.Of(carries) == nil {
		return cause.Cause{}
	}
	for _, id := range item.Uses {
		if l := p.Cloud.Of(carries).WithID(id); l != nil && !p.locked[l].IsZero() {
			return cause.Of(cause.KeptForOthers, plan.LiveText(carries, l))
		}
	}
	return cause.Cause{}
}

// awaitMoves has what is made wait for those that have its range until they are replaced, and refuses it where they are not.
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
				s.Error = true
				*s = s.WithAction(plan.Refuse, cause.Of(cause.AddressesOfOther, key))
				break
			}
			s.Awaits = append(s.Awaits, key)
		}
	}
}
