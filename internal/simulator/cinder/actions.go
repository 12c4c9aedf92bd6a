package cinder

import (
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/simulator/glance"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (b *Cinder) act(c *call) (*oslo.Response, error) {
	v, err := pyjson.Parse(c.Body())
	body, ok := v.(*pyjson.Object)
	if err != nil || !ok || len(body.Keys()) != 1 {
		return nil, badRequest("Malformed request body")
	}
	actions := map[string]func(*call, *Volume, *pyjson.Object) (*oslo.Response, error){
		"os-extend": b.extend, "os-retype": b.retype, "os-reimage": b.reimage, "os-reset_status": b.resetStatus, "os-set_bootable": b.setBootable, "os-update_readonly_flag": b.setReadOnly,
		"os-volume_upload_image": b.uploadImage, "os-set_image_metadata": b.setImageMetadata, "os-force_delete": b.forceDelete, "os-reserve": b.reserve, "os-unreserve": b.unreserve,
	}
	name := body.Keys()[0]
	act, known := actions[name]
	if !known {
		return nil, badRequest("There is no such action: %s. Verify the request body and Content-Type header and try again.", name)
	}
	vol, err := b.find(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	return act(c, vol, body.Object(name))
}

func accepted() (*oslo.Response, error) { return oslo.Accepted(nil), nil }

var extendSchema = wrapped("os-extend", &pyjson.Schema{Types: []string{"object"}, Required: []string{"new_size"}, Closed: true, Props: []pyjson.Prop{{Name: "new_size",
	Schema: &pyjson.Schema{Types: []string{"integer", "string"}, Pattern: "^[0-9]+$", Minimum: pyjson.Int64(1)}}}})

// extend mirrors cinder/volume/api.py: extend. A volume in use can be extended from 3.42 on.
func (b *Cinder) extend(c *call, v *Volume, in *pyjson.Object) (*oslo.Response, error) {
	if _, err := c.read(extendSchema); err != nil {
		return nil, err
	}
	size, err := strconv.Atoi(in.Text("new_size"))
	switch {
	case err != nil:
		return nil, badRequest("Invalid input received: New volume size must be specified as an integer.")
	case v.Status == "in-use" && c.minor < 42, v.Status != "available" && v.Status != "in-use":
		return nil, badRequest("Invalid volume: Volume %s status must be '{'status': 'available'}' to extend, currently %s.", v.ID, v.Status)
	case size <= v.Size:
		return nil, badRequest("Invalid input received: New size for extend must be greater than current size. (current: %d, extended: %d).", v.Size, size)
	}
	if err := b.room(v.Project, v.Type.Name, 0, size-v.Size); err != nil {
		return nil, err
	}
	back := v.Status
	b.to(v, "extending", back, func(v *Volume) { v.Size = size })
	return accepted()
}

var retypeSchema = wrapped("os-retype", &pyjson.Schema{Types: []string{"object"}, Required: []string{"new_type"}, Closed: true, Props: []pyjson.Prop{
	{Name: "new_type", Schema: pyjson.String(0, 0)},
	{Name: "migration_policy", Schema: &pyjson.Schema{Types: []string{"string", "null"}, Enum: []any{"on-demand", "never"}}}}})

// retype mirrors cinder/volume/api.py: retype. If the new type needs other storage, and the request does not
// allow a migration, the volume is not changed. The answer does not report that (volume/manager.py: retype).
func (b *Cinder) retype(c *call, v *Volume, in *pyjson.Object) (*oslo.Response, error) {
	if _, err := c.read(retypeSchema); err != nil {
		return nil, err
	}
	ref := in.Text("new_type")
	t, ok := b.typeBy(c.Caller, ref)
	switch {
	case !ok:
		return nil, notFound("Volume type with name %s could not be found.", ref)
	case v.Status != "available" && (v.Type.Specs["multiattach"] == "<is> True") != (t.Specs["multiattach"] == "<is> True"):
		return nil, badRequest("Invalid input received: Invalid volume_type passed, retypes affecting multiattach are only allowed on available volumes, the specified volume however currently has a status of: %s.", v.Status)
	case v.Status != "available" && v.Status != "in-use", t == v.Type:
		return nil, badRequest("Invalid volume: Retype needs volume to be in available or in-use state, not be part of an active migration or a consistency group, requested type has to be different that the one from the volume, and for in-use volumes front-end qos specs cannot change.")
	}
	const backend = "volume_backend_name"
	stays := v.Type.Specs[backend] != t.Specs[backend] && in.Text("migration_policy") != "on-demand"
	b.to(v, "retyping", v.Status, func(v *Volume) {
		if !stays {
			v.Type = t
		}
	})
	return accepted()
}

var reimageSchema = wrapped("os-reimage", &pyjson.Schema{Types: []string{"object"}, Required: []string{"image_id"}, Closed: true, Props: []pyjson.Prop{
	{Name: "image_id", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}}, {Name: "reimage_reserved", Schema: pyjson.Boolean}}})

