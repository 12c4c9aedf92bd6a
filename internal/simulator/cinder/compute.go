package cinder

import (
	"github.com/stackreeve/stackreeve/internal/simulator/nova"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Compute is the part of Cinder that Nova calls. It implements nova.Volumes.
type Compute struct{ b *Cinder }

var _ nova.Volumes = Compute{}

// Compute returns the part of the service that Nova calls.
func (b *Cinder) Compute() Compute { return Compute{b} }

// Find implements nova.Volumes.
func (k Compute) Find(c *oslo.Caller, id string) (nova.VolumeInfo, error) {
	v, err := k.b.find(c, id)
	if err != nil {
		return nova.VolumeInfo{}, err
	}
	info := nova.VolumeInfo{ID: v.ID, Status: v.Status, Bootable: v.Bootable, Multiattach: v.Multiattach, Image: v.image["image_id"]}
	for _, a := range k.b.attachedTo(id) {
		info.Users = append(info.Users, a.Server)
	}
	return info, nil
}

// Create implements nova.Volumes.
func (k Compute) Create(project, user string, spec nova.VolumeSpec) (string, error) {
	empty := ""
	v := &Volume{ID: k.b.cloud.UUID(), Project: project, User: user, Name: &empty, Description: &empty, Size: spec.Size, Zone: zone, Metadata: map[string]string{}, Created: k.b.cloud.Now()}
	c := &oslo.Caller{ProjectID: project, UserID: user}
	kind := spec.Type
	if kind == "" {
		kind = k.b.inherited(spec.Snapshot, "")
	}
	if err := k.b.takeType(c, v, kind); err != nil {
		return "", err
	}
	if err := k.b.takeSource(c, v, spec.Snapshot, "", spec.Image); err != nil {
		return "", err
	}
	if err := k.b.build(v, nil); err != nil {
		return "", err
	}
	return v.ID, nil
}

// Attach implements nova.Volumes.
func (k Compute) Attach(id, server, host, device string) (string, error) {
	v, ok := k.b.volumes.Get(id)
	if !ok {
		return "", notFound("Volume %s could not be found.", id)
	}
	if v.Status == "creating" {
		v.Status = "available" // Nova created this volume, and has waited until it was available
		v.Bootable = v.image != nil
	}
	a, err := k.b.claim(v, server, host, device)
	if err != nil {
		return "", err
	}
	k.b.cloud.After(k.b.opts.BuildDelay, func() { k.b.complete(a) })
	return a.ID, nil
}

// Detach implements nova.Volumes.
func (k Compute) Detach(id, server string, remove bool) error {
	found := false
	for _, a := range k.b.attachedTo(id) {
		if a.Server == server {
			k.b.release(a)
			found = true
		}
	}
	v, ok := k.b.volumes.Get(id)
	switch {
	case !found || !ok:
		return notFound("Volume attachment could not be found with filter: instance_uuid = %s.", server)
	case !remove:
		return nil
	}
	if err := k.b.deletable(v); err != nil {
		return err
	}
	k.b.to(v, "deleting", "deleted", func(v *Volume) { k.b.volumes.Remove(v.ID) })
	return nil
}

// Reimage implements nova.Volumes. It mirrors cinder/volume/api.py: reimage, for a volume that Nova has
// reserved. Afterwards the volume has the status in-use again (nova/compute/manager.py:
// _rebuild_volume_backed_instance).
func (k Compute) Reimage(c *oslo.Caller, id, image string, done func(error)) error {
	v, err := k.b.find(c, id)
	if err != nil {
		return err
	}
	v.Status = "reserved"
	next := *v
	err = k.b.takeSource(c, &next, "", "", image)
	k.b.to(v, "downloading", "reserved", nil)
	k.b.cloud.After(k.b.opts.BuildDelay, func() {
		if err != nil {
			v.Status = "error"
			done(err)
			return
		}
		v.image, v.Bootable, v.Status = next.image, true, "in-use"
		k.b.touch(v)
		done(nil)
	})
	return nil
}

// Check implements nova.Volumes.
func (k Compute) Check(c *oslo.Caller, spec nova.VolumeSpec) error {
	if spec.Snapshot != "" {
		if _, err := k.b.findSnapshot(c, spec.Snapshot); err != nil {
			return err
		}
	}
	if _, ok := k.b.typeBy(c, spec.Type); spec.Type != "" && !ok {
		return notFound("Volume type %s could not be found.", spec.Type)
	}
	return nil
}
