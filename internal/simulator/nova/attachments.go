package nova

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (n *Nova) addAttachments() {
	n.handle("GET /v2.1/servers/{id}/os-volume_attachments", 1, n.listAttachments)
	n.handle("POST /v2.1/servers/{id}/os-volume_attachments", 1, n.attachVolume)
	n.handle("GET /v2.1/servers/{id}/os-volume_attachments/{volume}", 1, n.showAttachment)
	n.handle("PUT /v2.1/servers/{id}/os-volume_attachments/{volume}", 1, n.updateAttachment)
	n.handle("DELETE /v2.1/servers/{id}/os-volume_attachments/{volume}", 1, n.detachVolume)
}

// view mirrors nova/api/openstack/compute/volume_attachments.py: _translate_attachment_detail_view.
func (a *attachment) view(c *call, server string) map[string]any {
	v := map[string]any{"volumeId": a.volume, "serverId": server, "device": a.device}
	if c.minor < 89 {
		v["id"] = a.volume
	} else {
		v["attachment_id"], v["bdm_uuid"] = a.id, a.bdm
	}
	if c.minor >= 70 {
		v["tag"] = a.tag
	}
	if c.minor >= 79 {
		v["delete_on_termination"] = a.temporary
	}
	return v
}

func (n *Nova) listAttachments(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, a := range s.attached {
		list = append(list, a.view(c, s.ID))
	}
	return oslo.OK(map[string]any{"volumeAttachments": list}), nil
}

func (n *Nova) findAttachment(c *call) (*Server, int, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, 0, err
	}
	at := slices.IndexFunc(s.attached, func(a *attachment) bool { return a.volume == c.PathValue("volume") })
	if at < 0 {
		return nil, 0, notFound("Instance %s is not attached to volume %s", s.ID, c.PathValue("volume"))
	}
	return s, at, nil
}

func (n *Nova) showAttachment(c *call) (*oslo.Response, error) {
	s, at, err := n.findAttachment(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"volumeAttachment": s.attached[at].view(c, s.ID)}), nil
}

func attachmentSchema(minor int) *pyjson.Schema {
	s := &pyjson.Schema{Types: []string{"object"}, Closed: true, Required: []string{"volumeId"}, Props: []pyjson.Prop{
		{Name: "volumeId", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}},
		{Name: "device", Schema: &pyjson.Schema{Types: []string{"string", "null"}, Pattern: `(^/dev/x{0,1}[a-z]{0,1}d{0,1})([a-z]+)[0-9]*$`}}}}
	if minor >= 49 {
		s.Props = append(s.Props, pyjson.Prop{Name: "tag", Schema: tagSchema})
	}
	if minor >= 79 {
		s.Props = append(s.Props, pyjson.Prop{Name: "delete_on_termination", Schema: pyjson.Boolean})
	}
	return wrapped("volumeAttachment", s)
}

func (n *Nova) attachVolume(c *call) (*oslo.Response, error) {
	body, err := c.read(attachmentSchema(c.minor))
	if err != nil {
		return nil, err
	}
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	in := body.Object("volumeAttachment")
	d := disk{ref: in.Text("volumeId"), device: in.Text("device")}
	if v, ok := in.Get("delete_on_termination"); ok {
		d.temporary = pyjson.Truthy(v)
	}
	if in.Has("tag") {
		tag := in.Text("tag")
		d.tag = &tag
	}
	if err := s.ready(c, "attach_volume", active, paused, stopped, resized, shelved, offloaded); err != nil {
		return nil, err
	}
	v, err := n.volumes.Find(c.Caller, d.ref)
	if err != nil {
		return nil, notFound("Volume %s could not be found.", d.ref)
	}
	switch {
	case slices.Contains(v.Users, s.ID), len(v.Users) > 0 && !v.Multiattach:
		return nil, badRequest("Invalid volume: volume %s is already attached to instances: %s", v.ID, strings.Join(v.Users, ", "))
	case v.Multiattach && c.minor < 60:
		return nil, badRequest("Multiattach volumes are only supported starting with compute API version 2.60.")
	case d.device != "" && slices.ContainsFunc(s.attached, func(a *attachment) bool { return a.device == d.device }):
		return nil, conflict("The supplied device path (%s) is in use.", d.device)
	}
	if err := usableVolume(v); err != nil {
		return nil, err
	}
	if err := n.attach(s, d, v.ID); err != nil {
		return nil, badRequest("Invalid volume: %s", message(err))
	}
	n.record(c, s, "attach_volume")
	a := s.attached[len(s.attached)-1]
	out := map[string]any{"id": v.ID, "serverId": s.ID, "volumeId": v.ID, "device": a.device}
	if c.minor >= 70 {
		out["tag"] = a.tag
	}
	if c.minor >= 79 {
		out["delete_on_termination"] = a.temporary
	}
	return oslo.OK(map[string]any{"volumeAttachment": out}), nil
}

// updateAttachment writes delete_on_termination, from 2.85 on. It refuses to replace the volume, because only
// Cinder may do that.
func (n *Nova) updateAttachment(c *call) (*oslo.Response, error) {
	var in struct {
		Attachment struct {
			VolumeID  string `json:"volumeId"`
			Temporary any    `json:"delete_on_termination"`
		} `json:"volumeAttachment"`
	}
	if !c.Decode(&in) || in.Attachment.VolumeID == "" {
		return nil, badRequest("Invalid input for field/attribute volumeAttachment. Value: {}. 'volumeId' is a required property")
	}
	s, at, err := n.findAttachment(c)
	if err != nil {
		return nil, err
	}
	a := s.attached[at]
	if c.minor < 85 || in.Attachment.VolumeID != a.volume {
		if !c.Caller.Admin() {
			return nil, disallowed("os-volumes-attachments:swap")
		}
		return nil, conflict("volume %s is not migrating; this API should only be called by Cinder", a.volume)
	}
	if in.Attachment.Temporary != nil {
		a.temporary = pyjson.Truthy(in.Attachment.Temporary)
	}
	return oslo.Accepted(nil), nil
}

func (n *Nova) detachVolume(c *call) (*oslo.Response, error) {
	if _, err := n.volumes.Find(c.Caller, c.PathValue("volume")); err != nil {
		return nil, notFound("Volume %s could not be found.", c.PathValue("volume"))
	}
	s, at, err := n.findAttachment(c)
	if err != nil {
		return nil, err
	}
	a := s.attached[at]
	if a.boot && s.VMState != offloaded {
		return nil, badRequest("Cannot detach a root device volume")
	}
	if err := s.ready(c, "detach_volume", active, paused, stopped, resized, shelved, offloaded); err != nil {
		return nil, err
	}
	n.record(c, s, "detach_volume")
	id := s.ID
	n.cloud.After(0, func() {
		s, ok := n.live(id)
		if !ok {
			return
		}
		if at := slices.Index(s.attached, a); at >= 0 {
			s.attached = slices.Delete(slices.Clone(s.attached), at, at+1)
			// If an admin has deleted the volume in the meantime, there is nothing to detach.
			_ = n.volumes.Detach(a.volume, id, false)
			n.touch(s)
		}
	})
	return oslo.Accepted(nil), nil
}
