// Package m3dbcluster is the kind M3DBCluster: a cluster of M3DB on its own machines. It expands into a group of machines, each with a
// script that runs M3DB (m3.py), into each machine's part in the cluster, and into namespaces.
package m3dbcluster

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the declared cluster. The fields up to kubernetes are those of m3db-operator (m3db/m3db-operator,
// pkg/apis/m3dboperator/v1alpha1/cluster.go).
type Spec struct {
	Image                      string            `json:"image,omitempty" rule:"max=1024" doc:"Image of containers; its tag is the version of M3DB, if spec.defaults.m3.versions does not say another. 1.5.0 for latest, or if left out."`
	ReplicationFactor          int               `json:"replicationFactor,omitempty" rule:"min=1,max=5,default=3,immutable" doc:"How many instances have each shard. It takes as many isolation groups."`
	NumberOfShards             int               `json:"numberOfShards,omitempty" rule:"min=1,max=2048,default=64,immutable" doc:"Number of shards."`
	IsolationGroups            []IsolationGroup  `json:"isolationGroups" rule:"required,min=1,max=10" doc:"Parts of the instances, no two of which have a shard twice. Add further ones at the end." example:"[{name: a, numInstances: 1}, {name: b, numInstances: 1}, {name: c, numInstances: 1}]"`
	Namespaces                 []Namespace       `json:"namespaces" rule:"required,min=1,max=64" doc:"Namespaces. Removing one deletes all data in it."`
	EtcdEndpoints              []string          `json:"etcdEndpoints,omitempty" rule:"min=1,max=9,unique" doc:"Addresses of etcd, such as http://10.0.0.5:2379; etcdClusterRef, the stack's default, or an EtcdCluster NAME-etcd that is made for it, if left out."`
	KeepEtcdDataOnDelete       bool              `json:"keepEtcdDataOnDelete,omitempty" doc:"What etcd holds of the cluster stays in any case, unless that was made for it and goes with it; noted where that is another than asked for."`
	ConfigMapName              string            `json:"configMapName,omitempty" doc:"ConfigMap with the whole configuration of M3DB, as m3.yml, for when it is another than usual. It says where etcd is. Nodes listen on port 9000, and say on 9002 whether they have their data. The ID of the instance is in the file /etc/m3db/pod-identity/identity, and the data belongs in /var/lib/m3db."`
	PodIdentityConfig          map[string]any    `json:"podIdentityConfig,omitempty" doc:"Not used, and noted: an instance is known by its machine's name, its volume and its address."`
	DataDirVolumeClaimTemplate *Claim            `json:"dataDirVolumeClaimTemplate,omitempty" doc:"Volume for the data of each instance: its request for storage in whole GiB, rounded up. The stack's default, or 10 GiB, if left out."`
	ExternalCoordinator        map[string]any    `json:"externalCoordinator,omitempty" doc:"Not used, and noted: the coordinators in the machines are asked."`
	Labels                     map[string]string `json:"labels,omitempty" doc:"Metadata of the machines."`
	Frozen                     bool              `json:"frozen,omitempty" doc:"Leaves the cluster, and all its machines, exactly as they are."`
	PreventScaleDown           bool              `json:"preventScaleDown,omitempty" doc:"Keeps instances, and their machines, that are not wanted any more."`
	OnDeleteUpdateStrategy     bool              `json:"onDeleteUpdateStrategy,omitempty" doc:"Changes a machine only when somebody has deleted it, or it is broken."`
	Kubernetes

	EtcdTLSSecret  string             `json:"etcdTLSSecret,omitempty" ref:"Secret" doc:"Secret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt: what machines show to an etcd with TLS, and whose certificates they trust; in /etc/m3db/etcd as client.crt, client.key and ca.crt. Derived keys if left out and the EtcdCluster has those."`
	EtcdClusterRef string             `json:"etcdClusterRef,omitempty" doc:"EtcdCluster of the repository that it uses."`
	Machine        *machine.OfCluster `json:"machine,omitempty" doc:"What the machines are, as far as it is not the stack's default."`
	Repository     string             `json:"repository,omitempty" rule:"max=1024" doc:"Address of M3DB itself, m3dbnode or a .tar.gz with it, {version} and {arch} (amd64, arm64) filled in; the stack's default, or its own releases, if left out."`
	Checksum       string             `json:"checksum,omitempty" rule:"pattern=^[0-9a-f]{64}$" doc:"SHA-256 of what is at that address."`
	Clients        []string           `json:"clients,omitempty" rule:"max=32,unique,format=cidr" doc:"Networks from which M3DB is used, the agent's among them; anybody who reaches the machines if left out."`
}

// IsolationGroup is a part of the instances.
type IsolationGroup struct {
	Name                  string         `json:"name" rule:"required,format=label" doc:"What it is called."`
	NumInstances          int            `json:"numInstances" rule:"required,min=0,max=100" doc:"How many instances are in it."`
	NodeAffinityTerms     []AffinityTerm `json:"nodeAffinityTerms,omitempty" rule:"max=16" doc:"A term about the zone names the zone, if the stack's defaults.zones has it; others are noted."`
	StorageClassName      string         `json:"storageClassName,omitempty" doc:"Not used, and noted: all volumes have the same type."`
	UsePodAntiAffinity    bool           `json:"usePodAntiAffinity,omitempty" doc:"Machines are on different hosts where possible, in any case."`
	PodAffinityToplogyKey string         `json:"podAffinityToplogyKey,omitempty" doc:"Not used, and noted."`
	Zone                  string         `json:"zone,omitempty" doc:"Availability zone, or a name that the stack's defaults.zones maps to one. If left out: what defaults.zones has for its name, or else the cloud decides."`
}

// AffinityTerm selects the nodes of Kubernetes for a group.
type AffinityTerm struct {
	Key    string   `json:"key" rule:"required,min=1" doc:"Label of nodes."`
	Values []string `json:"values" rule:"required,min=1,max=32" doc:"Its values."`
}

// Namespace is one of the cluster's.
type Namespace struct {
	Name    string         `json:"name" rule:"required,min=1,max=255" doc:"What it is called."`
	Preset  string         `json:"preset,omitempty" rule:"enum=10s:2d|1m:40d" doc:"Options that are usual: values every 10 seconds for 2 days, or every minute for 40 days." example:"10s:2d"`
	Options map[string]any `json:"options,omitempty" doc:"Those of an M3DBNamespace."`
}

// Claim is the part of a volume claim that applies to machines.
type Claim struct {
	Metadata map[string]any `json:"metadata,omitempty" doc:"Ignored."`
	Spec     struct {
		AccessModes      []string `json:"accessModes,omitempty" doc:"Ignored: a volume belongs to one machine."`
		VolumeMode       string   `json:"volumeMode,omitempty" doc:"Ignored."`
		StorageClassName string   `json:"storageClassName,omitempty" doc:"Volume type, by the stack's defaults.storageClasses; the cloud's default if that does not have it."`
		Resources        struct {
			Requests struct {
				Storage string `json:"storage,omitempty" doc:"Size, such as 350Gi."`
			} `json:"requests,omitempty" doc:"How much it asks for."`
			Limits map[string]any `json:"limits,omitempty" doc:"Ignored."`
		} `json:"resources,omitempty" doc:"How much it asks for."`
	} `json:"spec,omitempty" doc:"What it asks for."`
}

type rules struct {
	defaults defaults.Defaults
	now      func() time.Time
}

// Kind is the kind M3DBCluster, with the defaults of a stack's configuration.
func Kind(d defaults.Defaults) *kind.Kind {
	r := rules{d, time.Now}
	return typed.Workload[Spec]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "M3DBCluster", Aliases: []string{"operator.m3db.io"}, Parts: []string{"EtcdCluster", "SecurityGroup", "VirtualMachineGroup", "M3DBInstance", "M3DBNamespace"},
			Doc: "A cluster of M3DB on machines of its own. It stands for a VirtualMachineGroup NAME, whose machines run M3DB, and a SecurityGroup NAME. It also stands for an M3DBInstance for each machine, an M3DBNamespace for each namespace, and an EtcdCluster NAME-etcd if it names none. Instances are added and removed one at a time, while no shard is moving.",
		},
		Validate: r.Validate, Expand: r.Expand, Summarize: r.Summarize,
	}.Kind()
}
