package volumesnapshotschedule

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/blockstorage"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type driver struct {
	client *cloud.Client
	now    func() time.Time
}

// collection says where Cinder lists the items of a kind.
type collection struct{ kind, path, singular, newest string }

// marked is the first microversion in which backups have metadata, which contain the mark. The kinds VolumeSnapshot and VolumeBackup
// use the same microversions for their lists. Therefore each list is read only once for both kinds.
// (cinder/api/openstack/rest_api_version_history.rst)
const marked, newestBackups = "3.43", "3.56"

var collections = []collection{{"VolumeSnapshot", "snapshots", "snapshot", ""}, {"VolumeBackup", "backups", "backup", newestBackups}}

func (s *Spec) collection() collection {
	return collections[slices.IndexFunc(collections, func(c collection) bool { return c.kind == s.kind() })]
}

// momentKey is the metadata key for the moment of the schedule at which an item was due.
const momentKey = mark.OwnerKey + "-moment"

// answer is a snapshot or a backup as Cinder shows it.
type answer struct {
	ID        string            `json:"id"`
	Name      *string           `json:"name"`
	Volume    string            `json:"volume_id"`
	Status    string            `json:"status"`
	Size      int               `json:"size"`
	Created   table.Time        `json:"created_at"`
	Metadata  map[string]string `json:"metadata"`
	OfProject string            `json:"os-extended-snapshot-attributes:project_id"`
	InProject string            `json:"os-backup-project-attr:project_id"`
}

