package decide

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// trafficOf is what may be sent to an object that is, or is of, a member of a group.
func (p *planner) trafficOf(key manifest.Key) kind.Traffic {
	if len(p.Traffic) == 0 {
		return kind.Flows
	}
	if part := p.PartOf(p.ByKey[key]); part != nil {
		return p.Traffic[part.Member]
	}
	return kind.Flows
}
