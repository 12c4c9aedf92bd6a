// Package volume is the kind Volume: a disk that outlives servers (Cinder), in
// K-ORC's vocabulary. It knows nothing of the servers that it is attached to.
package volume

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a volume shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/volume_types.go). Size and metadata, which K-ORC never
// changes, can be changed here.
type Spec struct {
	Name             *string           `json:"name,omitempty" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description      *string           `json:"description,omitempty" rule:"min=1,max=255" doc:"Free text."`
	Size             int               `json:"size" rule:"required,min=1" doc:"Size in GiB. It can grow; a smaller one makes a new, empty volume."`
	VolumeTypeRef    string            `json:"volumeTypeRef,omitempty" rule:"immutable" ref:"VolumeType" doc:"Kind of storage; the cloud decides if left out."`
	AvailabilityZone string            `json:"availabilityZone,omitempty" rule:"immutable,max=255" doc:"Where it is stored; the cloud decides if left out."`
	Metadata         []cloud.NameValue `json:"metadata,omitempty" rule:"max=64" doc:"Metadata, besides those that mark the owner."`
	ImageRef         string            `json:"imageRef,omitempty" rule:"immutable" ref:"Image" doc:"Image that is copied onto it, so that servers can boot from it."`
}

// Filter says which existing volume is meant.
type Filter struct {
	Name             *string `json:"name,omitempty" doc:"Exact name."`
	Description      *string `json:"description,omitempty" doc:"Exact description."`
	Size             *int    `json:"size,omitempty" rule:"min=1" doc:"Size in GiB."`
	AvailabilityZone string  `json:"availabilityZone,omitempty" rule:"max=255" doc:"Where it is stored."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

// State is a volume as Cinder shows it.
type State struct {
	ID               string            `json:"id"`
	Name             string            `json:"name"`
	Description      string            `json:"description"`
	Status           string            `json:"status"`
	Size             int               `json:"size"`
	VolumeType       string            `json:"volume_type"` // its name
	AvailabilityZone string            `json:"availability_zone"`
	Metadata         map[string]string `json:"metadata"`
	ProjectID        *string           `json:"os-vol-tenant-attr:tenant_id"` // only in answers to GET
	UserID           string            `json:"user_id"`
	Bootable         string            `json:"bootable"`
	Encrypted        bool              `json:"encrypted"`
	Multiattach      bool              `json:"multiattach"`
	SnapshotID       string            `json:"snapshot_id"`
	SourceVolumeID   string            `json:"source_volid"`
	BackupID         string            `json:"backup_id"` // from 3.47
	Replication      string            `json:"replication_status"`
	ConsistencyGroup string            `json:"consistencygroup_id"`
	Host             string            `json:"os-vol-host-attr:host"` // for administrators
	CreatedAt        string            `json:"created_at"`
	UpdatedAt        string            `json:"updated_at"`
	Image            struct {
		ID string `json:"image_id"`
	} `json:"volume_image_metadata"`
	Attachments []struct {
		ID         string `json:"attachment_id"`
		ServerID   string `json:"server_id"`
		Device     string `json:"device"`
		AttachedAt string `json:"attached_at"`
	} `json:"attachments"`
}

type rules struct{}

// Kind is the kind Volume over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "Volume", Service: cloud.BlockStorage,
		Loss: []string{"all data on it"}, Unmark: cloud.UnmarkByProperty("volume"),
		Doc: "A disk that outlives the servers it is attached to (Cinder).",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

func (rules) Validate(s *Spec, r *kind.Report) {
	seen := map[string]bool{}
	for i, m := range s.Metadata {
		field := fmt.Sprintf("spec.resource.metadata[%d].name", i)
		switch {
		case seen[m.Name]:
			r.Problem(field, "is given twice", "keep one of them")
		case kind.ReservedKey(m.Name):
			r.Problem(field, "is reserved for the mark of the owner", "choose another name")
		}
		seen[m.Name] = true
	}
}

func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	want := w.Spec
	kind.Field(c, "spec.resource.name", have.Name, rules{}.Name(w))
	kind.Field(c, "spec.resource.description", have.Description, cloud.Or(want.Description, ""))
	kind.Field(c, "spec.resource.metadata", cloud.UserMetadata(have.Metadata), metadata(want))
	if want.Size < have.Size {
		kind.Fixed(c, "spec.resource.size", have.Size, want.Size)
	} else {
		kind.Field(c, "spec.resource.size", have.Size, want.Size)
	}
	if want.AvailabilityZone != "" {
		kind.Fixed(c, "spec.resource.availabilityZone", have.AvailabilityZone, want.AvailabilityZone)
	}
	if t := w.Ref("VolumeType", want.VolumeTypeRef); t.ID != "" {
		kind.Fixed(c, "spec.resource.volumeTypeRef", have.VolumeType, t.Attr["name"])
	}
	kind.Link(c, "spec.resource.imageRef", have.Image.ID, w.Ref("Image", want.ImageRef), kind.Replace)
}

func metadata(s *Spec) map[string]string {
	out := make(map[string]string, len(s.Metadata))
	for _, m := range s.Metadata {
		out[m.Name] = m.Value
	}
	return out
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	return cloud.Is(f.Name, have.Name) && cloud.Is(f.Description, have.Description) && cloud.Is(f.Size, have.Size) &&
		(f.AvailabilityZone == "" || f.AvailabilityZone == have.AvailabilityZone)
}

