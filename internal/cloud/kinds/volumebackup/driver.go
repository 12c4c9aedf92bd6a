package volumebackup

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/blockstorage"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// marked is the first microversion in which backups have metadata, which contain the mark. newest is the last microversion whose lists this
// package can read. (cinder/api/openstack/rest_api_version_history.rst)
const marked, newest = "3.43", "3.56"

// place is where the mark is: in the metadata, which are written in the same request as the other attributes.
var place = together(mark.MetadataPlace)

func together(p mark.Place) mark.Place {
	p.Apart = false
	return p
}

func validate(s *Spec, r *kind.Report) {
	var names []string
	for _, m := range s.Metadata {
		names = append(names, m.Name)
	}
	mark.CheckMetadata(r, "name", names)
}

// once returns the comparison of a reference to the source of a backup. It only adds a note if the reference now names another object.
func once(field string, of func(*Spec) (kind, name string)) odd {
	return odd{Field: field, Compare: func(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
		_, id := of(&have.Spec)
		if ref := w.Ref(of(w.Spec)); ref.Name != "" && ref.ID != id {
			c.Note("spec.resource."+field, "the backup is not changed; it was made of "+id+"; to make another backup, write a manifest with another name")
		}
	}}
}

// stays compares nothing, because only the create request uses the field.
func stays(typed.Want[Spec], *table.Object[Spec, More], *kind.Changes) {}

// observe sets the phase of a backup. (cinder/objects/fields.py: BackupStatus)
func observe(s *state, live *kind.Live) {
	live.Created, live.Updated = s.More.CreatedAt.Time, s.More.UpdatedAt.Time
	if s.More.parent != "" {
		live.Uses = []string{s.More.parent}
	}
	if series := "VolumeSnapshotSchedule"; s.Mark.For(series) {
		live.AlsoListedAs = series
	}
	if s.Self != "" && s.Self != s.ID {
		live.Copied = "has the metadata of backup " + s.Self
	}
	switch status := s.More.Status; {
	case status == "available" || status == "restoring":
	case status == "deleting" || status == "deleted":
		live.Phase, live.Message = kind.Deleting, "is being deleted"
	case strings.HasPrefix(status, "error"):
		live.Phase, live.Message = kind.Degraded, "is in the status "+status
		if s.More.FailReason != "" {
			live.Message += " (" + s.More.FailReason + ")"
		}
		live.Message += "; the backup may contain data, so it is not recreated; to have another one made, delete this one in the cloud"
	default:
		live.Phase, live.Message = kind.Pending, "is "+status
	}
}

// create starts the backup. The answer contains only its ID. An incremental backup may have to wait until the backup on which it is based is
// complete.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	if _, err := d.Client.Require(ctx, cloud.BlockStorage, marked, "backups with metadata, which show who owns them"); err != nil {
		return nil, err
	}
	s, err := d.Post(ctx, w, d.Creation(w))
	if err != nil {
		return nil, cloud.Passes(err, "No backups available to do an incremental backup")
	}
	m := w.Mark
	s.Claim.Mark, s.Spec, s.More.Status = &m, *w.Spec, "creating"
	return s, nil
}

// update writes the changed fields, with the mark.
func update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	body := maps.Clone(n.Fields)
	own, changed := body["metadata"]
	if !changed {
		own = metadata(&n.Have.State.Spec)
	}
	body["metadata"] = place.Put(own, n.Want.Mark, n.Have.ID, d.Client.ProjectID)
	return write(ctx, d, n.Have.ID, body)
}

// unmark removes all metadata that people did not write.
func unmark(ctx context.Context, d driver, have typed.Live[state]) error {
	return write(ctx, d, have.ID, map[string]any{"metadata": metadata(&have.State.Spec)})
}

func write(ctx context.Context, d driver, id string, body map[string]any) error {
	version, err := d.Client.Require(ctx, cloud.BlockStorage, marked, "backups with metadata, which show who owns them")
	if err != nil {
		return err
	}
	return d.Client.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPut, Path: d.Path(id), Microversion: version,
		Body: map[string]any{"backup": body}})
}

// metadata returns the metadata that people wrote.
func metadata(s *Spec) map[string]string {
	all := map[string]string{}
	for _, m := range s.Metadata {
		all[m.Name] = m.Value
	}
	return all
}

// remove asks Cinder to delete the backup. Cinder finishes that later. Incremental backups of the stack are deleted first (see findParents). If
// other incremental backups depend on the backup, the error names them.
func remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	if _, err = d.Remove(ctx, have.ID); err == nil || !strings.Contains(err.Error(), "Incremental backups exist") {
		return false, blockstorage.Refused(err, have.State.More.Status, "Backup status must be")
	}
	all, unread := d.List(ctx, kind.Listing{})
	var held []string
	for _, b := range all {
		if b.State.More.parent != have.ID {
			continue
		}
		if b.Phase == kind.Deleting {
			return false, cloud.Passes(err, "Incremental backups exist")
		}
		held = append(held, fmt.Sprintf("%s (%s)", b.ID, b.Name))
	}
	switch {
	case unread != nil:
		return false, cloud.Passes(err, "Incremental backups exist")
	case len(held) == 0:
		return false, fmt.Errorf("%w; the cloud lists no such backup: an administrator has to correct the database of Cinder", err)
	}
	return false, fmt.Errorf("%w; delete first the incremental backup %s", err, strings.Join(held, ", "))
}

// findParents finds the backup on which each incremental backup is based, because Cinder does not show it. It is the newest earlier backup of the
// same volume that has dependents.
func findParents(_ context.Context, _ driver, all []*state) error {
	for _, s := range all {
		if !s.Spec.Incremental {
			continue
		}
		var parent *state
		for _, before := range all {
			older := before.Spec.VolumeRef == s.Spec.VolumeRef && before.More.Dependents && before.ID != s.ID && !before.More.CreatedAt.After(s.More.CreatedAt.Time)
			if older && (parent == nil || before.More.CreatedAt.After(parent.More.CreatedAt.Time)) {
				parent = before
			}
		}
		if parent != nil {
			s.More.parent = parent.ID
		}
	}
	return nil
}
