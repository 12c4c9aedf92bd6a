package cinder

import (
	"net/http"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (b *Cinder) addVolumes() {
	b.handle("GET", "volumes", 0, b.list(false))
	b.handle("GET", "volumes/detail", 0, b.list(true))
	b.handle("GET", "volumes/summary", 12, b.summary)
	b.handle("POST", "volumes", 0, b.create)
	b.handle("GET", "volumes/{id}", 0, b.show)
	b.handle("PUT", "volumes/{id}", 0, b.update)
	b.handle("DELETE", "volumes/{id}", 0, b.remove)
	b.handle("POST", "volumes/{id}/action", 0, b.act)
	b.handle("GET", "volumes/{id}/metadata", 0, b.showMetadata)
	b.handle("POST", "volumes/{id}/metadata", 0, b.writeMetadata(false))
	b.handle("PUT", "volumes/{id}/metadata", 0, b.writeMetadata(true))
	b.handle("GET", "volumes/{id}/metadata/{key}", 0, b.showMetadataItem)
	b.handle("PUT", "volumes/{id}/metadata/{key}", 0, b.writeMetadataItem)
	b.handle("DELETE", "volumes/{id}/metadata/{key}", 0, b.deleteMetadataItem)
}

var sizeSchema = &pyjson.Schema{Types: []string{"integer", "string", "null"}, Pattern: "^[0-9]+$", Minimum: pyjson.Int64(1), Maximum: pyjson.Int64(1<<31 - 1)}

var optionalID = &pyjson.Schema{AnyOf: []*pyjson.Schema{{Types: []string{"string"}, Format: "uuid"}, {Types: []string{"null"}}}}

// createSchema mirrors cinder/api/schemas/volumes.py: create. It accepts unknown members.
var createSchema = wrapped("volume", &pyjson.Schema{Types: []string{"object"}, Props: []pyjson.Prop{
	{Name: "name", Schema: &pyjson.Schema{Types: []string{"string", "null"}}}, {Name: "description", Schema: &pyjson.Schema{Types: []string{"string", "null"}}},
	{Name: "volume_type", Schema: &pyjson.Schema{Types: []string{"string", "null"}, MaxLength: 255}}, {Name: "metadata", Schema: optionalMetadata},
	{Name: "snapshot_id", Schema: optionalID}, {Name: "source_volid", Schema: optionalID}, {Name: "backup_id", Schema: optionalID},
	{Name: "size", Schema: sizeSchema}, {Name: "availability_zone", Schema: &pyjson.Schema{Types: []string{"string", "null"}, MaxLength: 255}},
	{Name: "multiattach", Schema: &pyjson.Schema{AnyOf: []*pyjson.Schema{pyjson.Boolean, {Types: []string{"null"}}}}}, {Name: "imageRef", Schema: &pyjson.Schema{Types: []string{"string", "null"}, MaxLength: 255}}}})

// create mirrors cinder/api/v3/volumes.py: create, and the flow behind it.
func (b *Cinder) create(c *call) (*oslo.Response, error) {
	body, err := c.read(createSchema)
	if err != nil {
		return nil, err
	}
	in := body.Object("volume")
	if err := checkText(in, "name", "description"); err != nil {
		return nil, err
	}
	v := &Volume{ID: b.cloud.UUID(), Project: c.Caller.ProjectID, User: c.Caller.UserID, Name: stripped(in, "name"), Description: stripped(in, "description"),
		Zone: zone, Metadata: texts(in.Object("metadata")), Created: b.cloud.Now()}
	v.Size, _ = strconv.Atoi(in.Text("size"))
	if m, ok := in.Get("multiattach"); ok {
		v.Multiattach = pyjson.Truthy(m)
	}
	image := in.Text("imageRef")
	if image == "" {
		image = in.Text("image_id")
	}
	kind := in.Text("volume_type")
	if kind == "" {
		kind = b.inherited(in.Text("snapshot_id"), in.Text("source_volid"))
	}
	if err := b.takeType(c.Caller, v, kind); err != nil {
		return nil, err
	}
	if err := b.takeSource(c.Caller, v, in.Text("snapshot_id"), in.Text("source_volid"), image); err != nil {
		return nil, err
	}
	var from *backup
	if id := in.Text("backup_id"); id != "" && c.minor >= 47 {
		if from, err = b.restorable(c.Caller, v, id); err != nil {
			return nil, err
		}
	}
	if err := b.build(v, from); err != nil {
		return nil, err
	}
	return oslo.Accepted(map[string]any{"volume": b.view(c, v, true, false)}), nil
}

// build adds a volume if the quotas allow it. The volume becomes available after the delay. If from is not nil,
// the volume gets the contents of that backup.
func (b *Cinder) build(v *Volume, from *backup) error {
	if v.Size == 0 {
		return badRequest("The server could not comply with the request since it is either malformed or otherwise incorrect.")
	}
	if err := b.room(v.Project, v.Type.Name, 1, v.Size); err != nil {
		return err
	}
	b.volumes.Add(v)
	if backendOf(v.Type) != defaultType {
		b.reject(v)
		return nil
	}
	// A volume from an image is bootable once the image has been written.
	bootable := v.Bootable
	v.Bootable = bootable && (v.Snapshot != nil || v.Source != nil)
	if from != nil {
		from.Status = "restoring"
	}
	b.to(v, "creating", "available", func(v *Volume) {
		if v.Bootable = v.Bootable || bootable; from != nil {
			from.restore(v)
		}
	})
	return nil
}

// inherited returns the volume type of the snapshot or volume from which a new volume is made.
func (b *Cinder) inherited(snap, source string) string {
	if s, ok := b.snapshots.Get(snap); ok {
		source = s.Volume
	}
	if v, ok := b.volumes.Get(source); ok {
		return v.Type.ID
	}
	return ""
}

func (b *Cinder) takeType(c *oslo.Caller, v *Volume, ref string) error {
	if ref == "" {
		ref = defaultType
	}
	t, ok := b.typeBy(c, ref)
	if !ok {
		if pyjson.IsUUID(ref) {
			return notFound("Volume type %s could not be found.", ref)
		}
		return notFound("Volume type with name %s could not be found.", ref)
	}
	v.Type = t
	v.Multiattach = v.Multiattach || t.Specs["multiattach"] == "<is> True"
	return nil
}

// takeSource fills a volume from a snapshot, a volume or an image. The volume must be
// at least as large as its source (volume/flows/api/create_volume.py).
func (b *Cinder) takeSource(c *oslo.Caller, v *Volume, snap, source, image string) error {
	switch {
	case snap != "":
		s, err := b.findSnapshot(c, snap)
		if err != nil {
			return err
		}
		if s.Status != "available" {
			return badRequest("Invalid snapshot: Originating snapshot status must be one of 'available' values")
		}
		v.Snapshot = &s.ID
		if from, ok := b.volumes.Get(s.Volume); ok {
			v.Bootable, v.image = from.Bootable, from.image
		}
		return v.fit(s.Size, "Volume size '%dGB' cannot be smaller than the snapshot size %dGB. They must be >= original snapshot size.")
	case source != "":
		from, err := b.find(c, source)
		if err != nil {
			return err
		}
		if from.Status != "available" && from.Status != "in-use" {
			return badRequest("Invalid volume: Originating volume status must be one of 'available', 'in-use' values")
		}
		v.Source, v.Bootable, v.image = &from.ID, from.Bootable, from.image
		return v.fit(from.Size, "Volume size '%dGB' cannot be smaller than original volume size %dGB. They must be >= original volume size.")
	case image != "":
		i, ok := b.images.Visible(c, image)
		switch {
		case !ok:
			return badRequest("Invalid image identifier or unable to access requested image.")
		case i.Status != "active":
			return badRequest("Invalid input received: Image %s is not active.", image)
		}
		if least := max(i.MinDisk, (i.Size()+1<<30-1)>>30); v.Size > 0 && v.Size < least {
			return badRequest("Invalid input received: Volume size %dGB cannot be smaller than the image minDisk size %dGB.", v.Size, least)
		}
		v.Bootable = true
		v.image = map[string]string{"image_id": i.ID, "checksum": i.Checksum(), "container_format": "bare", "disk_format": "raw", "min_disk": strconv.Itoa(i.MinDisk), "min_ram": strconv.Itoa(i.MinRAM), "size": strconv.Itoa(i.Size())}
		if i.Name != nil {
			v.image["image_name"] = *i.Name
		}
	}
	return nil
}

func (v *Volume) fit(least int, format string) error {
	if v.Size == 0 {
		v.Size = least
	}
	if v.Size < least {
		e := badRequest(format, v.Size, least)
		e.Message = "Invalid input received: " + e.Message
		return e
	}
	return nil
}

func (b *Cinder) show(c *call) (*oslo.Response, error) {
	v, err := b.find(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"volume": b.view(c, v, false, true)}), nil
}