// List implements [typed.Kind]. It lists the items that have the mark of a series. The items of one series form one object. If an
// item has several marks, or a copied mark, its owner is uncertain, and it forms an object alone.
func (d driver) List(ctx context.Context, asked kind.Listing) (all []typed.Live[series], err error) {
	ctx = cloud.At(ctx, asked.Shared)
	found := map[string][]item{}
	var owners []string
	for _, c := range collections {
		call := cloud.Call{Service: cloud.BlockStorage, Path: c.path + "/detail"}
		if c.newest != "" {
			if call.Microversion, err = d.client.Microversion(ctx, cloud.BlockStorage, c.newest); err != nil {
				return nil, err
			}
		}
		err := cloud.Each(ctx, d.client, call, c.path, func(a answer) error {
			i, ok := d.item(c, a)
			switch {
			case !ok:
			case i.copied != "" || i.mark.Rivals != "" || !i.mine:
				all = append(all, live([]item{i}))
			default:
				if found[i.mark.Owner] == nil {
					owners = append(owners, i.mark.Owner)
				}
				found[i.mark.Owner] = append(found[i.mark.Owner], i)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, owner := range owners {
		slices.SortFunc(found[owner], newestFirst)
		all = append(all, live(found[owner]))
	}
	return all, nil
}

// item reads one item. ok is false if the item does not have the mark of a series.
func (d driver) item(c collection, a answer) (i item, ok bool) {
	m := mark.InMetadata(a.Metadata)
	if !m.For(Name) {
		return i, false
	}
	if m.Applied == kind.HalfMade {
		m.Applied = kind.Unreadable // the agent creates an item with its digest in one request, so somebody else has removed the digest
	}
	i = item{id: a.ID, volume: a.Volume, kind: c.kind, status: a.Status, size: a.Size, created: a.Created.Time, mark: m, own: mark.UserMetadata(a.Metadata)}
	if i.name = a.ID; a.Name != nil {
		i.name = *a.Name
	}
	i.moment, _ = time.Parse(time.RFC3339, a.Metadata[momentKey])
	if self := a.Metadata[mark.SelfKey]; self != "" && self != a.ID {
		i.copied = "has the metadata of " + c.singular + " " + self
	}
	project := a.OfProject + a.InProject
	i.mine = project == "" || project == d.client.ProjectID
	return i, true
}

// Create implements [typed.Kind]. It creates the first item of the series.
func (d driver) Create(ctx context.Context, w want) (typed.Live[series], error) {
	i, err := d.createItem(ctx, w, d.now())
	if err != nil {
		return typed.Live[series]{}, err
	}
	return live([]item{i}), nil
}

// createItem creates an item for a moment. The request contains the mark.
func (d driver) createItem(ctx context.Context, w want, moment time.Time) (i item, err error) {
	c := w.Spec.collection()
	metadata := d.metadata(nil, w.Mark, "", moment)
	body := map[string]any{"volume_id": w.Ref("Volume", w.Spec.VolumeRef).ID, "name": label(w, moment), "force": true, "metadata": metadata}
	call := cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: c.path, Body: map[string]any{c.singular: body}}
	if w.Spec.backup() {
		if w.Spec.Container != nil {
			body["container"] = *w.Spec.Container
		}
		if call.Microversion, err = d.client.Require(ctx, cloud.BlockStorage, marked, "backups with metadata, which show who owns them"); err != nil {
			return i, err
		}
	}
	var made map[string]answer
	call.Into = &made
	if err := d.client.Do(ctx, call); err != nil {
		return i, err
	}
	a := made[c.singular]
	if a.ID == "" {
		return i, fmt.Errorf("%s: POST /%s: the answer has no ID", cloud.BlockStorage, c.path)
	}
	a.Metadata, a.Status, a.Volume = metadata, "creating", w.Ref("Volume", w.Spec.VolumeRef).ID
	if a.Created.IsZero() {
		a.Created.Time = d.now()
	}
	i, _ = d.item(c, a)
	return i, nil
}

func (d driver) metadata(own map[string]string, m kind.Mark, id string, moment time.Time) map[string]string {
	all, _ := mark.MetadataPlace.Put(own, m, id, d.client.ProjectID).(map[string]string)
	if !moment.IsZero() {
		all[momentKey] = text(moment)
	}
	return all
}

// Update implements [typed.Kind]. It deletes and creates the items that are due, and finally writes the mark of all items that stay.
func (d driver) Update(ctx context.Context, w want, have typed.Live[series], changes []kind.Change) error {
	of := have.State.counted(w.Spec, w.Ref("Volume", w.Spec.VolumeRef).ID)
	gone := slices.Concat(w.Spec.expired(of), broken(of)) // only these items may be deleted, whatever changes contains
	for _, i := range gone {
		due := kind.Has(changes, itemsField+"["+i.id+"]")
		if !due && (i.failed() || !kind.Has(changes, keepField)) {
			continue
		}
		if err := d.remove(ctx, i); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if c.Field != itemsField {
			continue
		}
		wanted, _ := c.Want.(string)
		moment, err := time.Parse(time.RFC3339, wanted)
		if err != nil {
			return fmt.Errorf("%w: %q is no time", kind.ErrRejected, wanted)
		}
		if _, err := d.createItem(ctx, w, moment); err != nil {
			return err
		}
	}
	if !kind.Has(changes, kind.MarkField) {
		return nil
	}
	removed := map[string]bool{}
	if kind.Has(changes, keepField) {
		for _, i := range w.Spec.expired(of) {
			removed[i.id] = true
		}
	}
	for _, i := range slices.Backward(have.State.Items) {
		if *i.mark != w.Mark && !i.leaving() && !removed[i.id] {
			if err := d.write(ctx, i, d.metadata(i.own, w.Mark, i.id, i.moment)); err != nil && !errors.Is(err, kind.ErrGone) {
				return err
			}
		}
	}
	return nil
}

func (d driver) write(ctx context.Context, i item, metadata map[string]string) error {
	call := cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPut, Path: i.path() + "/metadata", Body: map[string]any{"metadata": metadata}}
	if i.kind == "VolumeBackup" {
		version, err := d.client.Require(ctx, cloud.BlockStorage, marked, "backups with metadata, which show who owns them")
		if err != nil {
			return err
		}
		call.Path, call.Microversion, call.Body = i.path(), version, map[string]any{"backup": map[string]any{"metadata": metadata}}
	}
	return d.client.Do(ctx, call)
}

func (s *item) path() string {
	at := slices.IndexFunc(collections, func(c collection) bool { return c.kind == s.kind })
	return collections[at].path + "/" + url.PathEscape(s.id)
}

// remove asks Cinder to delete an item. Cinder finishes that later.
func (d driver) remove(ctx context.Context, i item) error {
	err := d.client.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodDelete, Path: i.path()})
	if errors.Is(err, kind.ErrGone) {
		return nil
	}
	return blockstorage.Refused(err, i.status, " status must be")
}

// Delete implements [typed.Kind]. It deletes the whole series, the oldest items first, so that after an interruption the newest items
// are left. The item whose ID is the ID of the series is deleted last. Otherwise the series would have another ID, and so be another
// object, which the pass may not delete.
func (d driver) Delete(ctx context.Context, have typed.Live[series]) (gone bool, err error) {
	items := slices.Clone(have.State.Items)
	slices.Reverse(items)
	for _, i := range append(items[1:], items[0]) {
		if i.leaving() {
			continue
		}
		if err := d.remove(ctx, i); err != nil {
			return false, err
		}
	}
	return false, nil
}

// Unmark implements [typed.Kind].
func (driver) Unmark(context.Context, typed.Live[series]) error {
	return fmt.Errorf("%w: the mark of a %s cannot be removed", kind.ErrRejected, Name)
}
