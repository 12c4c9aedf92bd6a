package volume

import (
	"context"
	"fmt"
	"maps"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Only the create request uses the source of a volume. If the declared source changes, an
// existing volume is never replaced, because its data are worth more.

// sourceKey is the metadata key for the source of a new volume, until the agent writes the
// mark again with the volume's ID. By the source, the volume can be distinguished from a
// copy that the cloud made of it.
const sourceKey = mark.OwnerKey + "-source"

func snapshotOf(s *Spec) (of, name string) { return "VolumeSnapshot", s.SnapshotRef }

func sourceOf(s *Spec) (of, name string) { return "Volume", s.SourceVolumeRef }

func backupOf(s *Spec) (of, name string) { return "VolumeBackup", s.BackupRef }

func validateSource(s *Spec, r *kind.Report) {
	given := 0
	for _, name := range []string{s.ImageRef, s.SnapshotRef, s.SourceVolumeRef, s.BackupRef} {
		if name != "" {
			given++
		}
	}
	if s.RestoreFrom != nil {
		given++
		if _, err := s.RestoreFrom.before(); err != nil {
			r.Problem("spec.resource.restoreFrom.before", fmt.Sprintf("is %q", *s.RestoreFrom.Before), "write a time with its zone, such as 2026-05-04T03:00:00Z")
		}
	}
	if given > 1 {
		r.Problem("spec.resource", "asks for several sources", "keep one of imageRef, snapshotRef, sourceVolumeRef, backupRef and restoreFrom")
	}
}

// stays returns a comparison that adds a note if the declared source of a volume is not the
// source from which it was created.
func stays(field string, of func(*Spec) (kind, name string)) func(typed.Want[Spec], *table.Object[Spec, More], *kind.Changes) {
	return func(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
		_, id := of(&have.Spec)
		if ref := w.Ref(of(w.Spec)); ref.Name != "" && ref.ID != id {
			c.Note("spec.resource."+field, "the existing volume is not replaced; rename the manifest to create a new volume")
		}
	}
}

// create creates a volume. If the source is busy, the error means that the agent tries
// again later.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	body := d.Creation(w)
	snapshot, backup := w.Ref(snapshotOf(w.Spec)).ID, w.Ref(backupOf(w.Spec)).ID
	if w.Spec.RestoreFrom != nil {
		point, why := w.Spec.RestoreFrom.point(w)
		switch {
		case why != "":
			return nil, fmt.Errorf("%w: %s", kind.ErrNotYet, why)
		case point.Kind == "VolumeBackup":
			backup, body["backup_id"] = point.ID, point.ID
		default:
			snapshot, body["snapshot_id"] = point.ID, point.ID
		}
	}
	if err := restore(ctx, d, w, backup, body); err != nil {
		return nil, err
	}
	if source := snapshot + w.Ref(sourceOf(w.Spec)).ID + backup; source != "" {
		if all, ok := body["metadata"].(map[string]string); ok {
			all = maps.Clone(all)
			all[sourceKey] = source
			body["metadata"] = all
		}
	}
	s, err := d.Post(ctx, w, body)
	return s, cloud.Passes(err, "Originating ")
}
