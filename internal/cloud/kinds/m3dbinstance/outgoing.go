package m3dbinstance

import (
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// unwanted are the instances of machines that no manifest asks for any more. They are removed one at a time, the last
// one first.
func (c *cluster) unwanted(p *m3.Placement) (all []live) {
	if p == nil {
		return c.unknown()
	}
	var leaving member.Queue
	for _, h := range p.Instances {
		m := c.Named(m3.MachineOf(h.ID))
		if m == nil || m.Wanted {
			continue
		}
		if m.PortID != "" && m.Address == h.Address {
			c.outgoing = append(c.outgoing, h.Address)
		}
		there := *m
		there.Address = h.Address // the machine's port may have another address
		l := c.live(&there)
		l.ID, l.Mark.Keep, l.Phase, l.State.held = h.ID, c.preventsScaleDown, kind.Ready, h
		if h.Leaving > 0 {
			l.Phase, l.Message = kind.Deleting, moving(h)
		}
		l.Uses = leaving.Join(h.ID, l.Uses)
		all = append(all, l)
	}
	for _, l := range all {
		l.State.Others = c.addresses(nil)
	}
	return all
}

// unknown are the instances of unwanted machines while it is unknown whether they still have shards. Until then, they
// are not removed.
func (c *cluster) unknown() (all []live) {
	for _, m := range c.gone {
		l := c.live(m)
		l.Mark.Keep, l.Phase, l.Down, l.Message = c.preventsScaleDown, kind.Degraded, "unknown", "the shards of the instance are not known"
		all = append(all, l)
	}
	return all
}
