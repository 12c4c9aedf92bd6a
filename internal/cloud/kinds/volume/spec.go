// Package volume is the kind Volume: a disk that outlives servers (Cinder), in
// K-ORC's vocabulary. It knows the servers only by the attachments of the
// volume.
package volume

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/blockstorage"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the declared volume. Field names and meanings are from K-ORC
// (api/v1alpha1/volume_types.go). K-ORC never changes size and metadata; this
// kind can change them.
type Spec struct {
	Name             *string            `json:"name,omitempty" api:"name,named,trimmed" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description      *string            `json:"description,omitempty" api:"description,empty,trimmed" rule:"lines,min=1,max=255" doc:"Free text."`
	Size             int                `json:"size" api:"size" rule:"required,min=1" doc:"Size in GiB. It can grow; a smaller one makes a new, empty volume."`
	VolumeTypeRef    string             `json:"volumeTypeRef,omitempty" api:"volume_type" show:"volumeType" rule:"immutable" ways:"retype=in-place|migrate=in-place" ref:"VolumeType" doc:"Kind of storage; the cloud decides if left out."`
	AvailabilityZone string             `json:"availabilityZone,omitempty" api:"availability_zone" rule:"immutable,max=255" doc:"Availability zone of the volume; the cloud decides if left out."`
	Metadata         []define.NameValue `json:"metadata,omitempty" api:"metadata,pairs,empty" rule:"max=64" doc:"Metadata, without those of the owner mark. The entries readonly and attached_mode belong to Cinder, and are compared only if they are named here."`
	ImageRef         string             `json:"imageRef,omitempty" api:"imageRef,read=volume_image_metadata.image_id" show:"imageID" rule:"immutable" ways:"reimage=rebuild" loss:"all data on it" ref:"Image" doc:"Image that is copied to the volume, so that servers can boot from the volume."`
	SnapshotRef      string             `json:"snapshotRef,omitempty" api:"snapshot_id" show:"snapshotID" ref:"VolumeSnapshot" doc:"VolumeSnapshot whose data is copied to a new volume. This matters only when the volume is made. The volume stays when the snapshot is removed."`
	SourceVolumeRef  string             `json:"sourceVolumeRef,omitempty" api:"source_volid" show:"sourceVolID" ref:"Volume" doc:"Volume whose data is copied to a new volume. This matters only when the new volume is made. It stays when the other volume is removed."`
	BackupRef        string             `json:"backupRef,omitempty" api:"backup_id,unread" ref:"VolumeBackup" doc:"VolumeBackup that is restored to a new volume. This matters only when the volume is made. The volume stays when the backup is removed."`
	RestoreFrom      *RestoreFrom       `json:"restoreFrom,omitempty" doc:"Series of snapshots or backups. A new volume begins with the data of the newest one. This matters only when the volume is made. The volume stays when the series grows or is removed."`
}

// RestoreFrom selects a snapshot or backup of a series.
type RestoreFrom struct {
	ScheduleRef string  `json:"scheduleRef" rule:"required,min=1" doc:"VolumeSnapshotSchedule of the snapshots or backups. It must belong to this stack. Its manifest may be removed if the snapshots or backups were kept."`
	Before      *string `json:"before,omitempty" rule:"max=40" doc:"A time such as 2026-05-04T03:00:00Z: the newest snapshot or backup up to this time is restored. If left out, the newest of all." example:"2026-05-04T03:00:00Z"`
	VolumeID    *string `json:"volumeID,omitempty" rule:"min=1,max=64" doc:"ID of the volume of the snapshots, if the series has snapshots of several volumes."`
}

// More holds the fields of a volume that only Cinder sets.
type More struct {
	Status             string       `json:"status" api:"status"`
	Attachments        []Attachment `json:"attachments" api:"attachments"`
	ReplicationStatus  string       `json:"replicationStatus" api:"replication_status"`
	ConsistencyGroupID string       `json:"consistencyGroupID" api:"consistencygroup_id"`
	Host               string       `json:"host" api:"os-vol-host-attr:host"` // shown only to administrators
	UserID             string       `json:"userID" api:"user_id"`
	Bootable           bool         `json:"bootable" api:"bootable"`
	Encrypted          bool         `json:"encrypted" api:"encrypted"`
	Multiattach        bool         `json:"multiattach" api:"multiattach"`
	TenantID           string       `json:"tenantID" api:"os-vol-tenant-attr:tenant_id"` // shown only in answers to GET
	CreatedAt          table.Time   `json:"createdAt" api:"created_at"`
	UpdatedAt          table.Time   `json:"updatedAt" api:"updated_at"`
	// Reason is why the last operation on the volume failed.
	Reason string `json:"-"`
}

// Attachment says which server a volume is attached to.
type Attachment struct {
	AttachmentID string     `json:"attachmentID" api:"attachment_id"`
	ServerID     string     `json:"serverID" api:"server_id"`
	Device       string     `json:"device" api:"device"`
	AttachedAt   table.Time `json:"attachedAt" api:"attached_at"`
}

// Filter selects an existing volume.
type Filter struct {
	Name             *string `json:"name,omitempty" doc:"Exact name."`
	Description      *string `json:"description,omitempty" rule:"lines" doc:"Exact description."`
	Size             *int    `json:"size,omitempty" rule:"min=1" doc:"Size in GiB."`
	AvailabilityZone string  `json:"availabilityZone,omitempty" rule:"max=255" doc:"Availability zone of the volume."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind is the kind Volume over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Volume", Short: "vol", Service: cloud.BlockStorage, Exclusive: true,
			HoldsData: true, Loss: []string{"all data on it"}, Unmark: mark.UnmarkByProperty("volume"),
			Doc: "A disk that stays when the servers to which it is attached are deleted (Cinder).",
		},
		Collection: define.Collection{Path: "volumes", Lists: []string{"volumes/detail"}, Singular: "volume", UpdateBy: http.MethodPut, Microversion: fromBackups, Project: "os-vol-tenant-attr:tenant_id"},
		Mark:       mark.MetadataPlace,
		Overrides: []table.Override[Spec, More]{{Field: "size", Compare: compareSize}, {Field: "volumeTypeRef", Compare: compareType}, {Field: "imageRef", Closed: noReimage},
			{Field: "snapshotRef", Compare: stays("snapshotRef", snapshotOf)}, {Field: "sourceVolumeRef", Compare: stays("sourceVolumeRef", sourceOf)}, {Field: "metadata", Compare: compareMetadata}},
		Validate: validate, Observe: observe, Join: blockstorage.FailedWhy[Spec, Filter](failed), Create: create, Update: update, Delete: remove, Trace: trace, Export: exportMetadata, QuotaNeeded: takes, Impossible: impossible, Zone: func(s *Spec) string { return s.AvailabilityZone },
	})
}
