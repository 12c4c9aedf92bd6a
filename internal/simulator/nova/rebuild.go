package nova

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/glance"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func rebuildSchema(minor int) *pyjson.Schema {
	s := &pyjson.Schema{Types: []string{"object"}, Closed: true, Required: []string{"imageRef"}, Props: []pyjson.Prop{
		{Name: "name", Schema: serverName}, {Name: "imageRef", Schema: &pyjson.Schema{Types: []string{"string"}}}, {Name: "adminPass", Schema: pyjson.String(0, 0)},
		{Name: "metadata", Schema: metadataSchema}, {Name: "preserve_ephemeral", Schema: pyjson.Boolean}, {Name: "OS-DCF:diskConfig", Schema: diskConfig},
		{Name: "accessIPv4", Schema: accessIPv4}, {Name: "accessIPv6", Schema: accessIPv6}}}
	since := func(at int, name string, schema *pyjson.Schema) {
		if minor >= at {
			s.Props = append(s.Props, pyjson.Prop{Name: name, Schema: schema})
		}
	}
	since(19, "description", pyjson.OrNull(pyjson.String(0, 255)))
	since(54, "key_name", pyjson.OrNull(pyjson.String(1, 255)))
	since(57, "user_data", pyjson.OrNull(userData))
	since(63, "trusted_image_certificates", &pyjson.Schema{})
	since(90, "hostname", hostnameSchema)
	return wrapped("rebuild", s)
}

func (n *Nova) rebuild(c *call, s *Server, _ any) (*oslo.Response, error) {
	body, err := c.read(rebuildSchema(c.minor))
	if err != nil {
		return nil, err
	}
	in := body.Object("rebuild")
	if err := s.ready(c, "rebuild", active, stopped, failed); err != nil {
		return nil, err
	}
	ref := in.Text("imageRef")
	image, ok := n.images.Visible(c.Caller, ref[strings.LastIndexByte(ref, '/')+1:])
	switch {
	case !ok:
		return nil, badRequest("Cannot find image for rebuild")
	case image.Status != "active":
		return nil, badRequest("Image %s is not active.", image.ID)
	}
	root, err := n.rebuildable(c, s, image.ID)
	if err != nil {
		return nil, err
	}
	if err := n.takeRebuilt(c, s, in); err != nil {
		return nil, err
	}
	if s.Image != "" {
		s.Image = image.ID
	}
	to, power := active, powerRunning
	if s.VMState == stopped {
		to, power = stopped, powerShutdown
	}
	end := func(s *Server, err error) {
		if err == nil {
			err = n.failing("rebuild")
		}
		if err != nil {
			n.failServer(s, err.Error())
			n.finish(s, "rebuild", err)
			return
		}
		s.Launched, s.Fault = n.cloud.Now(), nil
		n.to(s, to, "", power)
		n.finish(s, "rebuild", nil)
	}
	n.record(c, s, "rebuild")
	n.to(s, s.VMState, "rebuilding", s.Power)
	if root != "" && c.minor >= 93 {
		err = n.volumes.Reimage(c.Caller, root, image.ID, func(err error) {
			if s, ok := n.live(s.ID); ok && s.Task == "rebuilding" {
				if err != nil {
					err = fmt.Errorf("Build of instance %s aborted: Failed to rebuild volume backed instance.", s.ID)
				}
				end(s, err)
			}
		})
	} else {
		n.later(s.ID, n.opts.BuildDelay, "rebuilding", func(s *Server) { end(s, nil) })
	}
	if err != nil {
		return nil, err
	}
	v := n.viewer(c).written(s)
	pass := in.Text("adminPass")
	if pass == "" {
		pass = n.word(12)
	}
	v.rebuiltAttrs = &rebuiltAttrs{AdminPass: pass}
	if c.minor >= 57 {
		v.rebuiltAttrs.UserData = s.UserData
	}
	return oslo.Accepted(map[string]any{"server": v}).With("Location", c.Base+"/v2.1/servers/"+s.ID), nil
}

// rebuildable returns the volume that a server boots from, or "". It returns an error if Nova refuses to rebuild
// such a server (nova/compute/api.py: rebuild).
func (n *Nova) rebuildable(c *call, s *Server, image string) (root string, err error) {
	if s.Image != "" {
		return "", nil
	}
	for _, a := range s.attached {
		v, err := n.volumes.Find(c.Caller, a.volume)
		switch {
		case err != nil:
			return "", badRequest("%s", message(err))
		case a.boot && v.Image != image && c.minor < 93:
			return "", badRequest("Image %s is unacceptable: Unable to rebuild with a different image for a volume-backed server.", image)
		case v.Status != "in-use":
			return "", badRequest("Invalid volume: volume '%s' status must be 'in-use'. Currently in '%s' status", v.ID, v.Status)
		case a.boot:
			root = a.volume
		}
	}
	return root, nil
}

