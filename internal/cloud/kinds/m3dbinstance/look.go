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

// cluster is one cluster: its machines in the cloud, and their answers.
type cluster struct {
	*member.Cluster[Spec]
	of                member.Kind[Spec]
	at                m3.Client
	answers           answers
	preventsScaleDown bool       // instances that no manifest asks for stay (preventScaleDown).
	own               bool       // the stack began a placement.
	gone              []*machine // machines that no manifest asks for any more and that had an instance.
	outgoing          []string   // addresses of unwanted machines that still have an instance.
}

// List implements [typed.Kind]. It asks the machines of each cluster that manifests declare.
func (d driver) List(ctx context.Context, asked kind.Listing) (all []live, err error) {
	ctx = cloud.At(ctx, asked.Shared)
	clusters, err := d.members.Clusters(ctx, asked.Hosts)
	if err != nil {
		return nil, err
	}
	for _, of := range clusters {
		c := &cluster{Cluster: of, of: d.members, at: m3.Over(d.machines, m3.Environment(of.Key.Namespace, of.Name))}
		c.preventsScaleDown = slices.ContainsFunc(c.Specs, func(s *Spec) bool { return s.PreventScaleDown })
		c.gone = slices.DeleteFunc(slices.Clone(c.Spare), func(m *machine) bool { return !m.Recorded })
		c.own = claims(c.Machines) || len(c.gone) > 0
		c.answers = ask(ctx, c.at, c.addresses(nil))
		c.answers.bare = waitsForNamespace(ctx, c.at, c.answers)
		all = append(all, c.found()...)
	}
	return all, ctx.Err()
}

// claims reports whether the tags of these machines' ports say that the stack has begun the placement.
func claims(machines []*machine) bool {
	return slices.ContainsFunc(machines, func(m *machine) bool { return m.Recorded || m.Begins })
}

// idOf is the ID that the machine's instance must have in a placement; "" while the machine's volume does not exist.
func idOf(m *machine) string { return m3.InstanceID(m.Key.Name, m.VolumeID, m.Address) }

// live is the instance of a machine, without the fields that follow from the placement.
func (c *cluster) live(m *machine) live {
	return member.Live(c.of, m, &State{State: member.State{PortID: m.PortID, Address: m.Address, Failure: c.answers.failures[m.Address]}, env: c.at.Environment})
}

// addresses are the addresses of all machines of the cluster except besides.
func (c *cluster) addresses(besides *machine) (list []string) {
	list = slices.Clone(c.outgoing)
	for _, m := range c.Machines {
		if m != besides {
			list = append(list, m.Address)
		}
	}
	return list
}

// found returns the existing instances of a cluster.
func (c *cluster) found() (all []live) {
	p := c.answers.placement()
	displaced := cmp.Or(c.displaced(p), c.foreign(p))
	var unwanted []live
	if displaced == "" {
		unwanted = c.unwanted(p) // first, because it fills c.outgoing
	}
	stay := c.whyNoInterruption(p)
	for _, m := range c.Machines {
		l := c.live(m)
		l.State.wanted, l.State.Others = idOf(m), c.addresses(m)
		there := true
		switch {
		case displaced != "":
			member.ClusterDown(&l.Live, &l.State.State, "displaced", displaced, "its placement lists other machines")
		case p != nil:
			there = c.placed(m, p, &l)
			l.Interruptible.Stay = cmp.Or(stay, c.whyNotYet(&l, unwanted), whyNotRecreated(m, l.State))
		default:
			there = c.stateWithoutPlacement(m, &l)
		}
		if there {
			member.Judge(&l.Live, &l.State.State)
			all = append(all, l)
		}
	}
	return append(all, unwanted...)
}

// whyNoInterruption returns why no machine of the cluster may be interrupted: shards of an instance whose machine is no longer in the group still move. "" if they
// may.
func (c *cluster) whyNoInterruption(p *m3.Placement) string {
	if p == nil {
		return ""
	}
	if h := p.Unsettled(); h != nil && !slices.ContainsFunc(c.Machines, func(m *machine) bool { return m.Key.Name == m3.MachineOf(h.ID) }) {
		return "shards of " + h.ID + " are being added or removed"
	}
	return ""
}

// whyNotYet returns why a machine that works must not be changed yet; "" if it may be changed. One instance changes at a time, and unwanted instances
// are removed first. A machine that does not work is repaired before that.
func (c *cluster) whyNotYet(l *live, unwanted []live) string {
	if c.preventsScaleDown || len(unwanted) == 0 || l.Phase != kind.Ready && l.Phase != kind.Pending {
		return ""
	}
	return member.WaitsForLeaving(unwanted[len(unwanted)-1].Name)
}

// placed sets the state of a machine's instance from the placement. It returns false if the placement has no instance of the machine.
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
		l.Phase, l.Down, l.Message = kind.Degraded, "away", "its volume does not exist"
	case held == nil:
		l.Phase, l.Down, l.Message = kind.Degraded, "replaced", "has a different disk or address than in the placement: it is replaced by "+s.wanted
	case !c.answers.answered[m.Address]:
		l.Phase, l.Down, l.Message = m.Host.Silent()
	case c.answers.bare && held.Initializing > 0 && other == nil:
		l.Phase, l.Message = kind.Degraded, "gets its shards when there is a namespace" // in M3DB, nodes take their shards only once a namespace exists
	case !held.Settled() || other != nil:
		l.Phase, l.Message = kind.Pending, moving(*held)
	case !c.answers.whole[m.Address] && m.Host.Boots:
		l.Phase, l.Message = kind.Pending, "its node is reading its data"
	case !c.answers.whole[m.Address]:
		l.Phase, l.Message = kind.Degraded, fmt.Sprintf("its node does not report on port %d that it has read its data", m3.StatusPort)
	default:
		l.Phase = kind.Ready
	}
	return true
}

// whyNotRecreated returns why a machine must not be created again: its node would then listen on another port than the placement lists. "" if it may be.
func whyNotRecreated(m *machine, s *State) string {
	port := m.Spec.portOf(s.wanted)
	if s.held.ID != s.wanted || s.held.Port == port {
		return ""
	}
	return fmt.Sprintf("M3DB's placement lists its node with TCP port %d, but a new machine would listen on %d", s.held.Port, port)
}

// stateWithoutPlacement sets the state of a machine's instance if there is no placement on which most machines agree. It returns false if no instance is known to
// exist.
func (c *cluster) stateWithoutPlacement(m *machine, l *live) (there bool) {
	recorded := slices.ContainsFunc(c.Machines, func(m *machine) bool { return m.Recorded })
	silent := slices.ContainsFunc(c.answers.answers, func(a answer) bool { return a.Err != nil })
	blank := c.answers.agreed != nil && !silent // all machines answer that there is no placement
	l.Uncertain = !recorded
	switch {
	case blank && !recorded, silent && m.Host.ID == "" && !recorded:
		return false
	case blank:
		const lost = "etcd no longer has a placement"
		member.ClusterDown(&l.Live, &l.State.State, "lost", lost+": restore the data of etcd, or allow a new placement, after which nodes delete the data of shards that they lose: openstack port unset --tag "+string(member.PlacementBegun)+" "+m.PortID, lost)
	case !recorded:
		l.Phase, l.Message = kind.Pending, "waits until all machines of the cluster answer"
	case !c.answers.answered[m.Address]:
		l.Phase, l.Down, l.Message = m.Host.Silent()
	default:
		l.Phase, l.Down, l.Message = kind.Degraded, "unknown", "the machines of the cluster do not agree on its placement"
	}
	return true
}
