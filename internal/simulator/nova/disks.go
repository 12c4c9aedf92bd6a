package nova

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// disk is one entry of block_device_mapping_v2.
type disk struct {
	source, destination, ref, kind, device string
	size                                   int
	boot, temporary                        bool
	tag                                    *string
}

// volume reports whether the disk becomes a volume.
func (d disk) volume() bool { return d.destination == "volume" }

// attachment is a volume that is attached to a server.
type attachment struct {
	id, bdm, volume, device string
	boot, temporary         bool // temporary: delete_on_termination
	tag                     *string
}

// takeDisks reads the block devices (compute/api.py: _validate_bdm).
func (n *Nova) takeDisks(c *call, s *Server, in *pyjson.Object) error {
	var boots []int
	for _, item := range in.List("block_device_mapping_v2") {
		o, _ := item.(*pyjson.Object)
		d := disk{source: o.Text("source_type"), destination: o.Text("destination_type"), ref: o.Text("uuid"), kind: o.Text("volume_type"), device: o.Text("device_name")}
		d.size, _ = strconv.Atoi(o.Text("volume_size"))
		if v, ok := o.Get("delete_on_termination"); ok {
			d.temporary = pyjson.Truthy(v)
		}
		if o.Has("tag") {
			tag := o.Text("tag")
			d.tag = &tag
		}
		if index, err := strconv.Atoi(o.Text("boot_index")); err == nil && index >= 0 {
			boots, d.boot = append(boots, index), index == 0
		}
		if err := n.checkDisk(c, &d); err != nil {
			return err
		}
		s.disks = append(s.disks, d)
	}
	slices.Sort(boots)
	for i, index := range boots {
		if i != index {
			return badBoot()
		}
	}
	if len(s.disks) > 0 && len(boots) == 0 {
		return badBoot()
	}
	return nil
}

func badBoot() error {
	return badRequest("Block Device Mapping is Invalid: Boot sequence for the instance and image/block device mapping combination is not valid.")
}

func (n *Nova) checkDisk(c *call, d *disk) error {
	if d.destination == "" {
		d.destination = "local"
		if d.source == "volume" || d.source == "snapshot" {
			d.destination = "volume"
		}
	}
	invalid := func(detail string) error { return badRequest("Block Device Mapping is Invalid: %s", detail) }
	switch {
	case d.source == "" || d.source != "blank" && d.ref == "":
		return invalid("Missing device UUID.")
	case d.source == "volume" && d.destination != "volume", d.source == "snapshot" && d.destination != "volume":
		return invalid(fmt.Sprintf("Mapping %s to %s is not supported.", d.source, d.destination))
	case d.source == "image":
		if _, ok := n.images.Visible(c.Caller, d.ref); !ok {
			return invalid(fmt.Sprintf("failed to get image %s.", d.ref))
		}
		switch {
		case d.volume() && d.size == 0:
			return badRequest("Images with destination_type 'volume' need to have a non-zero size specified")
		case d.volume():
			return n.checkVolume(c, d)
		}
	case d.source == "blank" && d.volume() && d.size == 0:
		return badRequest("Blank volumes (source: 'blank', dest: 'volume') need to have non-zero size")
	case d.volume() && d.source != "volume":
		return n.checkVolume(c, d)
	case d.source == "volume":
		v, err := n.volumes.Find(c.Caller, d.ref)
		if err != nil {
			return invalid(fmt.Sprintf("failed to get volume %s.", d.ref))
		}
		if d.boot && !v.Bootable {
			return badRequest("Block Device %s is not bootable.", d.ref)
		}
		return usableVolume(v)
	}
	return nil
}

// checkVolume checks in Cinder whether the volume for a disk could be created.
func (n *Nova) checkVolume(c *call, d *disk) error {
	if err := n.volumes.Check(c.Caller, d.spec("")); err != nil {
		return badRequest("%s", message(err))
	}
	return nil
}

func (d *disk) spec(zone string) VolumeSpec {
	spec := VolumeSpec{Size: d.size, Type: d.kind, Zone: zone}
	switch d.source {
	case "image":
		spec.Image = d.ref
	case "snapshot":
		spec.Snapshot = d.ref
	}
	return spec
}

func usableVolume(v VolumeInfo) error {
	if v.Status == "available" || v.Status == "in-use" && v.Multiattach {
		return nil
	}
	return badRequest("Invalid volume: Invalid input received: Invalid volume: Volume %s status must be available or in-use or downloading to reserve, but the current status is %s.", v.ID, v.Status)
}

// reserveAll reserves the existing volumes of a new server.
func (n *Nova) reserveAll(s *Server) error {
	for _, d := range s.disks {
		if d.source != "volume" {
			continue
		}
		if err := n.attach(s, d, d.ref); err != nil {
			n.detachAll(s)
			return badRequest("Block Device Mapping is Invalid: failed to get volume %s.", d.ref)
		}
	}
	return nil
}

// attachAll makes and attaches the volumes of a new server.
func (n *Nova) attachAll(s *Server) error {
	for _, d := range s.disks {
		if d.source == "volume" || !d.volume() {
			continue
		}
		id, err := n.volumes.Create(s.Project, s.User, d.spec(s.Zone))
		if err != nil {
			return fmt.Errorf("%s", message(err))
		}
		if err := n.attach(s, d, id); err != nil {
			return err
		}
	}
	return nil
}

func (n *Nova) attach(s *Server, d disk, volume string) error {
	a := &attachment{bdm: n.cloud.UUID(), volume: volume, device: d.device, boot: d.boot, temporary: d.temporary, tag: d.tag}
	if a.device == "" {
		a.device = s.nextDevice(d.boot)
	}
	var err error
	if a.id, err = n.volumes.Attach(volume, s.ID, s.Host, a.device); err != nil {
		return fmt.Errorf("attach volume %s: %w", volume, err)
	}
	s.attached = append(s.attached, a)
	return nil
}

// nextDevice returns the first free device name after that of the root disk.
func (s *Server) nextDevice(root bool) string {
	if root {
		return "/dev/vda"
	}
	for letter := 'b'; letter <= 'z'; letter++ {
		name := "/dev/vd" + string(letter)
		if !slices.ContainsFunc(s.attached, func(a *attachment) bool { return a.device == name }) {
			return name
		}
	}
	return "/dev/vdaa"
}

// detachAll detaches the volumes of a server, and deletes those with
// delete_on_termination.
func (n *Nova) detachAll(s *Server) {
	for _, a := range s.attached {
		// A volume that no longer exists needs no detachment.
		_ = n.volumes.Detach(a.volume, s.ID, a.temporary)
	}
	s.attached = nil
}

// volumesView returns the attribute os-extended-volumes:volumes_attached.
func (s *Server) volumesView(minor int) []any {
	out := []any{}
	for _, a := range s.attached {
		v := map[string]any{"id": a.volume}
		if minor >= 3 {
			v["delete_on_termination"] = a.temporary
		}
		out = append(out, v)
	}
	return out
}
