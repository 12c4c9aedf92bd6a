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
	Image                      string            `json:"image,omitempty" rule:"max=1024" doc:"Image of containers. Its tag is the version of M3DB, unless spec.defaults.m3.versions has another version for the tag. For the tag latest, or if left out, the version is 1.5.0."`
	ReplicationFactor          int               `json:"replicationFactor,omitempty" rule:"min=1,max=5,default=3,immutable" doc:"How many instances have each shard. There must be at least as many isolation groups. A later change has no effect, and a plan notes it."`
	NumberOfShards             int               `json:"numberOfShards,omitempty" rule:"min=1,max=2048,default=64,immutable" doc:"Number of shards. A later change has no effect, and a plan notes it."`
	IsolationGroups            []IsolationGroup  `json:"isolationGroups" rule:"required,min=1,max=10,key=name" doc:"Groups of instances. Each isolation group has at most one copy of a shard. Add further ones at the end." example:"[{name: a, numInstances: 1}, {name: b, numInstances: 1}, {name: c, numInstances: 1}]"`
	Namespaces                 []Namespace       `json:"namespaces" rule:"required,min=1,max=64,key=name" doc:"Namespaces of the cluster. If a namespace is removed, all its data is deleted."`
	EtcdEndpoints              []string          `json:"etcdEndpoints,omitempty" rule:"min=1,max=9,unique" doc:"Addresses of etcd, such as http://10.0.0.5:2379. If left out: etcdClusterRef, the stack's default, or an EtcdCluster NAME-etcd that is made for this cluster."`
	KeepEtcdDataOnDelete       bool              `json:"keepEtcdDataOnDelete,omitempty" doc:"Has no effect, and a plan notes a value that does not fit. If the EtcdCluster was made for this cluster, it is deleted with the cluster. In every other etcd the cluster's data stays."`
	ConfigMapName              string            `json:"configMapName,omitempty" doc:"ConfigMap with a whole configuration of M3DB of your own, as m3.yml. It must contain the addresses of etcd. Each instance must listen on port 9000, and answer on port 9002 whether it has its data. The ID of the instance is in the file /etc/m3db/pod-identity/identity, and the data must be in /var/lib/m3db."`
	PodIdentityConfig          map[string]any    `json:"podIdentityConfig,omitempty" doc:"Has no effect, and a plan notes it, because an instance is known by its machine's name, its volume and its address."`
	DataDirVolumeClaimTemplate *Claim            `json:"dataDirVolumeClaimTemplate,omitempty" doc:"Volume for the data of each instance. The request for storage of the claim is rounded up to whole GiB. The stack's default, or 10 GiB, if left out."`
	ExternalCoordinator        map[string]any    `json:"externalCoordinator,omitempty" doc:"Has no effect, and a plan notes it, because the agent asks the coordinators in the machines."`
	Labels                     map[string]string `json:"labels,omitempty" doc:"Metadata of the machines."`
	Frozen                     bool              `json:"frozen,omitempty" doc:"The agent does not change the cluster and its machines."`
	PreventScaleDown           bool              `json:"preventScaleDown,omitempty" doc:"If true, instances that were removed from the manifest stay, with their machines."`
	OnDeleteUpdateStrategy     bool              `json:"onDeleteUpdateStrategy,omitempty" doc:"If true, the group has the strategy OnDelete: a machine changes only after somebody has deleted it, or when it is broken."`
	Kubernetes

	EtcdTLSSecret  string             `json:"etcdTLSSecret,omitempty" ref:"Secret" doc:"Secret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt: the certificate that machines show to an etcd with TLS, and the authority that they trust. On the machines they are in /etc/m3db/etcd as client.crt, client.key and ca.crt. If left out, and the EtcdCluster has keys that are derived from the stack's master key (docs/etcd-tls.md), the machines get such keys, too."`
	EtcdClusterRef string             `json:"etcdClusterRef,omitempty" doc:"The EtcdCluster that this cluster uses. Its manifest must be in the repository."`
	Machine        *machine.OfCluster `json:"machine,omitempty" doc:"Settings of the machines that differ from the stack's defaults."`
	Repository     string             `json:"repository,omitempty" rule:"max=1024" doc:"Address of the file m3dbnode, or of a .tar.gz with it. {version} and {arch} (amd64, arm64) in the address are filled in. The stack's default, or M3DB's own releases, if left out."`
	Checksum       string             `json:"checksum,omitempty" rule:"pattern=^[0-9a-f]{64}$" doc:"SHA-256 of the file at that address."`
	Clients        []string           `json:"clients,omitempty" rule:"max=32,unique,format=cidr" doc:"Networks whose machines may use M3DB. The agent's network must be one of them, because the agent asks the instances. If left out, everybody who can reach the machines can use M3DB."`
}

