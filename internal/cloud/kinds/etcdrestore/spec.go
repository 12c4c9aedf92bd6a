// Package etcdrestore is the kind EtcdRestore: the snapshot that an etcd cluster begins with. It finds the snapshot in
// Swift or S3, and reads whether the cluster has begun. The first EtcdMember begins the cluster.
//
// It creates no object in the cloud. A tag on the ports of the members records that a cluster has begun with a snapshot.
// The first member writes it before its machine starts etcd. If the ports record members but have no such tag, the
// cluster has begun without the snapshot. Then nothing is restored, because that would overwrite its data.
package etcdrestore

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec declares the snapshot that a cluster begins with. etcdCluster, backupStorageType, s3, abs, gcs and oss are fields
// of etcd-operator (coreos/etcd-operator, pkg/apis/etcd/v1beta2/restore_types.go).
type Spec struct {
	EtcdCluster Cluster       `json:"etcdCluster" rule:"required" doc:"The cluster that is created from the snapshot. It must not exist yet." example:"{name: example}"`
	StorageType string        `json:"backupStorageType,omitempty" rule:"enum=Swift|S3|ABS|GCS|OSS,default=Swift" doc:"Swift, or S3 if the stack's configuration names such a store (spec.defaults.s3). Change other values to one of these."`
	Swift       *Swift        `json:"swift,omitempty" doc:"Place of the snapshot in Swift." example:"{container: example}"`
	S3          *etcdstore.S3 `json:"s3,omitempty" doc:"Instead of swift: the snapshot in S3. If no object is named, the newest snapshot of the bucket is used, and all snapshots in the bucket must belong to one series."`
	BackupRef   string        `json:"backupRef,omitempty" rule:"min=1,max=255" doc:"Instead of swift and s3: an EtcdBackup of the stack, even if its manifest was removed. The newest of its snapshots is used."`

	ABS map[string]any `json:"abs,omitempty" doc:"Has no effect, and a plan notes it."`
	GCS map[string]any `json:"gcs,omitempty" doc:"Has no effect, and a plan notes it."`
	OSS map[string]any `json:"oss,omitempty" doc:"Has no effect, and a plan notes it."`
}

// Cluster names the cluster that begins with the snapshot.
type Cluster struct {
	Name string `json:"name" rule:"required,min=1" ref:"EtcdCluster" doc:"EtcdCluster of the stack."`
}

// Swift says where a snapshot is. The agent only reads it, regardless of its owner.
type Swift struct {
	Container string `json:"container" rule:"required,min=1,max=256" doc:"A SwiftContainer of the stack, or else a container of the project by its name."`
	Object    string `json:"object,omitempty" rule:"max=1024" doc:"Name of the snapshot. If left out, the newest snapshot of the container is used, and all snapshots in the container must belong to one series. Its metadata must contain its SHA-256 digest, as in the snapshots that an EtcdBackup writes."`
}

// State is the known state of a restore.
type State struct {
	source   *etcdstore.Object // the selected snapshot; nil if there is none.
	trouble  string            // why there is no source.
	begun    bool              // whether the cluster exists or existed.
	restored string            // the digest of the selection that the cluster began with; "" if there is none.
	untagged []string          // members' ports that lack the tag of the restore.
}

type (
	rules  struct{ s3 *defaults.S3 }
	driver struct {
		cloud *cloud.Client
		store etcdstore.Store
	}
	live = typed.Live[State]
	want = typed.Want[Spec]
)

// Kind returns the kind EtcdRestore. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client, d defaults.Defaults) *kind.Kind {
	r, with := rules{d.S3}, driver{c, etcdstore.New(c, d)}
	return typed.Kind[Spec, struct{}, State]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "EtcdRestore", Aliases: []string{"etcd.database.coreos.com/v1beta2"},
			Service: cloud.ObjectStore, FixedMark: true, StaysMarked: true, Rare: true, HostedOn: []string{"Port", "SwiftContainer"}, Unmark: "the object has no mark of its own",
			Doc: "A snapshot from which an EtcdCluster is created, instead of creating it without data. The snapshot is restored once, if the cluster did not exist before, and has no effect after that. " +
				"No snapshot is restored over an existing cluster. When its manifest is removed, nothing changes in the cloud.",
		},
		Validate: r.Validate, Diff: r.Diff, Status: r.Status,
		List: with.List, Create: with.Create, Update: with.Update, Delete: with.Delete, Unmark: with.Unmark,
	}.Flat()
}
