package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// impossible says why the cloud will refuse to make an object, as far as that shows in
// what it refers to; "" for nothing. have is the one that it takes the place of; nil for none.
// What cannot be made is not asked for, and nothing is deleted to make room for it.
func (p *planner) impossible(d *kind.Desired, have *kind.Live[any], view kind.Want[any]) string {
	judge, ok := p.kinds[d.Key.Kind].(kind.AnyJudge)
	if !ok {
		return ""
	}
	if why := judge.Impossible(view); why != "" {
		return why
	}
	for _, c := range judge.Alone(view) {
		if why := p.takenAlready(d, have, c); why != "" {
			return fmt.Sprintf("%s: %s of %s/%s is %s", c.Field, printable.Line(c.What), c.Of.Key.Kind, c.Of.Name, why)
		}
	}
	return ""
}

// takenAlready says who has, or asks for, what only one object can have; "" for nobody.
func (p *planner) takenAlready(d *kind.Desired, have *kind.Live[any], c kind.Claim) string {
	if p.holders == nil {
		p.holders = p.findHolders()
	}
	if other := p.rival(d, c); other != nil {
		return fmt.Sprintf("also asked for by %s (%s); %s", other.Key, other.Origin, cmp.Or(c.Remedy, "choose another for one of them"))
	}
	h, found := p.holders.stranger(c)
	if !found || have != nil && h.goesWith(have) {
		return ""
	}
	return fmt.Sprintf("taken by %s, which stack %s did not make; %s", h.text(), p.Stack, cmp.Or(c.Remedy, "choose another"))
}

// rival is another object of the repository that asks for the same; nil for none. What both
// refer to is decided before them, so that all is known of it. One that is suspended and is not
// there is not made, and asks for nothing.
func (p *planner) rival(d *kind.Desired, c kind.Claim) *kind.Desired {
	for _, of := range p.alsoCalled(c.Of.Key) {
		for _, other := range p.claimants(of)[c.What] {
			if other.Key != d.Key && !(other.Options.Suspend && p.settle(other).have == nil) {
				return other
			}
		}
	}
	return nil
}

// alsoCalled are the manifests that stand for the same object of the cloud, that of the key first.
func (p *planner) alsoCalled(key manifest.Key) []manifest.Key {
	all, l := []manifest.Key{key}, p.live[key]
	if l == nil {
		return all
	}
	if l.Mark != nil {
		if made := p.taken[l.Mark.Owner]; made != key && p.live[made] == l {
			all = append(all, made)
		}
	}
	return append(all, slices.DeleteFunc(slices.Clone(p.imports[l]), func(k manifest.Key) bool { return k == key })...)
}

// claimants are who asks for what of an object.
func (p *planner) claimants(of manifest.Key) map[string][]*kind.Desired {
	if asked, done := p.holders.claimed[of]; done {
		return asked
	}
	asked := map[string][]*kind.Desired{}
	for _, other := range p.holders.asking[of] {
		judge, ok := p.kinds[other.Key.Kind].(kind.AnyJudge)
		if !ok {
			continue
		}
		for _, claim := range judge.Alone(kind.NewWant(other, other.Spec, kind.Mark{}, kind.Surroundings{Scene: p.scene})) {
			if claim.Of.Key == of {
				asked[claim.What] = append(asked[claim.What], other)
			}
		}
	}
	p.holders.claimed[of] = asked
	return asked
}
