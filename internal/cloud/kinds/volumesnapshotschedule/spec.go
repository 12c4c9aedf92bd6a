// Package volumesnapshotschedule is the kind VolumeSnapshotSchedule: snapshots or backups of a volume
// (Cinder). They are created on a schedule, and deleted when there are enough newer ones.
//
// Its object in the cloud is the series of all snapshots and backups that have its mark. From the newest one,
// the agent knows when the next one is due. No other state exists.
//
// The kind needs more than a table of fields, because a series is in two collections, and its due steps
// depend on the time (series.go).
package volumesnapshotschedule

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the declared series.
type Spec struct {
	VolumeRef string  `json:"volumeRef" ref:"Volume" rule:"required,min=1" doc:"Volume of which snapshots or backups are taken, even while it is attached to a server. Each of them then has the state that the disk would have if the machine lost power."`
	Schedule  string  `json:"schedule" rule:"required,max=150" doc:"When one is taken, every 10 minutes at most. Write five fields (minute hour day month weekday) such as 0 3 * * *, @daily, or an interval such as @every 6h. The first one is taken immediately. If no agent ran at one or more of these times, one is taken later." example:"0 3 * * *"`
	TimeZone  string  `json:"timeZone,omitempty" rule:"max=40" doc:"Time zone of the schedule, such as Europe/Berlin; UTC if left out." example:"Europe/Berlin"`
	Keep      int     `json:"keep" rule:"required,min=1,max=1000" doc:"How many are kept. The oldest one is deleted when a newer one is available. The last one is never deleted."`
	KeepFor   *string `json:"keepFor,omitempty" rule:"max=20" doc:"The largest difference in age between a kept one and the newest one, such as 720h; no limit if left out." example:"720h"`
	Type      string  `json:"type,omitempty" rule:"enum=Snapshot|Backup,default=Snapshot" doc:"Snapshot: on the volume's own storage. The volume cannot be deleted before its snapshots. Backup: a copy in the cloud's backup service, which stays when the volume is deleted."`
	Container *string `json:"container,omitempty" rule:"min=1,max=255" doc:"Place of the backups, in the form of the cloud's backup service; the cloud decides if left out."`
	OnDelete  string  `json:"onDelete,omitempty" rule:"enum=keep|delete,default=keep" doc:"What happens to the snapshots or backups when this manifest is removed. keep: they stay in the cloud with their marks, and can be restored. delete: all of them are deleted."`
}

// Kind is the kind VolumeSnapshotSchedule over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	r, d := rules{}, driver{c, time.Now}
	return typed.Kind[Spec, struct{}, series]{
		Info: kind.Info{
			Lists: []string{cloud.BlockStorage + "/snapshots", cloud.BlockStorage + "/backups"},
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: Name, Service: cloud.BlockStorage, StaysMarked: true,
			HoldsData: true, Loss: []string{"all snapshots and backups of the series"},
			Unmark: "openstack volume snapshot unset --property stackreeve --property stackreeve-applied <id>, or volume backup unset, for each object of the series",
			Doc: "Regular snapshots or backups of a Volume, of which some are kept (Cinder). The object in the cloud is the series of all snapshots or backups with its mark. " +
				"Plans and the brake leave out the snapshots that are taken or deleted regularly. The field restoreFrom of a Volume makes it from a series.",
		},
		Validate: r.Validate, Lasts: r.Lasts, QuotaNeeded: r.QuotaNeeded, QuotaUsed: r.QuotaUsed, Diff: r.Diff, Status: r.Status, Upkeep: r.Upkeep,
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}.Flat()
}

// Name is the name of the kind.
const Name = "VolumeSnapshotSchedule"
