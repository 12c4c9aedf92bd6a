// Package volumesnapshot is the kind VolumeSnapshot: the state of a volume at one moment,
// stored on the same storage as the volume (Cinder).
package volumesnapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Spec is the desired state of a snapshot. Values are from Cinder
// (cinder/api/schemas/snapshots.py).
type Spec struct {
	Name        *string            `json:"name,omitempty" api:"name,named,trimmed" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description *string            `json:"description,omitempty" api:"description,empty,trimmed" rule:"lines,min=1,max=255" doc:"Free text."`
	VolumeRef   string             `json:"volumeRef" api:"volume_id" show:"volumeID" rule:"required,immutable,min=1" ref:"Volume" doc:"Volume whose state is kept. The volume cannot be deleted before its snapshots."`
	Force       bool               `json:"force,omitempty" api:"force,unread" doc:"Whether it may be made while the volume is attached to a server, which may be writing. This matters only when it is made."`
	Metadata    []define.NameValue `json:"metadata,omitempty" api:"metadata,pairs,empty" rule:"max=64" doc:"Metadata, besides those that mark the owner."`
}

// More holds the fields of a snapshot that only Cinder sets.
type More struct {
	Status    string     `json:"status" api:"status"`
	Size      int        `json:"size" api:"size"`
	Progress  string     `json:"progress" api:"os-extended-snapshot-attributes:progress"`
	CreatedAt table.Time `json:"createdAt" api:"created_at"`
	UpdatedAt table.Time `json:"updatedAt" api:"updated_at"`
	// Reason is why the last operation on the snapshot failed.
	Reason string `json:"-"`
}

// Filter selects an existing snapshot.
type Filter struct {
	define.NameFilter `json:",inline"`
	VolumeRef         string `json:"volumeRef,omitempty" ref:"Volume" doc:"Volume of the snapshot or backup."`
}

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind returns the kind VolumeSnapshot. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "VolumeSnapshot", Service: cloud.BlockStorage, Exclusive: true,
			HoldsData: true, Loss: []string{"the state of the volume that it keeps"}, Unmark: mark.UnmarkByProperty("volume snapshot"),
			Doc: "The state of a Volume at one moment, on the same storage (Cinder). It is taken once, when the object is made. A manifest with another name takes another snapshot.",
		},
		Collection: define.Collection{Path: "snapshots", Lists: []string{"snapshots/detail"}, Singular: "snapshot", UpdateBy: http.MethodPut, Project: "os-extended-snapshot-attributes:project_id"},
		Mark:       mark.MetadataPlace,
		Validate:   validate, Observe: observe, Join: blockstorage.FailedWhy[Spec, Filter](failed), Create: create, Delete: remove, QuotaNeeded: takes,
	})
}

func validate(s *Spec, r *kind.Report) {
	var names []string
	for _, m := range s.Metadata {
		names = append(names, m.Name)
	}
	mark.CheckMetadata(r, "name", names)
}

// observe sets the phase of a snapshot. (cinder/objects/fields.py: SnapshotStatus)
func observe(s *state, live *kind.Live) {
	live.Uses = []string{s.Spec.VolumeRef}
	live.Created, live.Updated = s.More.CreatedAt.Time, s.More.UpdatedAt.Time
	if series := "VolumeSnapshotSchedule"; s.Mark.For(series) {
		live.AlsoListedAs = series
	}
	if s.Self != "" && s.Self != s.ID {
		live.Copied = "has the metadata of snapshot " + s.Self
	}
	switch status := s.More.Status; {
	case status == "available" || status == "backing-up":
	case status == "deleting" || status == "deleted":
		live.Phase, live.Message = kind.Deleting, "is being deleted"
	case status == "error" && s.More.Progress != "100%":
		live.Phase, live.Message = kind.Failed, blockstorage.InStatus(status, cmp.Or(s.More.Reason, "the cloud gives no reason"))
	case strings.HasPrefix(status, "error"):
		live.Phase, live.Message = kind.Degraded, blockstorage.InStatus(status, s.More.Reason)+"; it may keep data, so it is not recreated: reset its status, or delete it"
	default:
		live.Phase, live.Message = kind.Pending, "is "+status
	}
}

// failed returns the status of the snapshot, and the field in which the reason of an
// error is stored.
func failed(m *More) (status string, reason *string) { return m.Status, &m.Reason }

// create makes the snapshot. If Cinder refuses because the volume is attached, the error
// says how to get a snapshot nevertheless.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	s, err := d.Post(ctx, w, d.Creation(w))
	if errors.Is(err, kind.ErrRejected) && strings.Contains(err.Error(), "status is: in-use") {
		return nil, fmt.Errorf("%w; detach the volume from its server, or set spec.resource.force: true", err)
	}
	return s, err
}

// remove asks Cinder to delete the snapshot. Cinder finishes that later.
func remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	_, err = d.Remove(ctx, have.ID)
	return false, blockstorage.Refused(err, have.State.More.Status, "Snapshot status must be")
}

// takes counts the snapshot. It does not count gigabytes, because the size is unknown
// before the volume exists.
func takes(*Spec, kind.FactsOf) kind.Amounts {
	return kind.Amounts{kind.Resource{Service: cloud.BlockStorage, Name: "snapshots"}: 1}
}
