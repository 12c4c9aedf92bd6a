// Package etcdbackup is the kind EtcdBackup: snapshots of a cluster of etcd that are taken at intervals and stored in Swift or S3. They are
// removed when there are enough newer ones.
//
// Its object in the cloud is the series of all snapshots that bear its mark. The newest one shows when the next is due. No other state exists,
// except for the causes of the last failed attempts, which this process remembers.
//
// The package is longer than its table: a series has many objects (series.go), and the driver must find a member that it can believe (pick.go).
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

// Spec is the declared series. etcdEndpoints, storageType, backupPolicy, s3, abs, gcs, oss, clientTLSSecret and insecureSkipVerify are those of
// etcd-operator (coreos/etcd-operator, pkg/apis/etcd/v1beta2/backup_types.go).
type Spec struct {
	ClusterRef    string        `json:"clusterRef,omitempty" ref:"EtcdCluster" rule:"min=1" doc:"EtcdCluster of the stack that is backed up."`
	EtcdEndpoints []string      `json:"etcdEndpoints,omitempty" rule:"max=9,unique" doc:"In place of clusterRef: addresses of all members of another cluster, by IP address: in a Subnet that the stack makes, or in spec.defaults.machineNetworks of its configuration." example:"http://10.0.0.7:2379"`
	StorageType   string        `json:"storageType" rule:"required,enum=Swift|S3|ABS|GCS|OSS" doc:"Swift, or S3 where the stack's configuration names such a store (spec.defaults.s3); the others have to be changed to one of them."`
	Swift         *Swift        `json:"swift,omitempty" doc:"Where snapshots are kept." example:"{container: example}"`
	S3            *etcdstore.S3 `json:"s3,omitempty" doc:"In place of swift: where in S3 snapshots are kept, as STACK/NAMESPACE/NAME/TIME-REVISION.db in its bucket. What stands behind the bucket has no meaning, and is noted."`
	BackupPolicy  *Policy       `json:"backupPolicy,omitempty" doc:"When one is taken, and how many are kept; one is taken, once, if left out."`
	OnDelete      string        `json:"onDelete,omitempty" rule:"enum=keep|delete,default=keep" doc:"What becomes of the snapshots when this manifest goes. keep: they stay where they are, with their marks. delete: all of them go, too."`

	ClientTLSSecret    string         `json:"clientTLSSecret,omitempty" ref:"Secret" doc:"Secret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt: what the agent shows to members with TLS, and whose certificates it trusts. What the cluster itself says if left out with clusterRef."`
	InsecureSkipVerify bool           `json:"insecureSkipVerify,omitempty" doc:"Has no meaning, since the certificates of members are always verified, and is noted."`
	ABS                map[string]any `json:"abs,omitempty" doc:"Has no meaning, and is noted."`
	GCS                map[string]any `json:"gcs,omitempty" doc:"Has no meaning, and is noted."`
	OSS                map[string]any `json:"oss,omitempty" doc:"Has no meaning, and is noted."`

	// MemberRefs are the members of the cluster, which the repository knows.
	MemberRefs []string `json:"-" ref:"EtcdMember,order"`
	// SubnetRefs are the stack's own, in which members at etcdEndpoints may be.
	SubnetRefs []string `json:"-" ref:"Subnet,order"`
	// TLS are the settings for connections to members; nil without TLS.
	TLS *kind.TLS `json:"-"`
	// OperatorRef is the Secret of the cluster's manifest, if clientTLSSecret does not name one.
	OperatorRef string `json:"-" ref:"Secret"`
}

// Swift says where snapshots are stored.
type Swift struct {
	Container string `json:"container" rule:"required,min=1" ref:"SwiftContainer" doc:"SwiftContainer that they are in, as STACK/NAMESPACE/NAME/TIME-REVISION.db."`
}

// Policy says when a snapshot is taken.
type Policy struct {
	Interval   int `json:"backupIntervalInSecond,omitempty" rule:"min=0,max=31536000" doc:"After how many seconds the next one is taken, 60 at least; one is taken, once, if left out. For moments at which nobody was there to take one, one is taken later." example:"3600"`
	MaxBackups int `json:"maxBackups,omitempty" rule:"min=0,max=1000" doc:"How many are kept; 1000 if left out. The oldest goes once a newer one is there; the last one never."`
	Timeout    int `json:"timeoutInSecond,omitempty" rule:"min=0,max=14400" doc:"How many seconds one may take; 600 if left out."`
}

type (
	rules struct {
		s3     *defaults.S3
		within []netip.Prefix // that the configuration names
		now    func() time.Time
	}
	want = typed.Want[Spec]
)

// Name is the name of the kind.
const Name = "EtcdBackup"

// Kind is the kind EtcdBackup over c, which may be nil where only rules are needed.
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
			Unmark: "openstack object unset --property stackreeve --property stackreeve-applied <container> <object>, for each of the series",
			Doc: "Snapshots of a cluster of etcd that are taken again and again, of which some are kept, in Swift or S3. The object in the cloud is the series of those that bear its mark. " +
				"Taking one and removing an old one is no change: neither plans nor the brake count it. How one is restored is in docs/clusters.md. Lists do not show whose an object is, so each pass makes a request (HEAD) for every snapshot of the stack, 16 at a time.",
		},
		Validate: r.Validate, Lasts: r.Lasts, Expand: r.Expand, Diff: r.Diff, Status: r.Status, Upkeep: r.Upkeep,
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}.Flat()
}
