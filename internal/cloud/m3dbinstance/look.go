package m3dbinstance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	hosts "github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// patience is how long a machine may take until its coordinator answers.
const patience = 15 * time.Minute

// machine is where an instance runs, or may run.
type machine struct {
	key      manifest.Key
	portID   string
	host     hosts.Host
	recorded bool // there was an instance before
	address  string
	wanted   string // the ID that its instance has to have; "" while its volume is not there
	port     int    // where its node listens, with this manifest
}

// cluster is what is known of one in the cloud.
type cluster struct {
	key      manifest.Key // of any instance
	name     string
	keeps    bool // instances that are not wanted any more
	machines []*machine
	spare    []*machine // those that are not wanted any more, and had an instance
	outgoing []string   // addresses of those that still have one
}

// List implements kind.Driver: what the machines say of each cluster that manifests ask for. Of a cluster that they do not ask for any more
// nothing is to be known: its machines go, and with them the cluster.
func (d driver) List(ctx context.Context) (all []live, err error) {
	around := kind.AroundOf(ctx)
	for _, name := range []string{"Port", "Server", "Volume"} {
		if errs := around.Have[name].Errs(); len(around.Want) > 0 && len(errs) > 0 {
			return nil, fmt.Errorf("it is not known where machines are: %w", errors.Join(errs...))
		}
	}
	list := clusters(around)
	if len(list) == 0 {
		return nil, nil
	}
	recorded, err := record.Ports(ctx, d.cloud)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		for _, m := range c.machines {
			m.recorded = recorded[m.portID]
		}
		c.spare = spare(around, c, recorded)
		env := m3.Environment(c.key.Namespace, c.name)
		at := d.cluster(env)
		seen := look(ctx, at, c.addresses(nil))
		seen.bare = bare(ctx, at, seen)
		found := c.found(around, seen)
		for i := range found {
			found[i].State.env = env
		}
		all = append(all, found...)
	}
	return all, ctx.Err()
}

func clusters(around kind.Around) (all []*cluster) {
	ports, servers, volumes := around.Owned("Port"), around.Owned("Server"), around.Owned("Volume")
	at := map[[2]string]*cluster{}
	for i := range around.Want {
		d := &around.Want[i]
		spec, ok := d.Spec.(*Spec)
		if !ok {
			continue
		}
		c := at[[2]string{d.Key.Namespace, spec.Cluster}]
		if c == nil {
			c = &cluster{key: d.Key, name: spec.Cluster}
			at[[2]string{d.Key.Namespace, spec.Cluster}] = c
			all = append(all, c)
		}
		c.keeps = c.keeps || spec.PreventScaleDown
		owned := func(kindName, name string) string {
			return kind.OwnerText(around.Stack, manifest.Key{Kind: kindName, Namespace: d.Key.Namespace, Name: name})
		}
		port := ports[owned("Port", spec.PortRef)]
		if port == nil || port.Facts.Address == "" {
			continue
		}
		m := &machine{key: d.Key, portID: port.ID, address: port.Facts.Address}
		if volume := volumes[owned("Volume", spec.VolumeRef)]; volume != nil {
			m.wanted = m3.InstanceID(d.Key.Name, volume.ID, m.address)
			m.port = spec.portOf(m.wanted)
		}
		m.host = hosts.HostOf(servers[owned("Server", spec.ServerRef)], patience)
		c.machines = append(c.machines, m)
	}
	return all
}

// addresses are those of the machines besides one.
func (c *cluster) addresses(besides *machine) (list []string) {
	list = slices.Clone(c.outgoing)
	for _, m := range c.machines {
		if m != besides {
			list = append(list, m.address)
		}
	}
	return list
}

// found is what there is of a cluster.
func (c *cluster) found(around kind.Around, seen seen) (all []live) {
	p := seen.placement()
	displaced := c.displaced(around, p)
	var unwanted []live
	if displaced == "" {
		unwanted = c.unwanted(around, p) // first, since it finds who is outgoing
	}
	stay := c.stay(p)
	for _, m := range c.machines {
		l := live{Name: m.key.Name, Mine: true, Mark: &kind.Mark{Owner: kind.OwnerText(around.Stack, m.key)}, Uses: []string{m.portID}, Tokens: []string{"m3db " + m.address},
			Lag: time.Second, Facts: kind.Facts{Address: m.address}, State: &State{portID: m.portID, Address: m.address, wanted: m.wanted, others: c.addresses(m)}}
		if m.host.ID != "" {
			l.Uses = append(l.Uses, m.host.ID)
		}
		there := true
		switch {
		case displaced != "":
			l.ID, l.State.lost = "port "+m.portID, "its placement is of machines that had other addresses"
			l.Phase, l.Down, l.Message = kind.Degraded, "displaced", displaced
		case p != nil:
			there = m.placed(p, seen, &l)
			l.Turn.Stay = cmp.Or(stay, c.givesWay(&l, unwanted), m.moved(l.State))
		default:
			there = m.alone(seen, c.anyRecorded(), &l)
		}
		if !there {
			continue
		}
		if l.Phase != kind.Ready {
			l.Unwell = slices.Clone(l.Uses)
		}
		all = append(all, l)
	}
	return append(all, unwanted...)
}

