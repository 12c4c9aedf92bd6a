package m3dbinstance

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// cluster is what is known of one in the cloud, and what its machines say.
type cluster struct {
	*member.Cluster[Spec]
	of       member.Kind[Spec]
	at       m3.Client
	seen     seen
	keeps    bool       // instances that are not wanted any more
	own      bool       // a placement is the stack's
	gone     []*machine // those that are not wanted any more, and had an instance
	outgoing []string   // addresses of those that still have one
}

// List is that of [typed.Kind]: what the machines say of each cluster that manifests ask for.
func (d driver) List(ctx context.Context, asked kind.Listing) (all []live, err error) {
	ctx = cloud.At(ctx, asked.Moment)
	clusters, err := d.members.Clusters(ctx, asked.Hosts)
	if err != nil {
		return nil, err
	}
	for _, of := range clusters {
		c := &cluster{Cluster: of, of: d.members, at: m3.Over(d.machines, m3.Environment(of.Key.Namespace, of.Name))}
		c.keeps = slices.ContainsFunc(c.Specs, func(s *Spec) bool { return s.PreventScaleDown })
		c.gone = slices.DeleteFunc(slices.Clone(c.Spare), func(m *machine) bool { return !m.Recorded })
		c.own = claims(c.Machines) || len(c.gone) > 0
		c.seen = look(ctx, c.at, c.addresses(nil))
		c.seen.bare = bare(ctx, c.at, c.seen)
		all = append(all, c.found()...)
	}
	return all, ctx.Err()
}

// claims reports whether the tags of these machines' ports say that the stack has begun the placement.
func claims(machines []*machine) bool {
	return slices.ContainsFunc(machines, func(m *machine) bool { return m.Recorded || m.Begins })
}

// idOf is what a placement has to call the instance of a machine; "" while its volume is not there.
func idOf(m *machine) string { return m3.InstanceID(m.Key.Name, m.VolumeID, m.Address) }

// live is the instance of a machine, before it is known what the placement says.
func (c *cluster) live(m *machine) live {
	return member.Live(c.of, m, &State{State: member.State{PortID: m.PortID, Address: m.Address, Failure: c.seen.failures[m.Address]}, env: c.at.Environment})
}

// addresses are those of the machines besides one.
func (c *cluster) addresses(besides *machine) (list []string) {
	list = slices.Clone(c.outgoing)
	for _, m := range c.Machines {
		if m != besides {
			list = append(list, m.Address)
		}
	}
	return list
}

// found returns the instances that exist of a cluster.
func (c *cluster) found() (all []live) {
	p := c.seen.placement()
	displaced := cmp.Or(c.displaced(p), c.foreign(p))
	var unwanted []live
	if displaced == "" {
		unwanted = c.unwanted(p) // first, since it finds who is outgoing
	}
	stay := c.stay(p)
	for _, m := range c.Machines {
		l := c.live(m)
		l.State.wanted, l.State.Others = idOf(m), c.addresses(m)
		there := true
		switch {
		case displaced != "":
			member.Stands(&l.Live, &l.State.State, "displaced", displaced, "its placement is of other machines")
		case p != nil:
			there = c.placed(m, p, &l)
			l.Interruptible.Stay = cmp.Or(stay, c.givesWay(&l, unwanted), moved(m, l.State))
		default:
			there = c.alone(m, &l)
		}
		if there {
			member.Judge(&l.Live, &l.State.State)
			all = append(all, l)
		}
	}
	return append(all, unwanted...)
}

// stay says why no machine of the cluster is interrupted: a machine that the group no longer has still gives its shards away.
func (c *cluster) stay(p *m3.Placement) string {
	if p == nil {
		return ""
	}
	if h := p.Unsettled(); h != nil && !slices.ContainsFunc(c.Machines, func(m *machine) bool { return m.Key.Name == m3.MachineOf(h.ID) }) {
		return "shards of " + h.ID + " are coming or going"
	}
	return ""
}

