package cinder

import (
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// attachment connects a volume with a server. Its status is reserved, then attaching, then attached.
type attachment struct {
	ID, Volume, Server, Host, Device, Status, Mode string
	Connection                                     map[string]any
	Attached                                       time.Time
}

func (b *Cinder) addAttachments() {
	b.handle("GET", "attachments", 27, b.listAttachments(false))
	b.handle("GET", "attachments/detail", 27, b.listAttachments(true))
	b.handle("POST", "attachments", 27, b.createAttachment)
	b.handle("GET", "attachments/{id}", 27, b.showAttachment)
	b.handle("PUT", "attachments/{id}", 27, b.updateAttachment)
	b.handle("DELETE", "attachments/{id}", 27, b.deleteAttachment)
	b.handle("POST", "attachments/{id}/action", 44, b.completeAttachment)
}

func (b *Cinder) attachedTo(volume string) []*attachment {
	return b.attachments.Where(func(a *attachment) bool { return a.Volume == volume })
}

// attachmentsOf returns the attribute "attachments" of a volume. It contains only attachments with the status
// attached.
func (b *Cinder) attachmentsOf(c *call, v *Volume) []any {
	out := []any{}
	if v.Status == "available" || v.Status == "creating" {
		return out
	}
	for _, a := range b.attachedTo(v.ID) {
		if a.Status != "attached" {
			continue
		}
		var host *string
		if c.Caller.Admin() {
			host = &a.Host
		}
		out = append(out, map[string]any{"id": v.ID, "attachment_id": a.ID, "volume_id": v.ID, "server_id": a.Server, "host_name": host, "device": a.Device, "attached_at": stamp(a.Attached)})
	}
	return out
}

// claim reserves a volume for a server.
func (b *Cinder) claim(v *Volume, server, host, device string) (*attachment, error) {
	free := v.Status == "available" || v.Status == "downloading" || v.Multiattach && (v.Status == "in-use" || v.Status == "reserved")
	if !free {
		return nil, badRequest("Invalid volume: Volume %s status must be available or downloading to reserve, but the current status is %s.", v.ID, v.Status)
	}
	a := &attachment{ID: b.cloud.UUID(), Volume: v.ID, Server: server, Host: host, Device: device, Status: "reserved", Mode: "null", Connection: map[string]any{}}
	b.attachments.Add(a)
	if v.Status != "in-use" {
		v.Status = "reserved"
	}
	b.touch(v)
	return a, nil
}

func (b *Cinder) complete(a *attachment) {
	v, ok := b.volumes.Get(a.Volume)
	if _, still := b.attachments.Get(a.ID); !ok || !still {
		return
	}
	a.Status, a.Mode, a.Attached = "attached", "rw", b.cloud.Now()
	v.Status = "in-use"
	b.touch(v)
}

func (b *Cinder) release(a *attachment) {
	b.attachments.Remove(a.ID)
	v, ok := b.volumes.Get(a.Volume)
	if !ok {
		return
	}
	if len(b.attachedTo(v.ID)) == 0 && (v.Status == "in-use" || v.Status == "reserved" || v.Status == "attaching" || v.Status == "detaching") {
		v.Status = "available"
	}
	b.touch(v)
}

// view mirrors cinder/api/v3/views/attachments.py.
func (a *attachment) view(detail bool) map[string]any {
	v := map[string]any{"id": a.ID, "status": a.Status, "instance": a.Server, "volume_id": a.Volume}
	if detail {
		v["attached_at"], v["detached_at"], v["attach_mode"], v["connection_info"] = stamp(a.Attached), nil, a.Mode, a.Connection
	}
	return v
}

func (b *Cinder) listAttachments(detail bool) handler {
	return func(c *call) (*oslo.Response, error) {
		l, err := b.listing(c)
		if err != nil {
			return nil, err
		}
		q := c.Query()
		recs := b.attachments.Where(func(a *attachment) bool {
			v, ok := b.volumes.Get(a.Volume)
			fits := func(key, have string) bool { return !q.Has(key) || q.Get(key) == have }
			return ok && (v.Project == c.Caller.ProjectID || c.Caller.Admin() && oslo.Truthy(q.Get("all_tenants"))) &&
				fits("volume_id", a.Volume) && fits("instance_id", a.Server) && fits("status", a.Status)
		})
		slices.Reverse(recs)
		recs, err = cut(c, l, recs, func(a *attachment) string { return a.ID }, func(id string) error {
			return notFound("Volume attachment could not be found with filter: attachment_id = %s.", id)
		})
		if err != nil {
			return nil, err
		}
		views, last := []any{}, ""
		for _, a := range recs {
			last = a.ID
			views = append(views, a.view(detail))
		}
		return l.answer(c, "attachments", "attachments", views, last), nil
	}
}

func (b *Cinder) findAttachment(c *call) (*attachment, error) {
	a, ok := b.attachments.Get(c.id())
	if ok {
		if _, err := b.find(c.Caller, a.Volume); err == nil {
			return a, nil
		}
	}
	return nil, notFound("Volume attachment could not be found with filter: attachment_id = %s.", c.id())
}

func (b *Cinder) showAttachment(c *call) (*oslo.Response, error) {
	a, err := b.findAttachment(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"attachment": a.view(true)}), nil
}