func (c *cluster) anyRecorded() bool {
	return slices.ContainsFunc(c.machines, func(m *machine) bool { return m.recorded })
}

// stay says why no machine of the cluster is interrupted: one that is on its way out is not of the group, and still gives its shards away.
func (c *cluster) stay(p *m3.Placement) string {
	if p == nil {
		return ""
	}
	if h := p.Unsettled(); h != nil && !slices.ContainsFunc(c.machines, func(m *machine) bool { return m.key.Name == m3.MachineOf(h.ID) }) {
		return "shards of " + h.ID + " are coming or going"
	}
	return ""
}

// givesWay says why a machine that works is not changed yet; "" when it may be. One instance changes at a time: those that are not wanted any more go
// first. One that does not work has to be mended, since none leaves before.
func (c *cluster) givesWay(l *live, unwanted []live) string {
	if c.keeps || len(unwanted) == 0 || l.Phase != kind.Ready && l.Phase != kind.Pending {
		return ""
	}
	return unwanted[len(unwanted)-1].Name + " leaves the cluster first"
}

// placed says what a machine is in a placement; false is that it is no part of it.
func (m *machine) placed(p *m3.Placement, seen seen, l *live) (there bool) {
	answers := seen.answered[m.address]
	held, other := p.Find(m.wanted), (*m3.Held)(nil)
	for i := range p.Instances {
		if h := &p.Instances[i]; m3.MachineOf(h.ID) == m.key.Name && h.ID != m.wanted {
			other = h
		}
	}
	switch {
	case held != nil:
		l.State.take(held)
	case other != nil:
		l.State.take(other)
	default:
		return false
	}
	l.ID, l.State.shards, l.State.replicas = l.State.ID, p.Shards, p.Replicas
	if l.State.unrecorded = !m.recorded; l.State.unrecorded {
		l.Mark.Applied = kind.Unfinished
	}
	switch {
	case held == nil && m.wanted == "":
		l.Phase, l.Down, l.Message = kind.Degraded, "away", "its volume is away"
	case held == nil:
		l.Phase, l.Down, l.Message = kind.Degraded, "replaced", "has another disk or address than the placement knows: it is replaced by "+m.wanted
	case !answers:
		l.Phase, l.Down, l.Message = m.host.Silent()
	case seen.bare && held.Initializing > 0 && other == nil:
		l.Phase, l.Message = kind.Degraded, "takes its shards when there is a namespace" // which needs it
	case !held.Settled() || other != nil:
		l.Phase, l.Message = kind.Pending, l.State.moving()
	case !seen.whole[m.address] && m.host.Boots:
		l.Phase, l.Message = kind.Pending, "its node reads its data"
	case !seen.whole[m.address]:
		l.Phase, l.Message = kind.Degraded, fmt.Sprintf("its node does not say, on port %d, that it has read its data", m3.StatusPort)
	default:
		l.Phase = kind.Ready
	}
	return true
}

// moved says why a machine is not recreated: its node would no longer be where the placement knows it.
func (m *machine) moved(s *State) string {
	if s.ID != m.wanted || s.Port == m.port {
		return ""
	}
	return fmt.Sprintf("its node is at port %d in the placement, and a machine made now would have it at %d", s.Port, m.port)
}

func (s *State) take(h *m3.Held) {
	s.ID, s.IsolationGroup, s.Port = h.ID, h.IsolationGroup, h.Port
	s.Initializing, s.Available, s.Leaving = h.Initializing, h.Available, h.Leaving
}

// alone says what is known of a machine while there is no placement that most agree on; false is that there is nothing.
func (m *machine) alone(seen seen, recorded bool, l *live) (there bool) {
	l.ID = "port " + m.portID
	silent := slices.ContainsFunc(seen.answers, func(a m3.Answer[*m3.Placement]) bool { return a.Err != nil })
	blank := seen.agreed != nil && !silent // all say that there is no placement
	switch {
	case blank && !recorded, silent && m.host.ID == "" && !recorded:
		return false
	case blank:
		l.State.lost = "etcd has no placement any more"
		l.Phase, l.Down, l.Message = kind.Degraded, "lost", "etcd has no placement any more: bring back etcd's data, or have a new placement begin, by which nodes delete data that is not theirs: openstack port unset --tag "+string(record)+" "+m.portID
	case !recorded:
		l.Phase, l.Message = kind.Pending, "waits until all machines of the cluster answer"
	case !seen.answered[m.address]:
		l.Phase, l.Down, l.Message = m.host.Silent()
	default:
		l.Phase, l.Down, l.Message = kind.Degraded, "unknown", "the machines of the cluster do not agree on its placement"
	}
	return true
}
