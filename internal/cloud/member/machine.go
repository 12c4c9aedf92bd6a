// Package member finds, begins and assesses the members of clusters inside the stack's own machines. It decides which machines belong to a cluster,
// whether the cluster is the stack's, and which answers count. It also decides what follows for a member that does not work. Each kind of member has its
// own protocol.
package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Kind contains the properties in which one kind of members differs from the others.
type Kind[Spec any] struct {
	Cloud    *cloud.Client
	Inside   []string      // the kinds by which members are found: ports, servers, volumes.
	Record   Record        // the tag on the ports of former members.
	Token    string        // the first word of a member's token (see [kind.Live.Tokens]), before its address.
	Word     string        // the word in messages for the thing that a record stands for: "cluster".
	Patience time.Duration // how long a machine may take until its member answers.
	Place    func(*Spec) Place
}

// PlacementBegun is the record on the ports of M3DB's former and present instances: the stack has begun the placement that contains them.
const PlacementBegun Record = ownertext.Prefix + "m3db"

// Place contains the names that a manifest gives to a member's cluster and to its objects.
type Place struct {
	Cluster              string
	Port, Server, Volume string // names of objects; Volume is "" if there is none
}

// Machine is a machine in which a member runs, or may run.
type Machine[Spec any] struct {
	Key      manifest.Key // of the member
	Owner    string       // the owner text for its mark
	Spec     *Spec        // of the member, or of another one of its cluster
	Wanted   bool         // whether a manifest describes the member
	PortID   string
	Address  string
	VolumeID string // "" if there is no volume, or it does not exist yet
	Server   *kind.Live
	Host     Host
	Tags     []string // the records of its port
	Recorded bool     // whether the port says that there was a member
	Begins   bool     // whether the port says that the member may begin a cluster at this address
}

// Cluster is a cluster of the manifests, and its machines.
type Cluster[Spec any] struct {
	Key      manifest.Key // of any member
	Name     string
	Specs    []*Spec          // the specs of all wanted members.
	Machines []*Machine[Spec] // the machines of wanted members that have addresses.
	Spare    []*Machine[Spec] // machines with a port and a name of the cluster that no manifest wants.
	stack    string
	wanted   map[manifest.Key]bool // members of all clusters
}

// Clusters finds the clusters of the members that manifests describe. Other clusters are not needed, because they are removed together with their
// machines.
func (k Kind[Spec]) Clusters(ctx context.Context, around kind.Hosts) (all []*Cluster[Spec], err error) {
	if len(around.Want) == 0 {
		return nil, nil
	}
	f := finder[Spec]{kind: k, stack: around.Stack, owned: map[string]owned{}}
	for _, name := range k.Inside {
		if errs := around.Have[name].Errs(); len(errs) > 0 {
			return nil, fmt.Errorf("the addresses of the machines are unknown: %w", errors.Join(errs...))
		}
		f.owned[name] = around.Owned(name)
	}
	if f.tags, err = RecordsOfPorts(ctx, k.Cloud); err != nil {
		return nil, err
	}
	at, wanted := map[[2]string]*Cluster[Spec]{}, map[manifest.Key]bool{}
	for _, d := range around.Want {
		spec, ok := d.Spec.(*Spec)
		if !ok {
			continue
		}
		place := k.Place(spec)
		id := [2]string{d.Key.Namespace, place.Cluster}
		if at[id] == nil {
			at[id] = &Cluster[Spec]{Key: d.Key, Name: place.Cluster, stack: around.Stack, wanted: wanted}
			all = append(all, at[id])
		}
		c := at[id]
		c.Specs, wanted[d.Key] = append(c.Specs, spec), true
		if m := f.machine(d.Key, spec, place, true); m != nil && m.Address != "" {
			c.Machines = append(c.Machines, m)
		}
	}
	for _, c := range all {
		for n, key := 0, c.Key; n < numbers; n++ {
			key.Name = c.Name + "-" + strconv.Itoa(n)
			if m := f.machine(key, c.Specs[0], Place{Port: key.Name, Server: key.Name}, false); m != nil && !wanted[key] {
				c.Spare = append(c.Spare, m)
			}
		}
	}
	return all, nil
}

// numbers is how many numbers the machines of a cluster can have.
const numbers = 1024

type owned = map[string]*kind.Live

// finder finds machines among the objects of the stack.
type finder[Spec any] struct {
	kind  Kind[Spec]
	stack string
	owned map[string]owned // by kind and owner text
	tags  map[string][]string
}

func (f finder[Spec]) object(kindName, namespace, name string) *kind.Live {
	return f.owned[kindName][ownertext.Of(f.stack, manifest.Key{Kind: kindName, Namespace: namespace, Name: name})]
}

// machine returns the machine of a member; nil if it has no port.
func (f finder[Spec]) machine(key manifest.Key, spec *Spec, at Place, wanted bool) *Machine[Spec] {
	port := f.object("Port", key.Namespace, at.Port)
	if port == nil {
		return nil
	}
	m := &Machine[Spec]{Key: key, Owner: ownertext.Of(f.stack, key), Spec: spec, Wanted: wanted, Server: f.object("Server", key.Namespace, at.Server)}
	m.Host = hostOf(m.Server, f.kind.Patience)
	if volume := f.object("Volume", key.Namespace, at.Volume); volume != nil {
		m.VolumeID = volume.ID
	}
	m.read(f.kind.Record, port.ID, port.Facts.Address, f.tags[port.ID])
	return m
}

// read sets the fields that come from the port.
func (m *Machine[Spec]) read(r Record, portID, address string, tags []string) {
	m.PortID, m.Address, m.Tags = portID, address, tags
	m.Recorded, m.Begins = slices.Contains(tags, string(r)), slices.Contains(tags, string(r.Begins(address)))
}

// Named finds a machine of the cluster by its name; nil if the name is not one of the cluster's. Without a port, only its key, its owner and Wanted are known.
func (c *Cluster[Spec]) Named(name string) *Machine[Spec] {
	number, ok := strings.CutPrefix(name, c.Name+"-")
	if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
		return nil
	}
	for _, m := range slices.Concat(c.Machines, c.Spare) {
		if m.Key.Name == name {
			return m
		}
	}
	key := c.Key
	key.Name = name
	return &Machine[Spec]{Key: key, Owner: ownertext.Of(c.stack, key), Wanted: c.wanted[key]}
}
