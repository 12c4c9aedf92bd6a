package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// targetGone reports whether an object that d refers to is gone and will be created again. Then d differs only because the cloud removed the
// reference. That happens if a pass is killed while it replaces an object that d uses.
func (p *planner) targetGone(d *kind.Desired) bool {
	return slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool {
		target := p.ByKey[ref.Key]
		if ref.Order || target == nil || target.Virtual || target.Unmanaged || p.found.Live[target] != nil || p.Cloud.Collection(ref.Key.Kind) == nil || p.Have[ref.Key.Kind].Unlisted(target.Entry) != nil {
			return false
		}
		ch := p.identify(target)
		return ch.have == nil && ch.refusal.IsZero()
	})
}

// foresee finds the targets of late references in the cloud in advance. The planner decides about such targets only after the objects
// that refer to them.
func (p *planner) foresee() {
	for i := range p.Want {
		for _, ref := range p.Want[i].Refs {
			d := p.ByKey[ref.Key]
			if !ref.Late || d == nil || d.Virtual || d.Unmanaged || p.found.Live[d] != nil {
				continue
			}
			if c, known := p.Have[d.Key.Kind]; !known || c.Unlisted(d.Entry) != nil {
				continue
			}
			if have := p.identify(d).have; have != nil && have.Phase != kind.Deleting {
				p.noteFound(d, have)
			}
		}
	}
}

// unreadyLateTargets returns the cause for creating an object without some of its late references: it names their targets, which are not ready.
// The cause is zero if all targets are ready.
func (p *planner) unreadyLateTargets(d *kind.Desired) cause.Cause {
	var keys []manifest.Key
	for _, ref := range d.Refs {
		if ref.Late && !p.ready(ref.Key) && !slices.Contains(keys, ref.Key) {
			keys = append(keys, ref.Key)
		}
	}
	if len(keys) == 0 {
		return cause.Cause{}
	}
	return cause.Of(cause.WithoutLate, manifest.Listed(keys))
}
