// Package etcdmember is the kind EtcdMember: the membership of one machine in an etcd cluster. The cloud does not know
// members, so the agent asks etcd itself, on the machines that the stack owns. An EtcdCluster makes one EtcdMember for
// each machine.
//
//	create   adds a machine that waits without data as a learner, or begins the cluster with the first machine
//	update   promotes the learner; makes a leader give its role to another member before its machine is interrupted
//	delete   ends the membership, unless the others would lose their majority
//
// A member belongs to the Port with the address in its peer URL, and the mark is that port's mark. Tags of the port
// record only that a member existed, and in which cluster (see whose.go). So a cluster that has lost all its data is not
// begun again as if it were new. And the agent does not change a cluster that belongs to somebody else.
package etcdmember

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the declared member. The machine, its port and the member have the same name: CLUSTER-0, CLUSTER-1 and so on.
type Spec struct {
	Cluster   string   `json:"cluster" rule:"required,min=1,immutable" doc:"Name of the cluster to which the member belongs."`
	PortRef   string   `json:"portRef" rule:"required,min=1,immutable" ref:"Port" doc:"Port with the address by which the other members know it."`
	ServerRef string   `json:"serverRef" rule:"required,min=1" ref:"Server,order" doc:"Machine that etcd runs on."`
	AfterRef  string   `json:"afterRef,omitempty" ref:"EtcdMember,order" doc:"Member that must exist first. The first member creates the cluster."`
	Version   string   `json:"version,omitempty" doc:"Version of etcd on its machine."`
	PeerRefs  []string `json:"peerRefs" rule:"required,min=1,max=9,unique,format=name" ref:"Port,order" doc:"Ports of all members."`
	// RestoreRef is the restore whose snapshot the cluster begins with. If it is set, the member never begins without a
	// snapshot.
	RestoreRef string `json:"restoreRef,omitempty" ref:"EtcdRestore,order" doc:"Snapshot from which the first member creates the cluster. If left out, the cluster is created without data."`
	TLS        *TLS   `json:"tls,omitempty" doc:"How the agent connects to members with TLS; without TLS if left out."`
}

// State is the known state of a member.
type State struct {
	etcd.Member
	member.State
	Version string
	Leads   bool
	DBSize  int64

	client  etcd.Client
	cluster uint64 // the ID of the cluster
}

// role is the role of a member in its cluster.
type role string

const (
	leader  role = "leader"
	voter   role = "voter"
	learner role = "learner" // a member that cannot vote yet
)

func (s *State) role() role {
	switch {
	case s.IsLearner:
		return learner
	case s.Leads:
		return leader
	}
	return voter
}

// record is the tag that marks the port of each member that exists or existed.
const record member.Record = etcdstore.BegunTag

type (
	rules  struct{}
	driver struct {
		member.Marked[State]
		members member.Kind[Spec]
		store   etcdstore.Store
		etcd    etcd.Client // without TLS
		master  *pki.Master // nil if there is no master key
	}
	live = typed.Live[State]
	want = typed.Want[Spec]
)

// Kind returns the kind EtcdMember. c may be nil if only the kind's rules are needed. Certificates are derived from the
// master key in d.
func Kind(c *cloud.Client, d defaults.Defaults) *kind.Kind {
	var machines outbound.Machines
	if c != nil {
		machines = c.Machines
	}
	of := member.Kind[Spec]{Cloud: c, Inside: []string{"Port", "Server"}, Record: record, Token: "etcd", Word: "cluster", Patience: 10 * time.Minute,
		Place: func(s *Spec) member.Place {
			return member.Place{Cluster: s.Cluster, Port: s.PortRef, Server: s.ServerRef}
		}}
	info := of.Info("EtcdMember", "The membership of one machine in a cluster of etcd. The agent finds it by asking etcd itself. An EtcdCluster makes one for each of its machines, so you need not write it by hand.")
	info.HoldsData, info.Loss = true, []string{"its copy of the cluster's data"}
	r, with := rules{}, driver{members: of, store: etcdstore.New(c, d), etcd: etcd.Client{Machines: machines, Port: etcd.ClientPort}, master: d.Keys.Master}
	return typed.Kind[Spec, struct{}, State]{
		Info: info, Stated: r.Stated, Diff: r.Diff, Status: r.Status,
		List: with.List, Create: with.Create, Update: with.Update, Delete: with.Delete, Unmark: with.Unmark,
	}.Flat()
}

// Diff reports a leader whose machine will be interrupted, a learner, and a member that its port does not record yet.
func (rules) Diff(w want, have *State, c *kind.Changes) {
	role := have.role()
	if role == learner || role == leader && len(have.Others) > 0 && w.Ref("Server", w.Spec.ServerRef).Traffic == kind.TrafficEnds {
		c.Add(kind.Change{Field: roleField, Have: string(role), Want: string(voter)})
	}
	have.Diff(c, "cluster")
}

const roleField = "role"

// Status implements [typed.Kind].
func (rules) Status(s *State) any {
	shown := s.Shown()
	if s.ID == 0 {
		return shown
	}
	shown["role"], shown["name"] = string(s.role()), s.Name
	if s.Version != "" {
		shown["version"], shown["dbSizeBytes"] = s.Version, s.DBSize
	}
	return shown
}
