// Package etcdbackup is the kind EtcdBackup: snapshots of an etcd cluster that are taken at intervals and stored in
// Swift or S3. Old snapshots are removed when there are enough newer ones.
//
// Its object in the cloud is a series: all snapshots that have its mark. The time of the newest snapshot determines when
// the next is due. No other state exists, except that this process remembers the causes of the last failed attempts.
//
// The package is more than a table of fields: a series has many objects (series.go), and the driver must find a member
// whose answers it can believe (pick.go).
package etcdbackup

import (
	"net/netip"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the declared series. etcdEndpoints, storageType, backupPolicy, s3, abs, gcs, oss, clientTLSSecret and
// insecureSkipVerify are fields of etcd-operator (coreos/etcd-operator, pkg/apis/etcd/v1beta2/backup_types.go).
type Spec struct {
	ClusterRef    string        `json:"clusterRef,omitempty" ref:"EtcdCluster" rule:"min=1" doc:"EtcdCluster of the stack that is backed up."`
	EtcdEndpoints []string      `json:"etcdEndpoints,omitempty" rule:"max=9,unique" doc:"Instead of clusterRef: http://IP:PORT, or https, of all members of another cluster. They must be in a Subnet that the stack makes, or in spec.defaults.machineNetworks of its configuration." example:"http://10.0.0.7:2379"`
	StorageType   string        `json:"storageType" rule:"required,enum=Swift|S3|ABS|GCS|OSS" doc:"Swift, or S3 if the stack's configuration names such a store (spec.defaults.s3). ABS, GCS and OSS are refused."`
	Swift         *Swift        `json:"swift,omitempty" doc:"Place of the snapshots in Swift." example:"{container: example}"`
	S3            *etcdstore.S3 `json:"s3,omitempty" doc:"Instead of swift: the bucket of S3 for the snapshots, which are called STACK/NAMESPACE/NAME/TIME-REVISION.db. A path after the name of the bucket has no effect, and a plan notes it."`
	BackupPolicy  *Policy       `json:"backupPolicy,omitempty" doc:"Interval and number of the snapshots. If left out, only one snapshot is taken."`
	OnDelete      string        `json:"onDelete,omitempty" rule:"enum=keep|delete,default=keep" doc:"What happens to the snapshots when this manifest is removed. keep: the snapshots stay, with their marks. delete: all snapshots are deleted."`

	ClientTLSSecret    string         `json:"clientTLSSecret,omitempty" ref:"Secret" doc:"Secret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt: the certificate that the agent shows to members with TLS, and the authority that it trusts. If left out with clusterRef, the setting of the cluster itself."`
	InsecureSkipVerify bool           `json:"insecureSkipVerify,omitempty" doc:"Has no effect, because the certificates of members are always verified. A plan notes it."`
	ABS                map[string]any `json:"abs,omitempty" doc:"Has no effect, and a plan notes it."`
	GCS                map[string]any `json:"gcs,omitempty" doc:"Has no effect, and a plan notes it."`
	OSS                map[string]any `json:"oss,omitempty" doc:"Has no effect, and a plan notes it."`

	// MemberRefs are the members of the cluster that clusterRef names.
	MemberRefs []string `json:"-" ref:"EtcdMember,order" from:"clusterRef"`
	// SubnetRefs are the subnets that the stack makes. Members at etcdEndpoints may be in them.
	SubnetRefs []string `json:"-" ref:"Subnet,order" from:"etcdEndpoints"`
	// TLS has the settings for connections to members. It is nil without TLS.
	TLS *kind.TLS `json:"-"`
	// OperatorRef is the Secret of the cluster's manifest, if clientTLSSecret does not name one.
	OperatorRef string `json:"-" ref:"Secret" from:"clusterRef"`
}

// Swift says where snapshots are stored.
type Swift struct {
	Container string `json:"container" rule:"required,min=1" ref:"SwiftContainer" doc:"SwiftContainer of the snapshots, which are called STACK/NAMESPACE/NAME/TIME-REVISION.db."`
}

// Policy says when a snapshot is taken.
type Policy struct {
	Interval   int `json:"backupIntervalInSecond,omitempty" rule:"min=0,max=31536000" doc:"Seconds between two snapshots, 60 or more. With 0, or if left out, only one snapshot is taken. If no agent was running at one or more of these times, one snapshot is taken later." example:"3600"`
	MaxBackups int `json:"maxBackups,omitempty" rule:"min=0,max=1000" doc:"How many snapshots are kept; 1000 if left out. The oldest snapshot is deleted when a newer one exists. The last snapshot is never deleted."`
	Timeout    int `json:"timeoutInSecond,omitempty" rule:"min=0,max=14400" doc:"How many seconds a backup may take; 600 if left out."`
}

type (
	rules struct {
		s3     *defaults.S3
		within []netip.Prefix // networks of machines that the configuration names
		now    func() time.Time
	}
	want = typed.Want[Spec]
)

// Name is the name of the kind.
const Name = "EtcdBackup"

// Kind returns the kind EtcdBackup. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client, with defaults.Defaults) *kind.Kind {
	var machines outbound.Machines
	if c != nil {
		machines = c.Machines
	}
	d := driver{store: etcdstore.New(c, with), etcd: etcd.Client{Machines: machines}, now: time.Now, failures: defaults.Recall(with.Memory, Name, func() *failures { return &failures{} }), master: with.Keys.Master}
	r := rules{with.S3, with.Networks(), time.Now}
	return typed.Kind[Spec, struct{}, series]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: Name, Aliases: []string{"etcd.database.coreos.com/v1beta2"},
			Service: cloud.ObjectStore, StaysMarked: true, Rare: true, HostedOn: []string{"SwiftContainer"},
			HoldsData: true, Loss: []string{"all snapshots of the series"},
			Unmark: "openstack object unset --property stackreeve --property stackreeve-applied <container> <object>, for each snapshot of the series",
			Doc: "Regular snapshots of a cluster of etcd in Swift or S3. Old snapshots are deleted. The object in the cloud is the series of all snapshots with its mark. Plans and the brake leave out the snapshots that are taken or deleted regularly. " +
				"docs/etcd-backups.md says how to restore one. Lists do not show the owner of an object, so each pass sends one request (HEAD) for every snapshot of the stack, 16 at a time.",
		},
		Validate: r.Validate, Lasts: r.Lasts, Expand: r.Expand, Diff: r.Diff, Status: r.Status, Upkeep: r.Upkeep,
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}.Flat()
}