// phase says where a volume stands. (cinder/objects/fields.py: VolumeStatus)
//
//	available, in-use, reserved     ready
//	deleting                        deleting
//	error, soon after its creation  failed: making it did not succeed
//	error later, error_…            degraded: it may hold data
//	creating, attaching, …          pending
func (s *State) phase() (kind.Phase, string) {
	switch {
	case s.Status == "available" || s.Status == "in-use" || s.Status == "reserved":
		return kind.Ready, ""
	case s.Status == "deleting":
		return kind.Deleting, "is being deleted"
	case s.Status == "error" && s.young():
		return kind.Failed, "is in the status error; the cloud gives no reason (often: no storage has room for it, or the image cannot be copied)"
	case strings.HasPrefix(s.Status, "error"):
		return kind.Degraded, "is in the status " + s.Status + "; it may hold data, so it is not made anew: reset its status, or delete it"
	}
	return kind.Pending, "is " + s.Status
}

// copied says what shows that the mark on a volume is a copy. Cinder puts the
// metadata of a volume into its backups, and from there onto whatever a backup is
// restored to, beside src_backup_id (cinder/backup/driver.py: _restore_vol_meta,
// backup/manager.py: restore_backup); it clones volumes with their metadata when
// it makes images of them (volume/manager.py: _clone_image_volume). What we make
// ourselves comes from no volume, snapshot or backup. What was adopted may: it
// holds its own ID beside the mark since.
func (s *State) copied() string {
	self, backup := s.Metadata[cloud.SelfKey], s.Metadata[sourceBackup]
	switch {
	case cloud.MarkInMetadata(s.Metadata) == nil || self == s.ID:
		return ""
	case backup != "" || s.BackupID != "":
		return "was restored from backup " + cmp.Or(backup, s.BackupID)
	case s.SnapshotID != "":
		return "was made from snapshot " + s.SnapshotID
	case s.SourceVolumeID != "":
		return "was made from volume " + s.SourceVolumeID
	case self != "":
		return "has the metadata of volume " + self
	}
	return ""
}

// sourceBackup is the metadata key in which Cinder says which backup a volume
// was restored from.
const sourceBackup = "src_backup_id"

// young tells whether the volume was last touched within an hour of its
// creation: no copy of an image takes longer, and nobody has used it since.
func (s *State) young() bool {
	created, err := time.Parse(timeFormat, s.CreatedAt)
	updated, err2 := time.Parse(timeFormat, s.UpdatedAt)
	return err != nil || err2 != nil || updated.Sub(created) < time.Hour
}

const timeFormat = "2006-01-02T15:04:05.999999"

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name             string               `json:"name"`
	Description      string               `json:"description,omitempty"`
	Size             int                  `json:"size"`
	Status           string               `json:"status"`
	AvailabilityZone string               `json:"availabilityZone,omitempty"`
	Attachments      []ObservedAttachment `json:"attachments,omitempty"`
	VolumeType       string               `json:"volumeType,omitempty"`
	SnapshotID       string               `json:"snapshotID,omitempty"`
	SourceVolID      string               `json:"sourceVolID,omitempty"`
	BackupID         string               `json:"backupID,omitempty"`
	Replication      string               `json:"replicationStatus,omitempty"`
	ConsistencyGroup string               `json:"consistencyGroupID,omitempty"`
	Host             string               `json:"host,omitempty"`
	Metadata         []cloud.NameValue    `json:"metadata,omitempty"`
	UserID           string               `json:"userID,omitempty"`
	Bootable         bool                 `json:"bootable"`
	ImageID          string               `json:"imageID,omitempty"`
	Encrypted        bool                 `json:"encrypted"`
	Multiattach      bool                 `json:"multiattach"`
	TenantID         string               `json:"tenantID,omitempty"`
	CreatedAt        string               `json:"createdAt,omitempty"`
	UpdatedAt        string               `json:"updatedAt,omitempty"`
}

// ObservedAttachment says which server a volume is attached to.
type ObservedAttachment struct {
	AttachmentID string `json:"attachmentID"`
	ServerID     string `json:"serverID"`
	Device       string `json:"device"`
	AttachedAt   string `json:"attachedAt,omitempty"`
}

func (rules) Status(s *State) any {
	o := Observed{Name: s.Name, Description: s.Description, Size: s.Size, Status: s.Status, AvailabilityZone: s.AvailabilityZone,
		VolumeType: s.VolumeType, SnapshotID: s.SnapshotID, SourceVolID: s.SourceVolumeID,
		BackupID: s.BackupID, Replication: s.Replication, ConsistencyGroup: s.ConsistencyGroup, Host: s.Host, Metadata: cloud.NameValues(cloud.UserMetadata(s.Metadata)),
		UserID: s.UserID, Bootable: s.Bootable == "true", ImageID: s.Image.ID, Encrypted: s.Encrypted, Multiattach: s.Multiattach,
		TenantID: cloud.Or(s.ProjectID, ""), CreatedAt: timestamp(s.CreatedAt), UpdatedAt: timestamp(s.UpdatedAt)}
	for _, a := range s.Attachments {
		o.Attachments = append(o.Attachments, ObservedAttachment{AttachmentID: a.ID, ServerID: a.ServerID, Device: a.Device, AttachedAt: timestamp(a.AttachedAt)})
	}
	return o
}

func timestamp(text string) string {
	t, err := time.Parse(timeFormat, text)
	if err != nil {
		return ""
	}
	return cloud.Timestamp(t)
}
