package volume

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type state = define.PlainState[Spec, More]

func validate(s *Spec, r *kind.Report) {
	var names []string
	for _, m := range s.Metadata {
		names = append(names, m.Name)
	}
	mark.CheckMetadata(r, "name", names)
}

// compareSize replaces a volume that shall be smaller.
func compareSize(w kind.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	cost := kind.InPlace
	if w.Spec.Size < have.Spec.Size {
		cost = kind.Replace
	}
	kind.Costs(c, "spec.resource.size", have.Spec.Size, w.Spec.Size, cost)
}

// compareType compares names: Cinder shows that of the type.
func compareType(w kind.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if t := w.Ref("VolumeType", w.Spec.VolumeTypeRef); t.ID != "" {
		kind.Fixed(c, "spec.resource.volumeTypeRef", have.Spec.VolumeTypeRef, t.Facts.Name)
	}
}

func observe(s *state, live *kind.Live[*state]) {
	live.Phase, live.Message = phase(&s.More)
	live.Copied, live.InUse = copied(s), len(s.More.Attachments) > 0 || s.More.Status == "in-use"
	live.Created = s.More.CreatedAt.Time
	if live.Mark != nil && live.Mark.Applied == "" {
		live.Mark.Applied = kind.Unreadable // it is made in one request: somebody has emptied the digest
	}
}

// phase says where a volume stands. (cinder/objects/fields.py: VolumeStatus)
//
//	available, in-use, reserved     ready
//	deleting                        deleting
//	error, soon after its creation  failed: making it did not succeed
//	error later, error_…            degraded: it may hold data
//	creating, attaching, …          pending
func phase(s *More) (kind.Phase, string) {
	switch {
	case s.Status == "available" || s.Status == "in-use" || s.Status == "reserved":
		return kind.Ready, ""
	case s.Status == "deleting":
		return kind.Deleting, "is being deleted"
	case s.Status == "error" && young(s):
		return kind.Failed, "is in the status error; the cloud gives no reason (often: no storage has room for it, or the image cannot be copied)"
	case strings.HasPrefix(s.Status, "error"):
		return kind.Degraded, "is in the status " + s.Status + "; it may hold data, so it is not recreated: reset its status, or delete it"
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
func copied(s *state) string {
	backup := ""
	for _, m := range s.Spec.Metadata {
		if m.Name == sourceBackup {
			backup = m.Value
		}
	}
	switch {
	case s.Mark == nil || s.Self == s.ID:
		return ""
	case backup != "" || s.More.BackupID != "":
		return "was restored from backup " + cmp.Or(backup, s.More.BackupID)
	case s.More.SnapshotID != "":
		return "was made from snapshot " + s.More.SnapshotID
	case s.More.SourceVolID != "":
		return "was made from volume " + s.More.SourceVolID
	case s.Self != "":
		return "has the metadata of volume " + s.Self
	}
	return ""
}

// sourceBackup is the metadata key in which Cinder says which backup a volume
// was restored from.
const sourceBackup = "src_backup_id"

// young reports whether the volume was last touched within an hour of its
// creation: no copy of an image takes longer, and nobody has used it since.
func young(s *More) bool {
	return s.CreatedAt.IsZero() || s.UpdatedAt.IsZero() || s.UpdatedAt.Sub(s.CreatedAt.Time) < time.Hour
}

// trace is the time of the last change. Cinder does not count metadata as a
// part of the volume, and does not say who it was.
func trace(_ context.Context, _ driver, have kind.Live[*state], changes []kind.Change) (t kind.Trace, ok bool, err error) {
	if have.State == nil { // it is gone
		return t, false, nil
	}
	t.When = have.State.More.UpdatedAt.Time
	return t, !t.When.IsZero() && slices.ContainsFunc(changes, touches), nil
}

func touches(c kind.Change) bool {
	return c.Field != "spec.resource.metadata" && c.Field != kind.MarkField
}