// reimage mirrors cinder/volume/api.py: reimage, from 3.68 on. The status changes before the image is checked.
func (b *Cinder) reimage(c *call, v *Volume, in *pyjson.Object) (*oslo.Response, error) {
	if c.minor < 68 {
		return nil, badRequest("There is no such action: os-reimage. Verify the request body and Content-Type header and try again.")
	}
	if _, err := c.read(reimageSchema); err != nil {
		return nil, err
	}
	if v.Status != "available" && v.Status != "error" {
		return nil, badRequest("Volume %s status must be available or error, but current status is %s.", v.ID, v.Status)
	}
	if err := b.takeSource(c.Caller, v, "", "", in.Text("image_id")); err != nil {
		return nil, err
	}
	b.to(v, "downloading", v.Status, nil)
	return accepted()
}

func (b *Cinder) resetStatus(c *call, v *Volume, in *pyjson.Object) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, disallowed("volume_extension:volume_admin_actions:reset_status")
	}
	known := []string{"creating", "available", "deleting", "error", "error_deleting", "error_managing", "managing", "attaching", "detaching", "in-use", "maintenance", "reserved"}
	if status := in.Text("status"); status != "" {
		if !slices.Contains(known, status) {
			return nil, badRequest("Must specify a valid status")
		}
		v.Status = status
	}
	b.touch(v)
	return accepted()
}

func (b *Cinder) forceDelete(c *call, v *Volume, _ *pyjson.Object) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, disallowed("volume_extension:volume_admin_actions:force_delete")
	}
	b.to(v, "deleting", "deleted", func(v *Volume) { b.volumes.Remove(v.ID) })
	return accepted()
}

func (b *Cinder) setBootable(_ *call, v *Volume, in *pyjson.Object) (*oslo.Response, error) {
	flag, ok := in.Get("bootable")
	if !ok {
		return nil, badRequest("Invalid input for field/attribute os-set_bootable. Value: {}. 'bootable' is a required property")
	}
	v.Bootable = pyjson.Truthy(flag)
	b.touch(v)
	return &oslo.Response{Status: 200}, nil
}

func (b *Cinder) setReadOnly(_ *call, v *Volume, in *pyjson.Object) (*oslo.Response, error) {
	flag, ok := in.Get("readonly")
	if !ok {
		return nil, badRequest("Invalid input for field/attribute os-update_readonly_flag. Value: {}. 'readonly' is a required property")
	}
	if v.Status != "available" {
		return nil, badRequest("Invalid volume: Volume %s status must be available to update readonly flag, but current status is: %s.", v.ID, v.Status)
	}
	if v.ReadOnly = "False"; pyjson.Truthy(flag) {
		v.ReadOnly = "True"
	}
	b.touch(v)
	return accepted()
}

func (b *Cinder) setImageMetadata(_ *call, v *Volume, in *pyjson.Object) (*oslo.Response, error) {
	if v.image == nil {
		v.image = map[string]string{}
	}
	for key, value := range texts(in.Object("metadata")) {
		v.image[key] = value
	}
	return oslo.OK(map[string]any{"metadata": v.image}), nil
}

// uploadImage makes an image from a volume.
func (b *Cinder) uploadImage(c *call, v *Volume, in *pyjson.Object) (*oslo.Response, error) {
	force, _ := in.Get("force")
	if v.Status != "available" && !(v.Status == "in-use" && pyjson.Truthy(force)) {
		return nil, badRequest("Invalid volume: Volume %s status must be available to upload to image, but current status is: %s.", v.ID, v.Status)
	}
	format := func(key, def string) string {
		if s := in.Text(key); s != "" {
			return s
		}
		return def
	}
	i := b.images.Create(v.Project, glance.Spec{Name: in.Text("image_name"), DiskFormat: format("disk_format", "raw"), ContainerFormat: format("container_format", "bare"), MinDisk: v.Size}, nil)
	back := v.Status
	b.to(v, "uploading", back, func(*Volume) { b.images.Store(i.ID, make([]byte, 4096)) })
	return oslo.Accepted(map[string]any{"os-volume_upload_image": map[string]any{"id": v.ID, "status": "uploading", "size": v.Size, "image_id": i.ID,
		"image_name": in.Text("image_name"), "disk_format": format("disk_format", "raw"), "container_format": format("container_format", "bare"),
		"display_description": v.Description, "updated_at": stamp(v.Updated), "volume_type": map[string]any{"id": v.Type.ID, "name": v.Type.Name}}}), nil
}

func (b *Cinder) reserve(_ *call, v *Volume, _ *pyjson.Object) (*oslo.Response, error) {
	if v.Status != "available" {
		return nil, badRequest("Invalid volume: Volume status must be available to reserve, but the status is %s.", v.Status)
	}
	v.Status = "attaching"
	b.touch(v)
	return accepted()
}

func (b *Cinder) unreserve(_ *call, v *Volume, _ *pyjson.Object) (*oslo.Response, error) {
	if v.Status == "attaching" {
		v.Status = "available"
		b.touch(v)
	}
	return accepted()
}