var updateSchema = wrapped("volume", &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: []pyjson.Prop{
	{Name: "name", Schema: &pyjson.Schema{Types: []string{"string", "null"}}}, {Name: "description", Schema: &pyjson.Schema{Types: []string{"string", "null"}}},
	{Name: "display_name", Schema: &pyjson.Schema{}}, {Name: "display_description", Schema: &pyjson.Schema{}}, {Name: "metadata", Schema: optionalMetadata}}})

func (b *Cinder) update(c *call) (*oslo.Response, error) {
	body, err := c.read(updateSchema)
	if err != nil {
		return nil, err
	}
	in := body.Object("volume")
	if err := checkText(in, "name", "description"); err != nil {
		return nil, err
	}
	v, err := b.find(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	if in.Has("name") {
		v.Name = stripped(in, "name")
	}
	if in.Has("description") {
		v.Description = stripped(in, "description")
	}
	if in.Object("metadata") != nil {
		v.Metadata = texts(in.Object("metadata"))
	}
	b.touch(v)
	return oslo.OK(map[string]any{"volume": b.view(c, v, false, false)}), nil
}

var errBusy = "Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing and must not be migrating, attached, belong to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer."

func (b *Cinder) deletable(v *Volume) error {
	switch v.Status {
	case "available", "error", "error_restoring", "error_extending", "error_managing":
	default:
		return badRequest("%s", errBusy)
	}
	if len(b.snapshotsOf(v.ID)) > 0 || len(b.attachedTo(v.ID)) > 0 {
		return badRequest("%s", errBusy)
	}
	return nil
}

func (b *Cinder) remove(c *call) (*oslo.Response, error) {
	v, err := b.find(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	if c.Query().Get("cascade") != "" && oslo.Truthy(c.Query().Get("cascade")) && len(b.attachedTo(v.ID)) == 0 {
		for _, s := range b.snapshotsOf(v.ID) {
			b.snapshots.Remove(s.ID)
		}
	}
	if err := b.deletable(v); err != nil {
		return nil, err
	}
	b.to(v, "deleting", "deleted", func(v *Volume) { b.volumes.Remove(v.ID) })
	return &oslo.Response{Status: http.StatusAccepted}, nil
}
