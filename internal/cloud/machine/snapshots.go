package machine

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Snapshots are snapshots that are regularly taken of a volume. The fields are those of VolumeSnapshotSchedule,
// which validates them.
type Snapshots struct {
	Schedule  string  `json:"schedule" rule:"required" doc:"Times at which a snapshot is taken, such as 0 3 * * * or @every 6h. The first one is taken immediately." example:"0 3 * * *"`
	TimeZone  string  `json:"timeZone,omitempty" doc:"Time zone of the schedule, such as Europe/Berlin; UTC if left out."`
	Keep      int     `json:"keep" rule:"required,min=1" doc:"How many snapshots or backups of each volume are kept."`
	KeepFor   *string `json:"keepFor,omitempty" doc:"Snapshots or backups are removed if they are older than the newest one by more than this time, such as 720h."`
	Type      string  `json:"type,omitempty" rule:"enum=Snapshot|Backup,default=Snapshot" doc:"Snapshot: on the volume's own storage. Backup: a copy in the cloud's backup service, which stays when the volume is deleted."`
	Container *string `json:"container,omitempty" doc:"Container in which backups are stored; the cloud decides if left out."`
	OnDelete  string  `json:"onDelete,omitempty" rule:"enum=keep|delete" doc:"What happens to the snapshots or backups when the machine or the volume is removed from the manifest. keep: they stay, with their marks. delete: they are deleted. If left out, they stay, except snapshots of a volume that is also deleted."`
}

// Ends returns what happens to the snapshots when the volume is removed. volume is what happens to the volume:
// it cannot be deleted before its snapshots.
func (s *Snapshots) Ends(volume string) string {
	if s.OnDelete == "" && volume == "delete" && s.Type != "Backup" {
		return "delete"
	}
	return cmp.Or(s.OnDelete, "keep")
}

// RestoreFrom names the volume whose snapshots or backups a new volume starts from.
type RestoreFrom struct {
	Group   string  `json:"group,omitempty" doc:"VirtualMachineGroup of the other volume, even if its manifest was removed. Each machine gets the data of the machine with the same number."`
	Machine string  `json:"machine,omitempty" doc:"VirtualMachine of the other volume. Give either this or group."`
	Volume  string  `json:"volume,omitempty" rule:"format=label" doc:"Name of the volume within that machine; the name of this volume if left out."`
	Before  *string `json:"before,omitempty" doc:"A time such as 2026-05-04T03:00:00Z: the newest snapshot or backup up to this time is restored. If left out, the newest of all." example:"2026-05-04T03:00:00Z"`
}

func (f *RestoreFrom) validate(at string, r *kind.Report) {
	if f != nil && (f.Group == "") == (f.Machine == "") {
		r.Problem(at, "names no group or machine, or both of them", "give either group or machine")
	}
}

// Schedule is the name of the VolumeSnapshotSchedule for the machine and volume of those names; ok is false if
// the machine's name has no number.
func (f *RestoreFrom) Schedule(machine, volume string) (name string, ok bool) {
	from := f.Machine
	if f.Group != "" {
		at := strings.LastIndexByte(machine, '-') + 1
		if number := machine[at:]; at == 0 || number == "" || strings.Trim(number, "0123456789") != "" {
			return "", false
		}
		from = f.Group + "-" + machine[at:]
	}
	return from + "-" + cmp.Or(f.Volume, volume), true
}
