package nova

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (n *Nova) addServers() {
	n.handle("GET /v2.1/servers", 1, n.listServers(false))
	n.handle("GET /v2.1/servers/detail", 1, n.listServers(true))
	n.handle("POST /v2.1/servers", 1, n.createServers)
	n.handle("GET /v2.1/servers/{id}", 1, n.showServer)
	n.handle("PUT /v2.1/servers/{id}", 1, n.updateServer)
	n.handle("DELETE /v2.1/servers/{id}", 1, n.deleteServer)
	n.addMetadata()
	n.addTags()
}

func (n *Nova) showServer(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"server": n.viewer(c).full(s, true)}), nil
}

// createServers is nova/api/openstack/compute/servers.py: create.
func (n *Nova) createServers(c *call) (*oslo.Response, error) {
	body, err := c.read(createSchema(c.minor))
	if err != nil {
		return nil, err
	}
	in := body.Object("server")
	s := &Server{Project: c.Caller.ProjectID, User: c.Caller.UserID, Name: strings.TrimSpace(in.Text("name")), Metadata: map[string]string{}, Tags: []string{},
		DiskConfig: "MANUAL", AccessIPv4: in.Text("accessIPv4"), AccessIPv6: in.Text("accessIPv6"), zoneAsked: in.Text("availability_zone")}
	if d := in.Text("OS-DCF:diskConfig"); d != "" {
		s.DiskConfig = d
	}
	least, most, err := counts(in)
	if err != nil {
		return nil, err
	}
	steps := []func(*call, *Server, *pyjson.Object) error{n.takeZone, n.takeNetworks, n.takeFlavor, n.takeDisks, n.takeImage, n.takeKey, takeTexts, n.checkNetworks, n.takeGroups}
	for _, step := range steps {
		if err := step(c, s, in); err != nil {
			return nil, err
		}
	}
	if most > 1 && slices.ContainsFunc(s.wanted, func(w nic) bool { return w.port != "" || w.fixedIP != "" }) {
		return nil, badRequest("Unable to launch multiple instances with a single configured port ID. Please launch your instance one by one with different ports.")
	}
	if most > 1 && slices.ContainsFunc(s.disks, func(d disk) bool { return d.source == "volume" }) {
		return nil, badRequest("Cannot attach one or more volumes to multiple instances")
	}
	hints := body.Object("os:scheduler_hints")
	if hints == nil {
		hints = body.Object("OS-SCH-HNT:scheduler_hints")
	}
	g, err := n.takeHints(c, s, hints)
	if err != nil {
		return nil, err
	}
	total, err := n.room(c, s, least, most)
	if err != nil {
		return nil, err
	}
	return n.launch(c, s, g, total, in)
}

func counts(in *pyjson.Object) (least, most int, err error) {
	least, most = 1, 1
	if in.Has("min_count") {
		least, _ = strconv.Atoi(in.Text("min_count"))
		most = least
	}
	if in.Has("max_count") {
		most, _ = strconv.Atoi(in.Text("max_count"))
	}
	if least > most {
		return 0, 0, badRequest("min_count must be <= max_count")
	}
	return least, most, nil
}

// launch makes the records and answers; the rest happens on the clock.
func (n *Nova) launch(c *call, proto *Server, g *group, total int, in *pyjson.Object) (*oslo.Response, error) {
	reservation := "r-" + n.word(8)
	var first *Server
	for i := range total {
		s := *proto
		s.ID, s.launchIndex, s.reservation = n.cloud.UUID(), i, reservation
		if total > 1 {
			s.Name = fmt.Sprintf("%s-%d", proto.Name, i+1)
		}
		if s.Hostname == "" || total > 1 {
			s.Hostname = sanitizeHostname(s.Name, s.ID)
		}
		s.Metadata, s.Tags, s.wanted, s.disks = clone(proto.Metadata), slices.Clone(proto.Tags), slices.Clone(proto.wanted), slices.Clone(proto.disks)
		n.serial++
		s.number = n.serial
		s.Created = n.cloud.Now()
		n.to(&s, building, "scheduling", powerNone)
		if err := n.reserveAll(&s); err != nil {
			return nil, err
		}
		n.servers.Add(&s)
		n.record(c, &s, "create")
		if g != nil {
			s.group = g.ID
			g.members = append(slices.Clone(g.members), s.ID)
		}
		n.schedule(s.ID)
		if first == nil {
			first = &s
		}
	}
	if v, _ := in.Get("return_reservation_id"); pyjson.Truthy(v) {
		return oslo.Accepted(map[string]string{"reservation_id": reservation}), nil
	}
	pass := in.Text("adminPass")
	if pass == "" {
		pass = n.word(12)
	}
	groups := []named{}
	for _, item := range in.List("security_groups") {
		if o, ok := item.(*pyjson.Object); ok {
			groups = append(groups, named{o.Text("name")})
		}
	}
	if len(groups) == 0 {
		groups = append(groups, named{"default"})
	}
	return oslo.Accepted(map[string]any{"server": map[string]any{"id": first.ID, "links": links(c, "servers/"+first.ID), "OS-DCF:diskConfig": first.DiskConfig,
		"security_groups": groups, "adminPass": pass}}).With("Location", c.Base+"/v2.1/servers/"+first.ID), nil
}

func clone(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func (n *Nova) word(length int) string {
	const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	b := make([]byte, length)
	for i := range b {
		b[i] = letters[n.cloud.Intn(len(letters))]
	}
	return string(b)
}

var notHostname = pattern.Of(`[^\w.-]+`)

// sanitizeHostname is nova/utils.py: sanitize_hostname.
func sanitizeHostname(name, id string) string {
	h := strings.NewReplacer(" ", "-", "_", "-", ".", "-").Replace(name)
	h = strings.Trim(strings.ToLower(notHostname.ReplaceAllString(h, "")), ".-")
	if h == "" {
		h = "Server-" + id
	}
	return h[:min(63, len(h))]
}

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
		return nil // the root disk is a volume, made from the image; the server shows no image
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
		// Before descriptions there were display names in their place.
		name := s.Name
		s.Description = &name
	}
	s.Hostname = in.Text("hostname")
	return nil
}

// takeHints reads scheduler hints; only the group says something here.
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

// neighbours are the servers that a hint names, one or several.
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
