package nova

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (n *Nova) addInterfaces() {
	n.handle("GET /v2.1/servers/{id}/os-interface", 1, n.listInterfaces)
	n.handle("POST /v2.1/servers/{id}/os-interface", 1, n.attachInterface)
	n.handle("GET /v2.1/servers/{id}/os-interface/{port}", 1, n.showInterface)
	n.handle("DELETE /v2.1/servers/{id}/os-interface/{port}", 1, n.detachInterface)
	n.handle("GET /v2.1/servers/{id}/ips", 1, n.listAddresses)
	n.handle("GET /v2.1/servers/{id}/ips/{network}", 1, n.showAddresses)
	n.handle("GET /v2.1/servers/{id}/os-security-groups", 1, n.listSecurityGroups)
	n.addSecurityGroups()
}

func (n *Nova) interfaceView(c *call, i *nic) (map[string]any, bool) {
	p, ok := n.network.Port(i.port)
	if !ok {
		return nil, false
	}
	v := map[string]any{"net_id": p.NetworkID, "port_id": p.ID, "mac_addr": p.MAC, "port_state": p.Status, "fixed_ips": p.FixedIPs}
	if c.minor >= 70 {
		v["tag"] = i.tag
	}
	return v, true
}

func (n *Nova) listInterfaces(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, i := range s.nics {
		if v, ok := n.interfaceView(c, i); ok {
			list = append(list, v)
		}
	}
	return oslo.OK(map[string]any{"interfaceAttachments": list}), nil
}

// nicAt finds an interface by its port, and returns its index.
func (s *Server) nicAt(port string) int {
	return slices.IndexFunc(s.nics, func(i *nic) bool { return i.port == port })
}

func (n *Nova) showInterface(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	if at := s.nicAt(c.PathValue("port")); at >= 0 {
		if v, ok := n.interfaceView(c, s.nics[at]); ok {
			return oslo.OK(map[string]any{"interfaceAttachment": v}), nil
		}
	}
	if _, err := n.network.VisiblePort(c.Caller, c.PathValue("port")); err != nil {
		return nil, notFound("Port id %s could not be found.", c.PathValue("port"))
	}
	return nil, notFound("Instance %s does not have a port with id %s", s.ID, c.PathValue("port"))
}

func interfaceSchema(minor int) *pyjson.Schema {
	id := &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}
	fixed := &pyjson.Schema{Types: []string{"array"}, MinItems: 1, MaxItems: 1, Items: &pyjson.Schema{Types: []string{"object"}, Closed: true, Required: []string{"ip_address"},
		Props: []pyjson.Prop{{Name: "ip_address", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "ip"}}}}}
	s := &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: []pyjson.Prop{{Name: "net_id", Schema: id}, {Name: "port_id", Schema: id}, {Name: "fixed_ips", Schema: fixed}}}
	if minor >= 49 {
		s.Props = append(s.Props, pyjson.Prop{Name: "tag", Schema: tagSchema})
	}
	return wrapped("interfaceAttachment", s)
}

// attachInterface mirrors nova/api/openstack/compute/attach_interfaces.py: create.
func (n *Nova) attachInterface(c *call) (*oslo.Response, error) {
	body, err := c.read(interfaceSchema(c.minor))
	if err != nil {
		return nil, err
	}
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	in := body.Object("interfaceAttachment")
	w := nic{network: in.Text("net_id"), port: in.Text("port_id")}
	if in.Has("tag") {
		tag := in.Text("tag")
		w.tag = &tag
	}
	if list := in.List("fixed_ips"); len(list) > 0 {
		o, _ := list[0].(*pyjson.Object)
		w.fixedIP = o.Text("ip_address")
	}
	switch {
	case w.port != "" && w.network != "":
		return nil, badRequest("Must not input both network_id and port_id")
	case w.fixedIP != "" && w.network == "":
		return nil, badRequest("Must input network_id when request IP address")
	}
	if err := s.ready(c, "attach_interface", active, paused, stopped); err != nil {
		return nil, err
	}
	if err := n.attachable(c, s, &w); err != nil {
		return nil, err
	}
	if err := n.plug(s, w); err != nil {
		return nil, badRequest("Failed to attach network adapter device to %s", s.ID)
	}
	n.record(c, s, "attach_interface")
	v, _ := n.interfaceView(c, s.nics[len(s.nics)-1])
	return oslo.OK(map[string]any{"interfaceAttachment": v}), nil
}