var attachmentSchema = wrapped("attachment", &pyjson.Schema{Types: []string{"object"}, Required: []string{"volume_uuid"}, Props: []pyjson.Prop{
	{Name: "instance_uuid", Schema: &pyjson.Schema{Types: []string{"string", "null"}, Format: "uuid"}}, {Name: "volume_uuid", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}},
	{Name: "connector", Schema: &pyjson.Schema{Types: []string{"object", "null"}}}}})

func (b *Cinder) createAttachment(c *call) (*oslo.Response, error) {
	body, err := c.read(attachmentSchema)
	if err != nil {
		return nil, err
	}
	in := body.Object("attachment")
	v, err := b.find(c.Caller, in.Text("volume_uuid"))
	if err != nil {
		return nil, err
	}
	connector := in.Object("connector")
	a, err := b.claim(v, in.Text("instance_uuid"), connector.Text("host"), connector.Text("mountpoint"))
	if err != nil {
		return nil, err
	}
	if connector != nil {
		b.connect(a, connector)
	}
	return oslo.OK(map[string]any{"attachment": a.view(true)}), nil
}

// connect stores the connection of an attachment. The status becomes attached only by a later request,
// os-complete.
func (b *Cinder) connect(a *attachment, connector *pyjson.Object) {
	a.Status, a.Mode = "attaching", "rw"
	if device := connector.Text("mountpoint"); device != "" {
		a.Device = device
	}
	a.Host = connector.Text("host")
	a.Connection = map[string]any{"driver_volume_type": "fake", "target_lun": 1, "volume_id": a.Volume, "attachment_id": a.ID, "access_mode": "rw"}
	if v, ok := b.volumes.Get(a.Volume); ok && v.Status == "reserved" {
		v.Status = "attaching"
		b.touch(v)
	}
}

func (b *Cinder) updateAttachment(c *call) (*oslo.Response, error) {
	body, err := c.read(wrapped("attachment", &pyjson.Schema{Types: []string{"object"}, Required: []string{"connector"}}))
	if err != nil {
		return nil, err
	}
	a, err := b.findAttachment(c)
	if err != nil {
		return nil, err
	}
	connector := body.Object("attachment").Object("connector")
	if connector == nil {
		return nil, badRequest("Invalid input for field/attribute connector. Value: None. None is not of type 'object'")
	}
	b.connect(a, connector)
	return oslo.OK(map[string]any{"attachment": a.view(true)}), nil
}

func (b *Cinder) completeAttachment(c *call) (*oslo.Response, error) {
	a, err := b.findAttachment(c)
	if err != nil {
		return nil, err
	}
	if a.Status != "attaching" && a.Status != "reserved" {
		return nil, badRequest("Invalid volume: %s", fmt.Sprintf("Volume status must be attaching, but is %s.", a.Status))
	}
	b.complete(a)
	return oslo.NoContent(), nil
}

func (b *Cinder) deleteAttachment(c *call) (*oslo.Response, error) {
	a, err := b.findAttachment(c)
	if err != nil {
		return nil, err
	}
	b.release(a)
	views := []any{}
	for _, left := range b.attachedTo(a.Volume) {
		views = append(views, left.view(false))
	}
	return oslo.OK(map[string]any{"attachments": views}), nil
}
