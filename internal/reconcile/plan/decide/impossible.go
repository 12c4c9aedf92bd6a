package decide

import (
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// impossible says why the cloud will refuse to create an object, as far as its references show that; zero if no reason is known. have is
// the object that the new one replaces; nil if there is none. The agent does not send a request that is impossible, and deletes no
// object for it.
func (p *planner) impossible(d *kind.Desired, have *kind.Live, view kind.Want) cause.Cause {
	k := p.KindOf[d.Key.Kind]
	var claims []kind.Claim
	if k.ExclusiveClaims != nil {
		claims = k.ExclusiveClaims(view)
	}
	overlaps := make([]cause.Cause, len(claims)) // this comes first, because overlapped keeps objects that have the range, whatever refuses d
	for i, c := range claims {
		if c.Range {
			overlaps[i] = p.overlapped(d, have, c)
		}
	}
	if k.Impossible != nil {
		if why := k.Impossible(view); why != "" {
			return cause.Of(cause.Kind, why)
		}
	}
	for i, c := range claims {
		if why := cause.First(p.takenAlready(d, have, c), overlaps[i]); !why.IsZero() {
			return cause.Of(cause.ClaimRefused, c.Field, claimCause(c, why))
		}
	}
	return cause.Cause{}
}

// takenAlready says which other object has, or asks for, the claimed value; zero for none.
func (p *planner) takenAlready(d *kind.Desired, have *kind.Live, c kind.Claim) cause.Cause {
	if p.holders == nil {
		p.holders = p.findHolders()
	}
	if other := p.rival(d, c); other != nil {
		return rivalText(other, c)
	}
	h, found := p.holders.foreignHolder(c)
	if !found || have != nil && h.deletedWith(have) {
		return cause.Cause{}
	}
	return cause.Of(cause.ClaimTaken, h.text(), p.Stack, remedy(c.Remedy, cause.ChooseAnother))
}

// claimCause describes the problem of a claim.
func claimCause(c kind.Claim, why cause.Cause) cause.Cause {
	return cause.Of(cause.Claim, printable.Line(c.Value), c.Owner.Key.Kind, c.Owner.Name, why)
}

func rivalText(other *kind.Desired, c kind.Claim) cause.Cause {
	if c.Range {
		return cause.Of(cause.RivalOverlaps, other.Key, other.Origin, remedy(c.Remedy, cause.ChooseRange))
	}
	return cause.Of(cause.RivalAsks, other.Key, other.Origin, remedy(c.Remedy, cause.ChooseForOne))
}

// rival returns another object of the repository that claims the same value, or nil if there is none. The object that both refer to is known, because
// it is decided before them. A suspended object that does not exist is not created, so its claims do not count.
func (p *planner) rival(d *kind.Desired, c kind.Claim) *kind.Desired {
	if c.Value == "" {
		return nil // any free value will do, see package preflight, addresses.go
	}
	for _, of := range p.keysOfSameObject(c.Owner.Key) {
		for _, other := range p.claimantsOf(of, c) {
			if other.Key != d.Key && !(other.Options.Suspend && p.identify(other).have == nil) {
				return other
			}
		}
	}
	return nil
}

// claimantsOf returns the objects that claim the same value of the object with the key of, or a range that overlaps.
func (p *planner) claimantsOf(of manifest.Key, c kind.Claim) (list []*kind.Desired) {
	all := p.claimants(of)
	if !c.Range {
		return all[c.Value]
	}
	for _, what := range slices.Sorted(maps.Keys(all)) {
		if c.Overlaps(what) {
			list = append(list, all[what]...)
		}
	}
	return list
}

// keysOfSameObject returns the keys of all manifests that describe or import the same object of the cloud, the given key first.
func (p *planner) keysOfSameObject(key manifest.Key) []manifest.Key {
	all, l := []manifest.Key{key}, p.found.Live[p.ByKey[key]]
	if l == nil {
		return all
	}
	if l.Mark != nil {
		if made := p.ByOwner[l.Mark.Owner]; made != nil && made.Key != key && p.found.Live[made] == l {
			all = append(all, made.Key)
		}
	}
	return append(all, slices.DeleteFunc(slices.Clone(p.found.Imports[l]), func(k manifest.Key) bool { return k == key })...)
}

// claimants returns the desired objects that claim a value of the object with the key of, such as an address of a subnet, by the claimed
// value.
func (p *planner) claimants(of manifest.Key) map[string][]*kind.Desired {
	if asked, done := p.holders.claimed[of]; done {
		return asked
	}
	asked := map[string][]*kind.Desired{}
	for _, other := range p.holders.referrers[of] {
		k := p.KindOf[other.Key.Kind]
		if k == nil || k.ExclusiveClaims == nil {
			continue
		}
		for _, claim := range k.ExclusiveClaims(kind.NewWant(other, other.Spec, kind.Mark{}, kind.Lookups{PlanLookups: p.lookups})) {
			if claim.Owner.Key == of {
				asked[claim.Value] = append(asked[claim.Value], other)
			}
		}
	}
	p.holders.claimed[of] = asked
	return asked
}

// likelyRefusal says why the cloud may refuse the new object of a replacement after the old object was deleted; "" if there is no doubt. There
// is no doubt if the cloud created the old object from the same manifest. A doubt does not count if the object's own annotation allows its
// replacement, or if nobody could use the object yet.
func (w worldReader) likelyRefusal(d *kind.Desired, s plan.Step) string {
	k := w.KindOf[d.Key.Kind]
	if k == nil || k.LikelyRefusal == nil || s.Unused || d.Options.Replace != nil && *d.Options.Replace || w.Applied(d, s.Have.Mark) {
		return ""
	}
	return k.LikelyRefusal(s.View())
}
