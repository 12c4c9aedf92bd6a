package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// view converts a desired object to the form that the driver of its kind gets. The result looks up other objects in this planner, even while the
// engine carries out the step. By then, p.found has all objects.
func (p *planner) view(d *kind.Desired, spec any) kind.Want {
	return kind.NewWant(d, spec, p.mark(d), kind.Lookups{PlanLookups: p.lookups, Former: p.identities(d)})
}

// ready reports whether a desired object can be used.
func (p *planner) ready(key manifest.Key) bool { return p.found.Ready[p.ByKey[key]] }

func (p *planner) lookup(key manifest.Key) kind.Ref {
	ref, d := kind.Ref{Key: key}, p.ByKey[key]
	if d != nil && d.Virtual {
		ref.Ready, ref.Data = true, d.Data
	}
	if d != nil && d.Spec != nil && !d.Virtual && !d.Unmanaged && p.Have[key.Kind].Unlisted(d.Entry) == nil {
		ref = ref.WithNewTarget(p.KindOf[key.Kind], d.Spec)
	}
	if live := p.found.Live[d]; live != nil {
		ref.Replacing = p.found.GetsNewID[key]
		ref.Ready, ref.ID, ref.Facts = p.found.Ready[d], live.ID, live.Facts
	}
	ref.Traffic = p.trafficOf(key)
	ref.Spare = d == nil && (p.Dropped[key] || p.Optional != nil && p.Optional.ByKey[key] != nil)
	return ref
}

// trafficOf says which traffic may be sent to an object that is a member of a group, or a part of one.
func (p *planner) trafficOf(key manifest.Key) kind.Traffic {
	if len(p.learned.Traffic) == 0 {
		return kind.TrafficNormal
	}
	if part := p.PartOf(p.ByKey[key]); part != nil {
		return p.learned.Traffic[part.Member]
	}
	return kind.TrafficNormal
}

// standsIn reports whether the object with a token (see [kind.Live.Tokens]), or with that ID, stands in for other members of its group.
func (p *planner) standsIn(token string) bool {
	for live := range p.learned.StandIns {
		if live.ID == token || slices.Contains(live.Tokens, token) {
			return true
		}
	}
	return false
}
