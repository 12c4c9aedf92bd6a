package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// requestedChange returns the change that recreates an object because a person has requested that. The request names the object
// itself, or the machine or group whose work it does; all other parts of these are kept.
func (p *planner) requestedChange(d *kind.Desired, have *kind.Live) []kind.Change {
	if len(p.Requested.Targets) == 0 || p.Requested.IDs != nil && !p.Requested.IDs[have.ID] || !p.isRequested(d) {
		return nil
	}
	return []kind.Change{{Field: plan.RequestField, Have: "the present object", Want: "a new one", Disruption: kind.Replace}}
}

func (p *planner) isRequested(d *kind.Desired) bool {
	if p.isNamed(d.Key) {
		return true
	}
	if d.Parent == (manifest.Key{}) {
		return false
	}
	works := d.Key == p.WorkerOf(d.Parent)
	if part := p.PartOf(d); part != nil {
		works = p.DoesTheWork(d.Key, part.Member)
	}
	for above := d.Parent; works && above != (manifest.Key{}); above = p.ByKey[above].Parent {
		if p.isNamed(above) {
			return true
		}
	}
	return false
}

// isNamed reports whether the request names the key.
func (p *planner) isNamed(key manifest.Key) bool {
	for _, t := range p.Requested.Targets {
		if t.Names(key) {
			return true
		}
	}
	return false
}

// mayBeRequested reports whether a manifest lets a person replace its object. The setting of the stack does not count, because it is about changes that
// follow from commits.
func mayBeRequested(d *kind.Desired) bool {
	if d.Options.Replace != nil {
		return *d.Options.Replace
	}
	return !d.Options.NoPrune && !d.Options.Detach
}

// whyReplace returns the reason why a change replaces an object.
func whyReplace(c kind.Change) cause.Cause {
	if c.Field == plan.RequestField {
		return cause.Of(cause.Requested)
	}
	return cause.Of(cause.FixedField, c.Field)
}
