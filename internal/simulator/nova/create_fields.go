package nova

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (n *Nova) takeZone(c *call, s *Server, in *pyjson.Object) error {
	zone, hostName, pinned := strings.Cut(s.zoneAsked, ":")
	if pinned {
		if !c.Caller.Admin() {
			return disallowed("servers:create:forced_host")
		}
		s.zoneAsked, s.hostAsked = zone, strings.TrimSuffix(hostName, ":")
	}
	if name := in.Text("host"); name != "" {
		if !c.Caller.Admin() {
			return forbidden("Policy doesn't allow compute:servers:create:requested_destination to be performed.")
		}
		if !slices.ContainsFunc(n.hosts, func(h *host) bool { return h.name == name }) {
			return badRequest("Compute host %s could not be found.", name)
		}
		s.hostAsked = name
	}
	if s.zoneAsked != "" && !slices.Contains(n.zones(), s.zoneAsked) {
		return badRequest("The requested availability zone is not available")
	}
	if s.Zone = s.zoneAsked; s.Zone == "" {
		s.Zone = defaultZone
	}
	return nil
}

func (n *Nova) takeFlavor(c *call, s *Server, in *pyjson.Object) error {
	ref := in.Text("flavorRef")
	f, ok := n.visibleFlavor(c.Caller, ref[strings.LastIndexByte(ref, '/')+1:])
	if !ok {
		return badRequest("Flavor %s could not be found.", ref)
	}
	s.Flavor = *f
	s.Flavor.Specs = clone(f.Specs)
	return nil
}

func (n *Nova) takeImage(c *call, s *Server, in *pyjson.Object) error {
	ref := in.Text("imageRef")
	if ref == "" {
		if !slices.ContainsFunc(s.disks, func(d disk) bool { return d.boot }) {
			if len(s.disks) == 0 {
				return badRequest("Missing imageRef attribute")
			}
			return badRequest("Block Device Mapping is Invalid: Boot sequence for the instance and image/block device mapping combination is not valid.")
		}
		return nil
	}
	id := ref[strings.LastIndexByte(ref, '/')+1:]
	if !pyjson.IsUUID(id) {
		return badRequest("Invalid imageRef provided.")
	}
	i, ok := n.images.Visible(c.Caller, id)
	switch {
	case !ok:
		return badRequest("Can not find requested image")
	case i.Status != "active":
		return badRequest("Image %s is not active.", id)
	case i.MinRAM > s.Flavor.RAM:
		return badRequest("Flavor's memory is too small for requested image.")
	case slices.ContainsFunc(s.disks, func(d disk) bool { return d.boot && d.volume() }):
		return nil // the root disk is a volume made from the image, so the server shows no image
	case s.Flavor.Disk > 0 && i.MinDisk > s.Flavor.Disk:
		return badRequest("Flavor's disk is smaller than the minimum size specified in image metadata. Flavor disk is %d bytes, minimum size is %d bytes.", s.Flavor.Disk<<30, i.MinDisk<<30)
	case s.Flavor.Disk > 0 && i.Size() > s.Flavor.Disk<<30:
		return badRequest("Flavor's disk is too small for requested image. Flavor disk is %d bytes, image is %d bytes.", s.Flavor.Disk<<30, i.Size())
	}
	s.Image = id
	return nil
}

func (n *Nova) takeKey(c *call, s *Server, in *pyjson.Object) error {
	name := in.Text("key_name")
	if name == "" {
		return nil
	}
	if _, ok := n.keys.Get(keyID(c.Caller.UserID, name)); !ok {
		return badRequest("Invalid key_name provided.")
	}
	s.Key = &name
	return nil
}

func takeTexts(c *call, s *Server, in *pyjson.Object) error {
	meta := in.Object("metadata")
	for _, key := range meta.Keys() {
		s.Metadata[key] = meta.Text(key)
	}
	for _, tag := range in.List("tags") {
		if t := pyjson.Str(tag); !slices.Contains(s.Tags, t) {
			s.Tags = append(s.Tags, t)
		}
	}
	slices.Sort(s.Tags)
	if in.Has("user_data") {
		data := in.Text("user_data")
		s.UserData = &data
	}
	if v, ok := in.Get("config_drive"); ok && pyjson.Truthy(v) {
		s.ConfigDrive = "True"
	}
	if v, ok := in.Get("description"); ok && v != nil {
		text := pyjson.Str(v)
		s.Description = &text
	}
	if c.minor < 19 {
		// In microversions without descriptions, this attribute is the display name.
		name := s.Name
		s.Description = &name
	}
	s.Hostname = in.Text("hostname")
	return nil
}

// takeHints reads the scheduler hints. Only the hints group, same_host and different_host are simulated.
func (n *Nova) takeHints(c *call, s *Server, hints *pyjson.Object) (*group, error) {
	s.near, s.apart = neighbours(hints, "same_host"), neighbours(hints, "different_host")
	id := hints.Text("group")
	if id == "" {
		return nil, nil
	}
	g, ok := n.groups.Get(id)
	if !ok || g.Project != c.Caller.ProjectID && !c.Caller.Admin() {
		return nil, badRequest("Instance group %s could not be found.", id)
	}
	if limit := n.quotas.Limit(s.Project, "server_group_members"); limit >= 0 && len(g.members) >= limit {
		return nil, forbidden("Quota exceeded, too many servers in group")
	}
	return g, nil
}

// neighbours returns the IDs of the servers that a hint names. The hint is one ID or a list.
func neighbours(hints *pyjson.Object, name string) (ids []string) {
	if id := hints.Text(name); id != "" {
		return []string{id}
	}
	for _, v := range hints.List(name) {
		if id, ok := v.(string); ok {
			ids = append(ids, id)
		}
	}
	return ids
}