// givesWay says why a machine that works is not changed yet; "" when it may be. One instance changes at a time, and unwanted instances leave first. A
// machine that does not work is repaired before they leave.
func (c *cluster) givesWay(l *live, unwanted []live) string {
	if c.keeps || len(unwanted) == 0 || l.Phase != kind.Ready && l.Phase != kind.Pending {
		return ""
	}
	return member.Leaving(unwanted[len(unwanted)-1].Name)
}

// placed says what a machine is in a placement; false is that it is no part of it.
func (c *cluster) placed(m *machine, p *m3.Placement, l *live) (there bool) {
	s := l.State
	held, other := p.Find(s.wanted), (*m3.Held)(nil)
	for i := range p.Instances {
		if h := &p.Instances[i]; m3.MachineOf(h.ID) == m.Key.Name && h.ID != s.wanted {
			other = h
		}
	}
	is := cmp.Or(held, other)
	if is == nil {
		return false
	}
	s.held, l.ID, s.shards, s.replicas = *is, is.ID, p.Shards, p.Replicas
	if s.Unrecorded = !m.Recorded; s.Unrecorded {
		l.Mark.Applied = kind.Unfinished
	}
	switch {
	case held == nil && s.wanted == "":
		l.Phase, l.Down, l.Message = kind.Degraded, "away", "its volume is away"
	case held == nil:
		l.Phase, l.Down, l.Message = kind.Degraded, "replaced", "has another disk or address than the placement knows: it is replaced by "+s.wanted
	case !c.seen.answered[m.Address]:
		l.Phase, l.Down, l.Message = m.Host.Silent()
	case c.seen.bare && held.Initializing > 0 && other == nil:
		l.Phase, l.Message = kind.Degraded, "takes its shards when there is a namespace" // which needs it
	case !held.Settled() || other != nil:
		l.Phase, l.Message = kind.Pending, moving(*held)
	case !c.seen.whole[m.Address] && m.Host.Boots:
		l.Phase, l.Message = kind.Pending, "its node reads its data"
	case !c.seen.whole[m.Address]:
		l.Phase, l.Message = kind.Degraded, fmt.Sprintf("its node does not say, on port %d, that it has read its data", m3.StatusPort)
	default:
		l.Phase = kind.Ready
	}
	return true
}

// moved says why a machine is not recreated: its node would no longer be where the placement knows it.
func moved(m *machine, s *State) string {
	port := m.Spec.portOf(s.wanted)
	if s.held.ID != s.wanted || s.held.Port == port {
		return ""
	}
	return fmt.Sprintf("M3DB's placement lists its node with TCP port %d, and a machine made now would listen on %d", s.held.Port, port)
}

// alone says what is known of a machine while there is no placement that most agree on; false is that there is nothing.
func (c *cluster) alone(m *machine, l *live) (there bool) {
	recorded := slices.ContainsFunc(c.Machines, func(m *machine) bool { return m.Recorded })
	silent := slices.ContainsFunc(c.seen.answers, func(a answer) bool { return a.Err != nil })
	blank := c.seen.agreed != nil && !silent // all say that there is no placement
	l.Uncertain = !recorded
	switch {
	case blank && !recorded, silent && m.Host.ID == "" && !recorded:
		return false
	case blank:
		const lost = "etcd has no placement any more"
		member.Stands(&l.Live, &l.State.State, "lost", lost+": bring back etcd's data, or have a new placement begin, by which nodes delete data that is not theirs: openstack port unset --tag "+string(member.PlacementBegun)+" "+m.PortID, lost)
	case !recorded:
		l.Phase, l.Message = kind.Pending, "waits until all machines of the cluster answer"
	case !c.seen.answered[m.Address]:
		l.Phase, l.Down, l.Message = m.Host.Silent()
	default:
		l.Phase, l.Down, l.Message = kind.Degraded, "unknown", "the machines of the cluster do not agree on its placement"
	}
	return true
}
