package volume

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// What a volume begins with is of the request that makes it. A volume is never replaced
// because its source is another now: the data on it is worth more.

// sourceKey is the metadata key in which a new volume says what it was made from, until the
// mark is written with its ID: it tells it from a copy that the cloud has made of it.
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
	if given > 1 {
		r.Problem("spec.resource", "asks for several sources", "keep one of imageRef, snapshotRef, sourceVolumeRef and backupRef")
	}
}

// stays notes that the source which a volume was made of is not the one that is named now.
func stays(field string, of func(*Spec) (kind, name string)) func(kind.Want[Spec], *table.Object[Spec, More], *kind.Changes) {
	return func(w kind.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
		_, id := of(&have.Spec)
		if ref := w.Ref(of(w.Spec)); ref.Name != "" && ref.ID != id {
			c.Note("spec.resource."+field, "the volume is kept as it was made; give it another name to make another one")
		}
	}
}

// create makes a volume. A source that is busy will be free later.
func create(ctx context.Context, d driver, w kind.Want[Spec]) (*state, error) {
	body := d.Creation(w)
	if err := restore(ctx, d, w, body); err != nil {
		return nil, err
	}
	if source := w.Ref(snapshotOf(w.Spec)).ID + w.Ref(sourceOf(w.Spec)).ID + w.Ref(backupOf(w.Spec)).ID; source != "" {
		if all, ok := body["metadata"].(map[string]string); ok {
			all = maps.Clone(all)
			all[sourceKey] = source
			body["metadata"] = all
		}
	}
	s, err := d.Post(ctx, body)
	if errors.Is(err, kind.ErrRejected) && strings.Contains(err.Error(), "Originating ") {
		err = fmt.Errorf("%w: %s", kind.ErrBusy, err.Error())
	}
	return s, err
}
