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

// A volume that a backup is restored to loses its metadata: Cinder writes those of the
// volume that the backup is of over them, with the mark of that one, shortly before the new
// volume is available (cinder/backup/driver.py: _restore_vol_meta). Its description stays, since it has a
// name. So the mark is in the description of the first request, which says which backup is restored:
//
//	[stackreeve:prod:Volume/data stackreeve-applied:restores-<ID of the backup>]
//
// When the volume is available, one request writes the description and the metadata that it shall have,
// with the mark. A kill before that leaves a volume that is known to be the stack's.

// fromBackups is the microversion from which a volume can be made from a backup.
// (cinder/api/openstack/rest_api_version_history.rst)
const fromBackups = "3.47"

// restores begins what such a description says of the backup. It is also the note of a
// volume that has one.
const restores = "restores-"

// sourceBackup is the metadata key in which Cinder says which backup a volume
// was restored from.
const sourceBackup = "src_backup_id"

func restoredFrom(s *state) string {
	for _, m := range s.Spec.Metadata {
		if m.Name == sourceBackup {
			return m.Value
		}
	}
	return ""
}

// restore adds to the body of a request that creates what a backup takes.
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
		return fmt.Errorf("%w: the mark of the owner is too long for a description; shorten metadata.name", kind.ErrRejected)
	}
	body["description"] = text
	return nil
}

// restored is the mark of a volume that we have a backup restored to, until it is
// finished; nil for any other. Cinder gives descriptions to what people restore without a
// name: such a copy was restored from another backup than its description says.
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

// settled refuses to change a volume while a backup is restored to it: what is written now
// is overwritten.
func settled(s *state) error {
	if isRestored(s) && !slices.Contains([]string{"available", "in-use", "reserved"}, s.More.Status) {
		return fmt.Errorf("%w: a backup is being restored to it", kind.ErrBusy)
	}
	return nil
}

// finish writes the description and the metadata of a restored volume at once.
func finish(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	fields := maps.Clone(n.Fields)
	fields["description"] = table.Or(n.Want.Spec.Description, "")
	fields["metadata"] = mark.MetadataPlace.Put(pairs(n.Want.Spec.Metadata), n.Want.Mark, n.Have.ID, d.Client.ProjectID)
	return d.Client.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPut, Path: d.Path(n.Have.ID), Body: map[string]any{"volume": fields}})
}
