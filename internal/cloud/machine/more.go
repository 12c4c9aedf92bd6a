package machine

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Volume is a disk in addition to the one that a machine boots from: a new volume that belongs to
// the machine, or an existing volume.
type Volume struct {
	Name      string `json:"name,omitempty" rule:"format=label" doc:"Name of the volume within the machine. The Volume is called MACHINE-NAME. Required with size."`
	Size      *int   `json:"size,omitempty" rule:"min=1" doc:"Size in GiB of a new volume for this machine, in addition to its boot disk. The size can be raised while the machine runs. It cannot be lowered."`
	Type      string `json:"type,omitempty" doc:"Volume type; the cloud decides if left out."`
	OnDelete  string `json:"onDelete,omitempty" rule:"enum=delete|detach" doc:"What happens to the volume when it is removed from the machine, or when the machine is removed. delete: the volume is deleted with all its data; default for a VirtualMachine. detach: the volume stays in the cloud, and is attached again when the manifest has the volume and the machine again; default for the machines of a VirtualMachineGroup."`
	VolumeRef string `json:"volumeRef,omitempty" rule:"min=1" doc:"A volume that stays when the machine is removed, instead of size: a Volume of the repository, or an existing volume."`

	Snapshots   *Snapshots   `json:"snapshots,omitempty" doc:"Regular snapshots or backups of the volume, as the VolumeSnapshotSchedule MACHINE-NAME."`
	RestoreFrom *RestoreFrom `json:"restoreFrom,omitempty" doc:"Series of snapshots or backups. The volume is created with the data of the newest one. The field has no effect after the volume was created."`
}

// Interface is a connection to an additional network.
type Interface struct {
	Name           string   `json:"name" rule:"required,format=label" doc:"Name of the port within the machine. The Port is called MACHINE-NAME."`
	Network        string   `json:"network" rule:"required,min=1" doc:"Network of the port: a Network of the repository, or an existing one."`
	Subnet         string   `json:"subnet,omitempty" doc:"Subnet of its address; the cloud decides if left out."`
	FixedIP        string   `json:"fixedIP,omitempty" rule:"format=ip" doc:"Address of the machine on the network; the cloud decides if left out."`
	SecurityGroups []string `json:"securityGroups,omitempty" rule:"unique,max=64" doc:"Security groups, which decide who may connect to the machine; the cloud's default group if left out."`
}

// RootName is the name of the volume that a machine boots from.
const RootName = "root"

func (t *Template) validateMore(at string, r *kind.Report) {
	names, refs := map[string]int{}, map[string]int{}
	if t.RootVolume != nil {
		names[RootName] = -1
	}
	for i := range t.Volumes {
		v, field := &t.Volumes[i], fmt.Sprintf("%s.volumes[%d]", at, i)
		v.validate(field, r)
		twice(field+".name", v.Name, i, names, "the volume of rootVolume", r)
		twice(field+".volumeRef", v.VolumeRef, i, refs, "", r)
	}
	names = map[string]int{}
	for i := range t.Ports {
		twice(fmt.Sprintf("%s.ports[%d].name", at, i), t.Ports[i].Name, i, names, "", r)
	}
}

// twice reports a name that an earlier entry has. An index below 0 stands for an entry outside the
// list, which unlisted describes.
func twice(field, name string, i int, seen map[string]int, unlisted string, r *kind.Report) {
	first, found := seen[name]
	switch {
	case name == "":
	case !found:
		seen[name] = i
	case first < 0:
		r.Problem(field, name+" is the name of "+unlisted, "choose another name")
	default:
		r.Problem(field, fmt.Sprintf("%s is already given, in entry [%d]", name, first), "give each of them only once")
	}
}

func (v *Volume) validate(field string, r *kind.Report) {
	switch {
	case v.VolumeRef == "" && v.Size == nil:
		r.Problem(field, "names no volume", "give name and size for a new volume of the machine, or volumeRef for another volume")
	case v.VolumeRef == "" && v.Name == "":
		r.Problem(field+".name", "is missing", "give the volume a name, such as data; it keeps its data as long as it keeps its name")
	case v.VolumeRef == "":
		v.RestoreFrom.validate(field+".restoreFrom", r)
	case v.Size != nil:
		r.Problem(field+".size", "is given together with volumeRef", "keep one of the two; the manifest of a volume gives its size")
	case v.Snapshots != nil || v.RestoreFrom != nil:
		r.Problem(field+".volumeRef", "is given together with snapshots or restoreFrom", "remove those: write a VolumeSnapshotSchedule for the volume, or give restoreFrom in the manifest of the volume")
	case v.Name != "" || v.Type != "" || v.OnDelete == "detach":
		r.Problem(field+".volumeRef", "is given together with name, type or onDelete", "remove those: only the manifest of the volume can give them")
	}
}

// ValidateForMany reports fields of the template at that path that several machines cannot share.
func (t *Template) ValidateForMany(at string, machines int, r *kind.Report) {
	const one = "remove it, or describe the machines one by one"
	if t.FixedIP != "" {
		r.Problem(at+".fixedIP", "would give the same address to every machine", one)
	}
	for i := range t.Ports {
		if t.Ports[i].FixedIP != "" {
			r.Problem(fmt.Sprintf("%s.ports[%d].fixedIP", at, i), "would give the same address to every machine", one)
		}
	}
	for i := range t.Volumes {
		if t.Volumes[i].VolumeRef != "" && machines > 1 {
			r.Problem(fmt.Sprintf("%s.volumes[%d].volumeRef", at, i), fmt.Sprintf("would attach the same volume to all %d machines", machines), "give size and name instead, so that each has its own, or describe the machines one by one")
		}
	}
}