// takeRebuilt writes the attributes that a rebuild may change, except the image.
func (n *Nova) takeRebuilt(c *call, s *Server, in *pyjson.Object) error {
	if v, ok := in.Get("key_name"); ok {
		s.Key = nil
		if v != nil {
			if err := n.takeKey(c, s, in); err != nil {
				return err
			}
		}
	}
	if in.Has("metadata") {
		meta := in.Object("metadata")
		s.Metadata = map[string]string{}
		for _, key := range meta.Keys() {
			s.Metadata[key] = meta.Text(key)
		}
	}
	for key, to := range map[string]**string{"description": &s.Description, "user_data": &s.UserData} {
		if v, ok := in.Get(key); ok {
			*to = nil
			if v != nil {
				text := pyjson.Str(v)
				*to = &text
			}
		}
	}
	if in.Has("name") {
		s.Name = strings.TrimSpace(in.Text("name"))
	}
	if in.Has("hostname") {
		s.Hostname = in.Text("hostname")
	}
	return nil
}

// createImage makes a snapshot image, which becomes active when the task ends.
func (n *Nova) createImage(c *call, s *Server, _ any) (*oslo.Response, error) {
	body, err := c.read(wrapped("createImage", &pyjson.Schema{Types: []string{"object"}, Required: []string{"name"}, Closed: true,
		Props: []pyjson.Prop{{Name: "name", Schema: serverName}, {Name: "metadata", Schema: metadataSchema}}}))
	if err != nil {
		return nil, err
	}
	if err := s.ready(c, "createImage", active, stopped, paused, suspended); err != nil {
		return nil, err
	}
	in := body.Object("createImage")
	properties := map[string]string{"instance_uuid": s.ID, "image_type": "snapshot", "user_id": s.User, "owner_project_name": c.Caller.ProjectName, "owner_user_name": c.Caller.UserName,
		"base_image_ref": s.Image}
	meta := in.Object("metadata")
	for _, key := range meta.Keys() {
		properties[key] = meta.Text(key)
	}
	image := n.images.Create(s.Project, glance.Spec{Name: in.Text("name"), DiskFormat: "raw", ContainerFormat: "bare", Visibility: "private",
		MinDisk: s.Flavor.Disk, Properties: properties}, nil)
	n.task(c, s, "createImage", "image_snapshot", func(s *Server) {
		n.images.Store(image.ID, make([]byte, 4096))
		n.to(s, s.VMState, "", s.Power)
	})
	if c.minor >= 45 {
		return oslo.Accepted(map[string]string{"image_id": image.ID}), nil
	}
	return oslo.Accepted(nil).With("Location", c.Host+"/image/images/"+image.ID), nil
}

func groupName(arg any) (string, error) {
	o, _ := arg.(*pyjson.Object)
	name := o.Text("name")
	if name == "" {
		return "", badRequest("Security group not specified")
	}
	return name, nil
}

// actionGroup finds the security group that an action names.
func (n *Nova) actionGroup(s *Server, arg any) (string, error) {
	ref, err := groupName(arg)
	if err != nil {
		return "", err
	}
	list := n.network.Groups(s.Project, ref)
	switch len(list) {
	case 0:
		return "", notFound("Security group %s is not found for project %s", ref, s.Project)
	case 1:
		return list[0].ID, nil
	}
	return "", conflict("Multiple security_group matches found for name '%s', use an ID to be more specific.", ref)
}

func (n *Nova) setGroups(port string, groups []string) error {
	list := make([]any, len(groups))
	for i, g := range groups {
		list[i] = g
	}
	return n.network.UpdatePort(port, map[string]any{"security_groups": list})
}

func (n *Nova) addSecurityGroup(c *call, s *Server, arg any) (*oslo.Response, error) {
	id, err := n.actionGroup(s, arg)
	if err != nil {
		return nil, err
	}
	for _, i := range s.nics {
		p, ok := n.network.Port(i.port)
		if !ok || !p.PortSecurity || slices.Contains(p.SecurityGroups, id) {
			continue
		}
		if err := n.setGroups(p.ID, append(slices.Clone(p.SecurityGroups), id)); err != nil {
			return nil, badRequest("%s", message(err))
		}
	}
	n.record(c, s, "addSecurityGroup")
	return oslo.Accepted(nil), nil
}

func (n *Nova) removeSecurityGroup(c *call, s *Server, arg any) (*oslo.Response, error) {
	id, err := n.actionGroup(s, arg)
	if err != nil {
		return nil, err
	}
	found := false
	for _, i := range s.nics {
		p, ok := n.network.Port(i.port)
		if !ok || !slices.Contains(p.SecurityGroups, id) {
			continue
		}
		found = true
		left := slices.DeleteFunc(slices.Clone(p.SecurityGroups), func(g string) bool { return g == id })
		if err := n.setGroups(p.ID, left); err != nil {
			return nil, badRequest("%s", message(err))
		}
	}
	if !found {
		return nil, conflict("Security group %s not associated with the instance %s", id, s.ID)
	}
	n.record(c, s, "removeSecurityGroup")
	return oslo.Accepted(nil), nil
}
