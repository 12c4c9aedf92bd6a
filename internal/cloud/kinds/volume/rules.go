package volume

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/blockstorage"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type state = define.State[Spec, More]

func validate(s *Spec, r *kind.Report) {
	var names []string
	for _, m := range s.Metadata {
		names = append(names, m.Name)
	}
	mark.CheckMetadata(r, "name", names)
	validateSource(s, r)
}

// compareSize reports a change of the size. If the manifest has a smaller size, the volume must be replaced.
func compareSize(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	cost := kind.InPlace
	if w.Spec.Size < have.Spec.Size {
		cost = kind.Replace
	}
	kind.Differs(c, "spec.resource.size", have.Spec.Size, w.Spec.Size, cost)
}

// compareType compares the names of types, because Cinder shows the name and not the ID.
func compareType(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if t := w.Ref("VolumeType", w.Spec.VolumeTypeRef); t.ID != "" {
		kind.Fixed(c, "spec.resource.volumeTypeRef", have.Spec.VolumeTypeRef, t.Facts.Name)
	}
}

func observe(s *state, live *kind.Live) {
	live.Phase, live.Message = phase(s)
	if m := restored(s); m != nil {
		s.Mark, s.Self, s.Notes, s.Spec.Description = m, s.ID, map[string]string{restores: "unfinished"}, nil
		live.Mark = m
	}
	live.Copied, live.InUse = copied(s), len(s.More.Attachments) > 0 || s.More.Status == "in-use"
	live.Created = s.More.CreatedAt.Time
	if s.More.Status == backingUp {
		live.Facts.Unusable = "a backup is being made of it"
	}
	if s.Spec.VolumeTypeRef != "" {
		live.Uses = []string{"volume type " + s.Spec.VolumeTypeRef}
	}
	if live.Mark != nil && live.Mark.Applied == kind.HalfMade {
		live.Mark.Applied = kind.Unreadable // the agent creates a volume with its digest in one request, so somebody else has removed the digest
	}
}

// backingUp is the status of a volume during a backup, which can take hours.
const backingUp = "backing-up"

// failed returns the status of the volume, and the field in which the reason of an error is stored.
func failed(m *More) (status string, reason *string) { return m.Status, &m.Reason }

// phase returns the phase of a volume. (cinder/objects/fields.py: VolumeStatus)
//
//	available, in-use, reserved     ready
//	backing-up                      ready, because servers can use the volume meanwhile
//	deleting                        deleting
//	error, never seen in use        failed, because its creation may not have succeeded
//	error otherwise, error_…        degraded, because it may hold data
//	creating, attaching, …          pending
func phase(volume *state) (kind.Phase, string) {
	s := &volume.More
	switch {
	case s.Status == "available" || s.Status == "in-use" || s.Status == "reserved" || s.Status == backingUp:
		return kind.Ready, ""
	case s.Status == "deleting":
		return kind.Deleting, "is being deleted"
	case s.Status == "error" && !used(volume):
		if s.Reason == "" {
			return kind.Failed, "is in the status error; the cloud gives no reason (often: no storage has enough space, or the image cannot be copied)"
		}
		return kind.Failed, blockstorage.InStatus(s.Status, s.Reason)
	case strings.HasPrefix(s.Status, "error"):
		return kind.Degraded, blockstorage.InStatus(s.Status, s.Reason) + "; the volume may contain data, so it is not recreated: reset its status, or delete it"
	}
	return kind.Pending, "is " + s.Status
}