func (n *Nova) attachable(c *call, s *Server, w *nic) error {
	if w.port != "" {
		p, err := n.network.VisiblePort(c.Caller, w.port)
		switch {
		case err != nil:
			return notFound("Port id %s could not be found.", w.port)
		case p.DeviceID != "":
			return conflict("Port %s is still in use.", w.port)
		case len(p.FixedIPs) == 0:
			return badRequest("Port %s requires a FixedIP in order to be used.", w.port)
		}
		return n.pluggable(c.Caller, p.NetworkID)
	}
	if w.network == "" {
		var auto Server
		if err := n.autoNetwork(c, &auto, false); err != nil {
			return err
		}
		if len(auto.wanted) == 0 {
			return badRequest("No Network attached")
		}
		w.network = auto.wanted[0].network
	}
	t, err := n.network.VisibleNetwork(c.Caller, w.network)
	if err != nil {
		return notFound("Network %s could not be found.", w.network)
	}
	return n.usableNetwork(c.Caller, t)
}

func (n *Nova) detachInterface(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	if err := s.ready(c, "detach_interface", active, paused, stopped); err != nil {
		return nil, err
	}
	// The request is accepted even if the port does not exist; the compute host detects that later.
	port := c.PathValue("port")
	n.record(c, s, "detach_interface")
	id := s.ID
	n.cloud.After(0, func() {
		s, ok := n.live(id)
		if !ok {
			return
		}
		if at := s.nicAt(port); at >= 0 {
			i := s.nics[at]
			s.nics = slices.Delete(slices.Clone(s.nics), at, at+1)
			n.unplug(i)
			n.touch(s)
		}
	})
	return oslo.Accepted(nil), nil
}

type plainAddress struct {
	Version int    `json:"version"`
	Addr    string `json:"addr"`
}

func (n *Nova) plainAddresses(s *Server) map[string][]plainAddress {
	out := map[string][]plainAddress{}
	for name, list := range n.addresses(s) {
		out[name] = []plainAddress{}
		for _, a := range list {
			out[name] = append(out[name], plainAddress{a.Version, a.Addr})
		}
	}
	return out
}

func (n *Nova) listAddresses(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"addresses": n.plainAddresses(s)}), nil
}

func (n *Nova) showAddresses(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	name := c.PathValue("network")
	list, ok := n.plainAddresses(s)[name]
	if !ok {
		return nil, notFound("Instance is not a member of specified network")
	}
	return oslo.OK(map[string]any{name: list}), nil
}

// listSecurityGroups mirrors nova/api/openstack/compute/security_groups.py, without the rules. Clients can list
// the rules in Neutron.
func (n *Nova) listSecurityGroups(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	seen, list := map[string]bool{}, []any{}
	for _, i := range s.nics {
		p, ok := n.network.Port(i.port)
		if !ok {
			continue
		}
		for _, id := range p.SecurityGroups {
			found := n.network.Groups(p.ProjectID, id)
			if seen[id] || len(found) == 0 {
				continue
			}
			seen[id] = true
			list = append(list, n.groupView(found[0]))
		}
	}
	return oslo.OK(map[string]any{"security_groups": list}), nil
}

// floating returns the floating IP of an address of a port, or "".
func (n *Nova) floating(port, ip string) string {
	if f, ok := n.network.FloatingIPOf(port, ip); ok {
		return f.Address
	}
	return ""
}

// rulesView shows the ingress rules of a security group in the form of nova-network.
func (n *Nova) rulesView(id string) []any {
	out := []any{}
	for _, r := range n.network.RulesOf(id) {
		if r.Direction == "ingress" {
			out = append(out, map[string]any{"id": r.ID, "parent_group_id": id, "ip_protocol": r.Protocol, "from_port": r.PortMin, "to_port": r.PortMax,
				"group": map[string]any{}, "ip_range": map[string]any{}})
		}
	}
	return out
}
