package m3dbnamespace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// place is a cluster for which manifests declare namespaces, and the ports of its machines.
type place struct {
	namespace, cluster string
	ports              []*kind.Live
}

func (p *place) addresses() (list []string) {
	for _, port := range p.ports {
		list = append(list, port.Facts.Address)
	}
	return list
}

func (p *place) portIDs() (list []string) {
	for _, port := range p.ports {
		list = append(list, port.ID)
	}
	return list
}

// own reports whether the stack itself began the cluster's placement, which tags of the ports record. The agent changes nothing in any
// other cluster.
func (p *place) own(tags map[string][]string) bool {
	return slices.ContainsFunc(p.ports, func(port *kind.Live) bool { return member.PlacementBegun.On(tags[port.ID], port.Facts.Address) })
}

func places(around kind.Hosts) (all []*place) {
	ports := around.Owned("Port")
	for i := range around.Want {
		d := &around.Want[i]
		spec, ok := d.Spec.(*Spec)
		if !ok || slices.ContainsFunc(all, func(p *place) bool { return p.namespace == d.Key.Namespace && p.cluster == spec.Cluster }) {
			continue
		}
		p := &place{namespace: d.Key.Namespace, cluster: spec.Cluster}
		for _, name := range spec.PortRefs {
			port := ports[ownertext.Of(around.Stack, manifest.Key{Kind: "Port", Namespace: d.Key.Namespace, Name: name})]
			if port != nil && port.Facts.Address != "" {
				p.ports = append(p.ports, port)
			}
		}
		all = append(all, p)
	}
	return all
}

// List implements [typed.Kind]. If no majority of a cluster's machines agrees on its namespaces, the namespaces are unknown. A cluster
// without machines has no namespaces yet.
func (d driver) List(ctx context.Context, asked kind.Listing) (all []live, err error) {
	ctx = cloud.At(ctx, asked.Shared)
	around := asked.Hosts
	if errs := around.Have["Port"].Errs(); len(around.Want) > 0 && len(errs) > 0 {
		return nil, fmt.Errorf("the addresses of the machines are unknown: %w", errors.Join(errs...))
	}
	list := places(around)
	if len(list) == 0 {
		return nil, nil
	}
	byPort, err := member.RecordsOfPorts(ctx, d.cloud)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		at := m3.Over(d.machines, m3.Environment(p.namespace, p.cluster))
		agreed := agree(ctx, at, p.addresses())
		tags := map[string]bool{}
		for _, id := range p.portIDs() {
			for _, tag := range byPort[id] {
				tags[tag] = true
			}
		}
		if agreed == nil || !p.own(byPort) {
			all = append(all, p.unknown(around, tags)...)
			continue
		}
		begun := len(all)
		for _, name := range slices.Sorted(maps.Keys(agreed.Said)) {
			if l, ok := p.found(around, name, agreed.Said[name], tags); ok {
				l.State.env = at.Environment
				all = append(all, l)
			}
		}
		awaitNodes(ctx, at, agreed.Address, all[begun:])
	}
	return all, ctx.Err()
}

// found is one namespace of a cluster. ok is false if no manifest asks for it and no tag records that a manifest did.
func (p *place) found(around kind.Hosts, name string, n m3.Namespace, tags map[string]bool) (l live, ok bool) {
	i := slices.IndexFunc(around.Want, func(d kind.Desired) bool {
		return d.Key.Namespace == p.namespace && d.Key.Name == m3.NamespaceObject(p.cluster, name)
	})
	recorded := tags[recordTag(name)]
	if i < 0 && !recorded {
		return live{}, false
	}
	key := around.Want[0].Key
	key.Namespace, key.Name = p.namespace, m3.NamespaceObject(p.cluster, name)
	l = live{Live: kind.Live{ID: m3.Environment(p.namespace, p.cluster) + "/" + name, Name: key.Name, InOwnProject: true, Mark: &kind.Mark{Owner: ownertext.Of(around.Stack, key)}, Phase: kind.Ready}, State: &State{Namespace: n, name: name, addresses: p.addresses(), portIDs: p.portIDs(), unrecorded: !recorded}}
	if !n.Ready() {
		l.Phase, l.Message, l.Mark.Applied = kind.Begun, "coordinators do not use it yet", kind.Unfinished
	}
	if !recorded {
		l.Mark.Applied = kind.Unfinished
	}
	return l, true
}

// awaitNodes sets unused namespaces to Pending while nodes of the cluster still take their shards. Nodes do not use a namespace before
// that.
func awaitNodes(ctx context.Context, at m3.Client, address string, found []live) {
	unused := func(l live) bool { return l.Phase == kind.Begun }
	if !slices.ContainsFunc(found, unused) {
		return
	}
	placement, err := at.Placement(ctx, address)
	if err != nil || placement == nil || placement.Unsettled() == nil {
		return
	}
	for i := range found {
		if unused(found[i]) {
			found[i].Phase, found[i].Message = kind.Pending, "nodes copy their shards first"
		}
	}
}

// unknown are the namespaces of a cluster that does not answer, if a tag records that a manifest asked for them. They are not created a
// second time.
func (p *place) unknown(around kind.Hosts, tags map[string]bool) (all []live) {
	for i := range around.Want {
		d := &around.Want[i]
		spec, ok := d.Spec.(*Spec)
		if !ok || d.Key.Namespace != p.namespace || spec.Cluster != p.cluster || !tags[recordTag(spec.Name)] {
			continue
		}
		all = append(all, live{Live: kind.Live{ID: "unknown " + d.Key.Name, Name: d.Key.Name, InOwnProject: true, Mark: &kind.Mark{Owner: ownertext.Of(around.Stack, d.Key)},
			Phase: kind.Pending, Message: "no coordinator of its cluster answers, or they do not agree"}, State: &State{name: spec.Name}})
	}
	return all
}

type registry = map[string]m3.Namespace

// agree is the answer of a majority of the machines about the namespaces; nil if there is no majority.
func agree(ctx context.Context, at m3.Client, addresses []string) *member.Answer[registry] {
	alike := func(r registry) string {
		text, _ := json.Marshal(r) // plain values, sorted by name
		return string(text)
	}
	same := member.Agreed(member.Everywhere(ctx, addresses, at.Namespaces), alike)
	if len(same) == 0 {
		return nil
	}
	return &same[0]
}
