// Package m3dbinstance is the kind M3DBInstance: the part of one machine in a cluster of M3DB. An instance is an entry in the cluster's placement,
// and not an object of OpenStack. The agent asks the coordinators on the stack's own machines for it. An M3DBCluster makes one for each machine.
//
//	create   begins the placement with all first instances together, or adds one instance
//	update   replaces the instance whose disk is lost by an instance on the new disk
//	delete   makes an instance give its shards to the other instances
//
// Only one of these happens at a time, while no shard moves and all other machines answer. None of them is ever forced. The ID of an instance names
// its machine, and the instance has the mark of that machine's port. A tag of the port records only that there was an instance. Because of that
// record, the agent does not begin a new placement if etcd has lost one: nodes would delete the data of shards that are no longer theirs.
package m3dbinstance

import (
	"cmp"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the desired state of an instance. Its machine, its port and the instance have the same name: CLUSTER-0, CLUSTER-1 and so on.
type Spec struct {
	Cluster           string `json:"cluster" rule:"required,min=1,immutable" doc:"Name of the cluster to which the instance belongs."`
	PortRef           string `json:"portRef" rule:"required,min=1,immutable" ref:"Port" doc:"Port with the address by which the other instances know it."`
	VolumeRef         string `json:"volumeRef" rule:"required,min=1" ref:"Volume,order" doc:"Volume with the data of the instance."`
	ServerRef         string `json:"serverRef" rule:"required,min=1" ref:"Server,order" doc:"Machine that M3DB runs on."`
	IsolationGroup    string `json:"isolationGroup" rule:"required,min=1,max=255" doc:"Isolation group of the instance. An isolation group has at most one copy of a shard."`
	AfterRef          string `json:"afterRef,omitempty" ref:"M3DBInstance,order" doc:"Instance that must exist first. The first instance creates the placement."`
	Peers             []Peer `json:"peers" rule:"required,min=1,max=100,key=portRef" doc:"Instances that the agent asks. The first instance lists all of them, because the placement is created with them."`
	NumberOfShards    int    `json:"numberOfShards" rule:"required,min=1,max=4096,immutable" doc:"Number of shards of the cluster. A later change has no effect, and a plan notes it."`
	ReplicationFactor int    `json:"replicationFactor" rule:"required,min=1,max=9,immutable" doc:"How many instances have each shard. A later change has no effect, and a plan notes it."`
	NodePort          int    `json:"nodePort,omitempty" rule:"min=1,max=65535" doc:"Port of the nodes, if a configuration of your own sets it. If left out, each disk has a port of its own."`
	PreventScaleDown  bool   `json:"preventScaleDown,omitempty" doc:"Whether instances of the cluster stay if the manifest no longer has them."`
}

// Peer is an instance of the same cluster.
type Peer struct {
	PortRef        string `json:"portRef" rule:"required,min=1" ref:"Port,order" doc:"Its port. The member has the name of the port."`
	VolumeRef      string `json:"volumeRef" rule:"required,min=1" ref:"Volume,order" doc:"Its volume."`
	IsolationGroup string `json:"isolationGroup" rule:"required,min=1" doc:"Its isolation group."`
}

// portOf is the port on which the node of an instance must listen.
func (s *Spec) portOf(id string) int { return cmp.Or(s.NodePort, m3.PortOf(id)) }

// instance is the entry that the placement must have for an instance.
func (s *Spec) instance(id, isolationGroup, address string) m3.Instance {
	return m3.NewInstance(id, isolationGroup, address, s.portOf(id))
}

// State is the state of an instance as the cluster reports it.
type State struct {
	member.State
	held m3.Held // its entry in the placement

	shards, replicas int    // numbers of shards and replicas of the whole placement
	wanted           string // the ID that the instance must have; "" while it is unknown
	env              string
}

type (
	rules  struct{}
	driver struct {
		member.Marked[State]
		members  member.Kind[Spec]
		machines outbound.Machines
	}
	machine = member.Machine[Spec]
	live    = typed.Live[State]
	want    = typed.Want[Spec]
)

// Kind is the kind M3DBInstance over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	d := driver{members: member.Kind[Spec]{Cloud: c, Inside: []string{"Port", "Server", "Volume"}, Record: member.PlacementBegun, Token: "m3db", Word: "placement", Patience: 15 * time.Minute,
		Place: func(s *Spec) member.Place {
			return member.Place{Cluster: s.Cluster, Port: s.PortRef, Server: s.ServerRef, Volume: s.VolumeRef}
		}}}
	if c != nil {
		d.machines = c.Machines
	}
	r := rules{}
	return typed.Kind[Spec, struct{}, State]{
		Info: d.members.Info("M3DBInstance", "The part of one machine in a cluster of M3DB: an entry of its placement. The agent finds it by asking the cluster itself. "+
			"An M3DBCluster makes one for each of its machines, so you need not write it by hand."),
		Diff: r.Diff, Status: r.Status,
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}.Flat()
}

// Diff reports an instance whose disk or address differs from the placement, another isolation group, and an instance that is not yet recorded on its
// port.
func (rules) Diff(w want, have *State, c *kind.Changes) {
	if have.held.ID == "" {
		return
	}
	if have.wanted != "" && have.held.ID != have.wanted {
		c.Add(kind.Change{Field: "instance", Have: have.held.ID, Want: have.wanted})
	}
	kind.Fixed(c, "spec.isolationGroup", have.held.IsolationGroup, w.Spec.IsolationGroup)
	if port := w.Spec.portOf(have.held.ID); have.held.Port != port {
		c.Note("spec.nodePort", fmt.Sprintf("is %d in the placement and cannot change there: the machines are not changed, because other nodes would not find this node at port %d", have.held.Port, have.held.Port))
	}
	if have.shards != w.Spec.NumberOfShards {
		c.Note("spec.numberOfShards", fmt.Sprintf("is %d in the placement and cannot change there", have.shards))
	}
	if have.replicas != w.Spec.ReplicationFactor {
		c.Note("spec.replicationFactor", fmt.Sprintf("is %d in the placement and cannot change there", have.replicas))
	}
	have.Diff(c, "placement")
}

// Status implements [typed.Kind].
func (rules) Status(s *State) any {
	shown, h := s.Shown(), s.held
	if h.ID == "" {
		return shown
	}
	shown["instance"], shown["isolationGroup"], shown["state"] = h.ID, h.IsolationGroup, stateOf(h)
	shown["shards"] = map[string]any{"initializing": h.Initializing, "available": h.Available, "leaving": h.Leaving}
	return shown
}

// stateOf is the worst state of the shards of an instance, in the terms of M3.
func stateOf(h m3.Held) string {
	switch {
	case h.Leaving > 0:
		return "LEAVING"
	case h.Initializing > 0:
		return "INITIALIZING"
	}
	return "AVAILABLE"
}

// moving returns a text that says how the shards of an instance move.
func moving(h m3.Held) string {
	all := h.Initializing + h.Available + h.Leaving
	if h.Leaving > 0 {
		return fmt.Sprintf("gives its shards to others: %d of %d remain", h.Leaving, all)
	}
	return fmt.Sprintf("is getting its shards: %d of %d are ready", h.Available, all)
}