// copied returns a text with the evidence that the mark on a volume is a copy, or "" if there is none. Cinder stores the metadata of
// a volume in its backups. If a backup is restored, the new volume gets these metadata and src_backup_id (cinder/backup/driver.py:
// _restore_vol_meta, backup/manager.py: restore_backup). If Cinder makes an image of a volume, it clones the volume with its
// metadata (volume/manager.py: _clone_image_volume).
//
// Metadata of the agent's own volumes name, in addition to the mark, the volume or snapshot from which they were made. If they
// were restored from a backup, they get the mark after the restore (see restore.go). The metadata of an adopted volume contain its
// own ID since the adoption.
func copied(s *state) string {
	backup := restoredFrom(s)
	switch {
	case s.Mark == nil || s.Self == s.ID:
		return ""
	case backup != "":
		return "was restored from backup " + backup
	case s.Self == "" && s.Notes[sourceKey] != "" && s.Notes[sourceKey] == cmp.Or(s.Spec.SnapshotRef, s.Spec.SourceVolumeRef):
		return ""
	case s.Spec.SnapshotRef != "":
		return "was made from snapshot " + s.Spec.SnapshotRef
	case s.Spec.SourceVolumeRef != "":
		return "was made from volume " + s.Spec.SourceVolumeRef
	case s.Self != "":
		return "has the metadata of volume " + s.Self
	}
	return ""
}

// used reports whether the cloud shows that a volume was in use before. Evidence is an attachment, or metadata that Cinder adds
// when a volume is attached. A change more than an hour after the creation is evidence, too, because no copy of an image takes
// longer. If there is no evidence, the volume may have been in use nevertheless.
func used(s *state) bool {
	created, updated := s.More.CreatedAt, s.More.UpdatedAt
	return len(s.More.Attachments) > 0 || !created.IsZero() && !updated.IsZero() && updated.Sub(created.Time) >= time.Hour ||
		slices.ContainsFunc(s.Spec.Metadata, func(m define.NameValue) bool { return slices.Contains(ofCinder, m.Name) })
}

// trace returns the time of the last change. A change of metadata does not change that time, and Cinder does not show who made a
// change.
func trace(_ context.Context, _ driver, have typed.Live[state], changes []kind.Change) (t kind.Trace, ok bool, err error) {
	if have.State == nil { // the volume no longer exists
		return t, false, nil
	}
	t.When = have.State.More.UpdatedAt.Time
	return t, !t.When.IsZero() && slices.ContainsFunc(changes, touches), nil
}

func touches(c kind.Change) bool {
	return c.Field != "spec.resource.metadata" && c.Field != kind.MarkField
}

// takes counts the volume and its size against two quotas: the one of its type, and the total. Cinder refers to the type of a
// volume by name.
func takes(s *Spec, of kind.FactsOf) kind.Amounts {
	amounts := kind.Amounts{}
	for _, t := range slices.Compact([]string{"", cmp.Or(of("VolumeType", s.VolumeTypeRef).Name, s.VolumeTypeRef)}) {
		amounts[kind.Resource{Service: cloud.BlockStorage, Name: "volumes", Type: t}] = 1
		amounts[kind.Resource{Service: cloud.BlockStorage, Name: "gigabytes", Type: t}] = int64(max(0, s.Size))
	}
	return amounts
}

// impossible returns a reason if Cinder refuses the combination of image and size. (cinder/volume/flows/api/create_volume.py:
// _extract_size, ExtractVolumeRequestTask)
func impossible(w typed.Want[Spec]) string {
	if image := w.Ref("Image", w.Spec.ImageRef); image.Facts.Size.Disk > w.Spec.Size {
		return fmt.Sprintf("spec.resource.size: Image %s needs a disk of %d GiB, but the volume has %d; make the volume larger", image.Name, image.Facts.Size.Disk, w.Spec.Size)
	}
	if w.Spec.RestoreFrom == nil {
		return ""
	}
	point, why := w.Spec.RestoreFrom.point(w)
	if why == "" && point.Size > w.Spec.Size {
		why = fmt.Sprintf("it needs %d GiB, but the volume has %d; make the volume larger", point.Size, w.Spec.Size)
	}
	if why != "" {
		why = "spec.resource.restoreFrom: " + why
	}
	return why
}
