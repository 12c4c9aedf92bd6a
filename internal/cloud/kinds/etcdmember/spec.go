// Package etcdmember is the kind EtcdMember: the membership of one machine in a cluster of etcd. It is not found in the
// cloud but in etcd itself, which is asked on the machines that the stack owns; an EtcdCluster makes one for each.
//
//	create   makes a learner of a machine that waits without data, or begins the cluster with the first one
//	update   promotes the learner; has a leader hand over whose machine is about to be interrupted
//	delete   ends the membership, unless the others would lose their majority
//
// A member belongs to a Port by the address in its peer URL, and bears that port's mark. Tags of the port record only that there was a member, and of
// which cluster (see whose.go). So a cluster that has lost all its data is not begun again as if it were new, and somebody else's cluster is not
// changed.
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

// Spec is what a member shall be. Its machine, its port and the member have one name: CLUSTER-0, CLUSTER-1 and so on.
type Spec struct {
	Cluster   string   `json:"cluster" rule:"required,min=1,immutable" doc:"Name of the cluster that it is a member of."`
	PortRef   string   `json:"portRef" rule:"required,min=1,immutable" ref:"Port" doc:"Port whose address the other members know it by."`
	ServerRef string   `json:"serverRef" rule:"required,min=1" ref:"Server,order" doc:"Machine that etcd runs on."`
	AfterRef  string   `json:"afterRef,omitempty" ref:"EtcdMember,order" doc:"Member that has to be there before; the first member begins the cluster."`
	Version   string   `json:"version,omitempty" doc:"Version of etcd that its machine shall have."`
	PeerRefs  []string `json:"peerRefs" rule:"required,min=1,max=9,unique,format=name" ref:"Port,order" doc:"Ports of all members."`
	// RestoreRef has it begin with a snapshot, and never without one.
	RestoreRef string `json:"restoreRef,omitempty" ref:"EtcdRestore,order" doc:"Snapshot that the first member begins the cluster with; it begins empty if left out."`
	TLS        *TLS   `json:"tls,omitempty" doc:"How members are talked to with TLS; without it if left out."`
}

// State is a member as it was found.
type State struct {
	etcd.Member
	member.State
	Version string
	Leads   bool
	DBSize  int64

	client  etcd.Client
	cluster uint64 // its ID
}

// role is what a member is in its cluster.
type role string

const (
	leader  role = "leader"
	voter   role = "voter"
	learner role = "learner" // the others have not admitted it to decisions yet
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

// record is on the ports of members that there were.
const record member.Record = etcdstore.BegunTag

type (
	rules  struct{}
	driver struct {
		member.Marked[State]
		members member.Kind[Spec]
		store   etcdstore.Store
		etcd    etcd.Client // without TLS
		master  *pki.Master // nil for none
	}
	live = typed.Live[State]
	want = typed.Want[Spec]
)

// Kind is the kind EtcdMember over c, which may be nil where only rules are needed. master is what certificates are derived from, nil for none.
func Kind(c *cloud.Client, d defaults.Defaults) *kind.Kind {
	var machines outbound.Machines
	if c != nil {
		machines = c.Machines
	}
	of := member.Kind[Spec]{Cloud: c, Inside: []string{"Port", "Server"}, Record: record, Token: "etcd", Begun: "cluster", Patience: 10 * time.Minute,
		Place: func(s *Spec) member.Place {
			return member.Place{Cluster: s.Cluster, Port: s.PortRef, Server: s.ServerRef}
		}}
	info := of.Info("EtcdMember", "The membership of one machine in a cluster of etcd. It is found by asking etcd itself. An EtcdCluster makes one for each of its machines; they are not written by hand.")
	info.HoldsData, info.Loss = true, []string{"its copy of the cluster's data"}
	r, with := rules{}, driver{members: of, store: etcdstore.New(c, d), etcd: etcd.Client{Machines: machines, Port: etcd.ClientPort}, master: d.Keys.Master}
	return typed.Kind[Spec, struct{}, State]{
		Info: info, Stated: r.Stated, Diff: r.Diff, Status: r.Status,
		List: with.List, Create: with.Create, Update: with.Update, Delete: with.Delete, Unmark: with.Unmark,
	}.Flat()
}

// Diff reports a leader whose machine is about to go, a learner, and a member of which it is not recorded that there was one.
func (rules) Diff(w want, have *State, c *kind.Changes) {
	role := have.role()
	if role == learner || role == leader && len(have.Others) > 0 && w.Ref("Server", w.Spec.ServerRef).Traffic == kind.Ends {
		c.Add(kind.Change{Field: roleField, Have: string(role), Want: string(voter)})
	}
	have.Diff(c, "cluster")
}

const roleField = "role"

// Status is that of [typed.Kind].
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
