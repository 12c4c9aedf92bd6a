package volume

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// A restored volume loses its metadata: shortly before it is available, Cinder replaces them by the
// metadata of the backup's volume, including that volume's mark (cinder/backup/driver.py:
// _restore_vol_meta). Cinder does not replace the description of a volume that was created with a name.
// Therefore the create request writes the mark into the description, with the ID of the backup:
//
//	[stackreeve:prod:Volume/data stackreeve-applied:restores-<ID of the backup>]
//
// When the volume is available, one request writes its declared description and its metadata with the
// mark. If the agent is killed before that, the description still shows that the volume is the stack's.

// fromBackups is the first microversion in which a volume can be created from a backup.
// (cinder/api/openstack/rest_api_version_history.rst)
const fromBackups = "3.47"

// restores is the prefix of the ID of the backup in such a description. It is also the name of a note on
// volumes that have such a description.
const restores = "restores-"

// sourceBackup is the metadata key under which Cinder stores the ID of the backup from which a volume was
// restored.
const sourceBackup = "src_backup_id"

func restoredFrom(s *state) string {
	for _, m := range s.Spec.Metadata {
		if m.Name == sourceBackup {
			return m.Value
		}
	}
	return ""
}

// restore requests in the body of a create request that the backup is restored: it adds the description
// with the mark.
func restore(ctx context.Context, d driver, w typed.Want[Spec], backup string, body map[string]any) error {
	if backup == "" {
		return nil
	}
	if _, err := d.Client.Require(ctx, cloud.BlockStorage, fromBackups, "volumes that a backup is restored to"); err != nil {
		return err
	}
	m := w.Mark
	m.Applied = restores + backup
	text, ok := mark.Description(m, "")
	if !ok {
		return fmt.Errorf("%w: the owner mark is too long for a description; shorten metadata.name", kind.ErrRejected)
	}
	body["description"] = text
	return nil
}

// restored returns the mark of a volume that the stack restores from a backup, until the restore is
// finished; nil for any other volume. If people restore a backup without a name, Cinder copies the
// description to the new volume. Such a copy was restored from another backup than the description names.
func restored(s *state) *kind.Mark {
	own, m := mark.InDescription(table.Or(s.Spec.Description, ""))
	if own != "" || m == nil {
		return nil
	}
	backup, ok := strings.CutPrefix(m.Applied, restores)
	begun := s.More.Status == "creating" || s.More.Status == "error"
	if !ok || backup == "" || !begun && restoredFrom(s) != backup && s.Notes[sourceKey] != backup {
		return nil
	}
	m.Applied = kind.Unfinished
	return m
}

func isRestored(s *state) bool { return s.Notes[restores] != "" }

// settled returns an error while a backup is restored to the volume, because Cinder would overwrite a
// change.
func settled(s *state) error {
	if isRestored(s) && !slices.Contains([]string{"available", "in-use", "reserved"}, s.More.Status) {
		return fmt.Errorf("%w: a backup is being restored to the volume", kind.ErrBusy)
	}
	return nil
}

// finish writes the description and the metadata of a restored volume in one request.
func finish(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	fields := maps.Clone(n.Fields)
	fields["description"] = table.Or(n.Want.Spec.Description, "")
	fields["metadata"] = mark.MetadataPlace.Put(pairs(n.Want.Spec.Metadata), n.Want.Mark, n.Have.ID, d.Client.ProjectID)
	return d.Client.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPut, Path: d.Path(n.Have.ID), Body: map[string]any{"volume": fields}})
}
