// Package etcdcluster is the kind EtcdCluster: a cluster of etcd on its own machines. It expands into a group of
// machines, each with a script that runs etcd (etcd.py), and into each machine's membership in the cluster.
package etcdcluster

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the declared cluster. size, version, repository, paused, pod and TLS are fields of etcd-operator
// (coreos/etcd-operator, pkg/apis/etcd/v1beta2/cluster.go).
type Spec struct {
	Size       int    `json:"size" rule:"required,min=1,max=9" doc:"Number of members. An even size tolerates no more failures than the next lower odd size."`
	Version    string `json:"version,omitempty" rule:"default=3.4.23,pattern=^v?[0-9]+\\.[0-9]+\\.[0-9]+$" doc:"Version of etcd, 3.4 or newer. It can be raised by one minor version at a time, and never lowered."`
	Repository string `json:"repository,omitempty" rule:"max=1024" doc:"Address, http or https, of the program etcd, or of a .tar.gz with it. {version} and {arch} (amd64, arm64) in the address are filled in. If left out: the stack's default, or else Debian's package etcd-server. The name of a container image, as etcd-operator expects it here, has no effect, and a plan notes it."`
	Checksum   string `json:"checksum,omitempty" rule:"pattern=^[0-9a-f]{64}$" doc:"SHA-256 of the file at that address."`
	Paused     bool   `json:"paused,omitempty" doc:"The agent does not change the cluster and its machines."`
	Pod        *Pod   `json:"pod,omitempty" doc:"etcd-operator's settings for pods. Some of them also apply to machines. A plan notes those that have no effect."`
	TLS        *TLS   `json:"TLS,omitempty" doc:"Encryption, with certificates on both sides. A cluster without TLS cannot get TLS later, and a cluster with TLS cannot lose it."`

	Machine  *machine.OfCluster `json:"machine,omitempty" doc:"Settings of the machines that differ from the stack's defaults."`
	Storage  *Storage           `json:"storage,omitempty" doc:"A volume for the data of each member, which stays when its machine is replaced. If left out, the stack's default, or else the machine's own disk."`
	Clients  []string           `json:"clients,omitempty" rule:"max=32,unique,format=cidr" doc:"Networks whose machines may use etcd, at port 2379. The agent's network must be one of them, because the agent asks the members. If left out, everybody who can reach the machines can use etcd."`
	HAPolicy string             `json:"haPolicy,omitempty" rule:"enum=soft|hard|none,default=soft" doc:"Whether members are on different hosts. soft: if possible. hard: always."`
	Zones    []string           `json:"zones,omitempty" rule:"min=1,max=9,unique" doc:"Availability zones over which the members are spread evenly."`
}

// Storage is the volume of each member.
type Storage struct {
	Size int    `json:"size" rule:"required,min=1" doc:"Size in GiB."`
	Type string `json:"type,omitempty" doc:"Volume type; the cloud decides if left out."`
}

type rules struct {
	defaults defaults.Defaults
	now      func() time.Time
}

// Kind returns the kind EtcdCluster, with the defaults of a stack's configuration.
func Kind(d defaults.Defaults) *kind.Kind {
	r := rules{d, time.Now}
	return typed.Workload[Spec]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "EtcdCluster", Aliases: []string{"etcd.database.coreos.com/v1beta2"}, Parts: []string{"SecurityGroup", "VirtualMachineGroup", "EtcdMember"},
			Doc: "A cluster of etcd on machines of its own. It expands to a VirtualMachineGroup and a SecurityGroup of the same name, and an EtcdMember for each machine. The machines of the group run etcd. Members are added and removed one at a time. A member is never removed if the others would lose their majority.",
		},
		Validate: r.Validate, Expand: r.Expand, Summarize: r.Summarize,
	}.Kind()
}