// IsolationGroup is a group of the cluster's instances, such as the instances in one zone.
type IsolationGroup struct {
	Name                  string         `json:"name" rule:"required,format=label" doc:"Name of the isolation group."`
	NumInstances          int            `json:"numInstances" rule:"required,min=0,max=100" doc:"Number of instances in the group."`
	NodeAffinityTerms     []AffinityTerm `json:"nodeAffinityTerms,omitempty" rule:"max=16,key=key" doc:"A term whose key is zone, or ends in /zone, sets the zone of the group, if the stack's defaults.zones has one of the values. Other terms have no effect, and a plan notes them."`
	StorageClassName      string         `json:"storageClassName,omitempty" doc:"Has no effect, because all volumes have the same type. A plan notes it."`
	UsePodAntiAffinity    bool           `json:"usePodAntiAffinity,omitempty" doc:"Has no effect, because machines are always on different hosts if possible."`
	PodAffinityToplogyKey string         `json:"podAffinityToplogyKey,omitempty" doc:"Has no effect, and a plan notes it."`
	Zone                  string         `json:"zone,omitempty" doc:"Availability zone, or a name that the stack's defaults.zones maps to one. If left out: the zone that defaults.zones has for the name of the group, or else the cloud decides."`
}

// AffinityTerm selects the nodes of Kubernetes for a group.
type AffinityTerm struct {
	Key    string   `json:"key" rule:"required,min=1" doc:"Label of Kubernetes nodes."`
	Values []string `json:"values" rule:"required,min=1,max=32" doc:"Values of the label."`
}

// Namespace is a namespace of the cluster.
type Namespace struct {
	Name    string         `json:"name" rule:"required,min=1,max=255" doc:"Name of the namespace."`
	Preset  string         `json:"preset,omitempty" rule:"enum=10s:2d|1m:40d" doc:"Predefined options: values every 10 seconds for 2 days, or every minute for 40 days." example:"10s:2d"`
	Options map[string]any `json:"options,omitempty" doc:"Options of the namespace, in place of preset. They are the same as spec.options of an M3DBNamespace."`
}

// Claim is the part of a volume claim that applies to machines.
type Claim struct {
	Metadata map[string]any `json:"metadata,omitempty" doc:"Ignored."`
	Spec     struct {
		AccessModes      []string `json:"accessModes,omitempty" doc:"Ignored: a volume belongs to one machine."`
		VolumeMode       string   `json:"volumeMode,omitempty" doc:"Ignored."`
		StorageClassName string   `json:"storageClassName,omitempty" doc:"Volume type, by the stack's defaults.storageClasses; the cloud's default if defaults.storageClasses does not have the name."`
		Resources        struct {
			Requests struct {
				Storage string `json:"storage,omitempty" doc:"Size, such as 350Gi."`
			} `json:"requests,omitempty" doc:"Requested resources."`
			Limits map[string]any `json:"limits,omitempty" doc:"Ignored."`
		} `json:"resources,omitempty" doc:"Requested resources."`
	} `json:"spec,omitempty" doc:"The claim."`
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
			Doc: "A cluster of M3DB on machines of its own. It expands to a VirtualMachineGroup and a SecurityGroup of the same name, an M3DBInstance for each machine, and an M3DBNamespace for each namespace. The machines of the group run M3DB. If nothing names an etcd, the cluster also gets an EtcdCluster NAME-etcd, where NAME is its own name. One instance is added or removed at a time, and only while no shard is moving.",
		},
		Validate: r.Validate, Expand: r.Expand, Summarize: r.Summarize,
	}.Kind()
}
