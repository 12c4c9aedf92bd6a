// Package volumebackup is the kind VolumeBackup: a copy of a volume that outlives it (Cinder).
//
// The kind needs more than a table of fields:
//   - The source of a backup is not compared.
//   - The answer to a create request contains only an ID.
//   - The backup on which an incremental backup is based must be found among all backups.
//   - From microversion 3.43 on, Cinder accepts metadata and the other fields in one update.
package volumebackup

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a backup. Values are from Cinder (cinder/api/schemas/backups.py). Only the create request uses the source: a backup is
// never replaced because its volume no longer exists or the manifest names another one.
type Spec struct {
	Name             *string            `json:"name,omitempty" api:"name,named,trimmed" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description      *string            `json:"description,omitempty" api:"description,empty,trimmed" rule:"lines,min=1,max=255" doc:"Free text."`
	VolumeRef        string             `json:"volumeRef" api:"volume_id" show:"volumeID" rule:"required,min=1" ref:"Volume" doc:"Volume that is copied. This matters only when the backup is made. The backup stays when the volume is removed or replaced."`
	SnapshotRef      string             `json:"snapshotRef,omitempty" api:"snapshot_id" show:"snapshotID" ref:"VolumeSnapshot" doc:"VolumeSnapshot of that volume which is copied; the volume itself if left out. This matters only when the backup is made."`
	Incremental      bool               `json:"incremental,omitempty" api:"incremental,read=is_incremental" doc:"Whether only the changes since the volume's latest backup are copied. That backup then cannot be deleted before this one. This matters only when the backup is made."`
	Force            bool               `json:"force,omitempty" api:"force,unread" doc:"Whether it may be made while the volume is attached to a server, which may be writing. This matters only when the backup is made."`
	Container        string             `json:"container,omitempty" api:"container" rule:"max=255" doc:"Place of the backup, in the form of the cloud's backup service; the cloud decides if left out. This matters only when the backup is made."`
	AvailabilityZone string             `json:"availabilityZone,omitempty" api:"availability_zone" rule:"max=255" doc:"Zone of the service that makes it; the cloud decides if left out. This matters only when the backup is made."`
	Metadata         []define.NameValue `json:"metadata,omitempty" api:"metadata,pairs,empty" rule:"max=64" doc:"Metadata, besides those that mark the owner."`
}

// More holds the fields of a backup that only Cinder sets.
type More struct {
	Status     string     `json:"status" api:"status"`
	Size       int        `json:"size" api:"size"`
	FailReason string     `json:"failReason" api:"fail_reason"`
	Dependents bool       `json:"hasDependentBackups" api:"has_dependent_backups"`
	CreatedAt  table.Time `json:"createdAt" api:"created_at"`
	UpdatedAt  table.Time `json:"updatedAt" api:"updated_at"`

	parent string // ID of the backup on which an incremental backup is based
}

// Filter selects an existing backup.
type Filter struct {
	define.NameFilter `json:",inline"`
	VolumeRef         string `json:"volumeRef,omitempty" ref:"Volume" doc:"Volume of the snapshot or backup."`
}

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
	odd    = table.Override[Spec, More]
)

// Kind returns the kind VolumeBackup. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "VolumeBackup", Service: cloud.BlockStorage, Exclusive: true,
			HoldsData: true, Loss: []string{"the copy of the volume"}, Unmark: mark.UnmarkByProperty("volume backup"),
			Doc: "A copy of a Volume in the cloud's backup service, which stays when the volume is deleted (Cinder, from API version 3.43). It is made once and never replaced. " +
				"A manifest with another name makes another backup.",
		},
		Collection: define.Collection{Path: "backups", Lists: []string{"backups/detail"}, Singular: "backup", UpdateBy: http.MethodPut, Microversion: newest,
			Project: "os-backup-project-attr:project_id"},
		Mark: place,
		Overrides: []odd{once("volumeRef", func(s *Spec) (string, string) { return "Volume", s.VolumeRef }), once("snapshotRef", func(s *Spec) (string, string) { return "VolumeSnapshot", s.SnapshotRef }),
			{Field: "incremental", Compare: stays}, {Field: "container", Compare: stays}, {Field: "availabilityZone", Compare: stays}},
		Validate: validate, Join: findParents, Observe: observe, Create: create, Update: update, Delete: remove, Unmark: unmark, QuotaNeeded: define.One[Spec](cloud.BlockStorage, "backups"),
		Zone: func(s *Spec) string { return s.AvailabilityZone },
	})
}
