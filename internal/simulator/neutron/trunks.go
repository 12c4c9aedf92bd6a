package neutron

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Trunk is a trunk as the API shows it.
type Trunk struct {
	Standard
	Name         string    `json:"name"`
	AdminStateUp bool      `json:"admin_state_up"`
	PortID       string    `json:"port_id"`
	Status       string    `json:"status"`
	SubPorts     []SubPort `json:"sub_ports"`
}

// SubPort is a port that a machine reaches through the parent port of a trunk.
type SubPort struct {
	PortID string `json:"port_id"`
	Type   string `json:"segmentation_type"`
	ID     int    `json:"segmentation_id"`
}

func (n *Neutron) addTrunks() {
	n.trunks = &kind[Trunk]{n: n, name: "trunk", path: "trunks", tagged: true,
		standard: func(t *Trunk) *Standard { return &t.Standard },
		visible:  func(*oslo.Caller, *Trunk) bool { return false },
		missing:  func(id string) *oslo.Error { return notFound("TrunkNotFound", "Trunk %s could not be found.", id) },
		view:     func(_ *oslo.Caller, t *Trunk) any { return t },
		create:   n.createTrunk,
		update:   func(*oslo.Call, *Trunk, oslo.Values) error { return nil },
		remove:   func(_ *oslo.Call, t *Trunk) error { n.trunks.store.Remove(t.ID); return nil },
		undo:     func(t *Trunk) { n.trunks.store.Remove(t.ID) },
	}
	n.trunks.attrs = oslo.Table{
		{Name: "name", Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "admin_state_up", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: true, Parse: boolean},
		{Name: "port_id", Filter: true, Create: oslo.Anybody, Required: true, Parse: uuid},
		{Name: "sub_ports", Create: oslo.Anybody, Default: []SubPort{}, Parse: parseSubPorts}, {Name: "status"},
	}
	n.trunks.register()
	n.handle("GET", "trunks/{id}/get_subports", func(c *oslo.Call) (*oslo.Response, error) {
		t, err := n.trunks.find(c.Caller, c.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return oslo.OK(map[string]any{"sub_ports": t.SubPorts}), nil
	})
	n.handle("PUT", "trunks/{id}/add_subports", func(c *oslo.Call) (*oslo.Response, error) { return n.editSubPorts(c, n.addSubPorts) })
	n.handle("PUT", "trunks/{id}/remove_subports", func(c *oslo.Call) (*oslo.Response, error) { return n.editSubPorts(c, n.removeSubPorts) })
}

// parseSubPorts mirrors services/trunk/rules.py: SubPortsValidator.
func parseSubPorts(name string, v any) (any, *oslo.Error) {
	l, err := list(name, v)
	if err != nil {
		return nil, err
	}
	out := []SubPort{}
	for _, x := range l {
		m, err := object(name, x, "port_id", "segmentation_type", "segmentation_id")
		if err != nil {
			return nil, err
		}
		if _, err := uuid(name, m["port_id"]); err != nil {
			return nil, err
		}
		s := SubPort{}
		s.PortID, _ = m["port_id"].(string)
		if m["segmentation_type"] == nil && m["segmentation_id"] == nil {
			out = append(out, s)
			continue
		}
		if s.Type, _ = m["segmentation_type"].(string); s.Type == "inherit" {
			out = append(out, s)
			continue
		}
		if s.Type != "vlan" {
			return nil, invalidInput("Invalid segmentation type '%s'.", py(m["segmentation_type"]))
		}
		if s.ID, err = toInt(m["segmentation_id"]); err != nil {
			return nil, err
		}
		if s.ID < 1 || s.ID > 4094 {
			return nil, invalidInput("Segmentation ID '%d' is not in range.", s.ID)
		}
		out = append(out, s)
	}
	return out, nil
}

func (n *Neutron) createTrunk(c *oslo.Call, v oslo.Values) (*Trunk, error) {
	parent, err := n.ports.find(c.Caller, v.Text("port_id"))
	if err != nil {
		return nil, err
	}
	if t, as := n.trunkOf(parent.ID); t != nil && as == "parent" {
		return nil, conflict("ParentPortInUse", "Port %s is currently in use and is not eligible for use as a parent port.", parent.ID)
	} else if t != nil {
		return nil, trunkPortInUse(parent.ID)
	}
	t := &Trunk{Standard: n.standard(v.Text("project_id"), v.Text("description")), PortID: parent.ID, Status: "ACTIVE", SubPorts: []SubPort{}}
	asked, _ := v["sub_ports"].([]SubPort)
	if err := n.addSubPorts(c, t, asked); err != nil {
		return nil, err
	}
	t.Revision = 1
	n.trunks.store.Add(t)
	return t, nil
}

func trunkPortInUse(id string) error {
	return conflict("TrunkPortInUse", "Port %s is in use by another trunk.", id)
}

// trunkOf finds the trunk that has the port as its parent port or as a sub-port. It also says which of the two the port is.
func (n *Neutron) trunkOf(port string) (t *Trunk, as string) {
	for t := range n.trunks.store.All() {
		if t.PortID == port {
			return t, "parent"
		}
		if slices.ContainsFunc(t.SubPorts, func(s SubPort) bool { return s.PortID == port }) {
			return t, "subport"
		}
	}
	return nil, ""
}

func (n *Neutron) addSubPorts(c *oslo.Call, t *Trunk, list []SubPort) error {
	all := slices.Clone(t.SubPorts)
	for _, s := range list {
		if s.Type == "" {
			return invalidInput("Invalid subport details '{'port_id': '%s'}': missing segmentation information. Must specify both segmentation_id and segmentation_type.", s.PortID)
		}
		port, err := n.ports.find(c.Caller, s.PortID)
		if err != nil {
			return err
		}
		if s.Type == "inherit" { // services/trunk/rules.py: _prepare_subports
			of, _ := n.networks.store.Get(port.NetworkID)
			if s.Type = of.Provider.Type; s.Type != "vlan" {
				return invalidInput("Unknown segmentation_type '%s'", s.Type)
			}
			s.ID = *of.Provider.Segment
		}
		if s.PortID == t.PortID {
			return conflict("ParentPortInUse", "Port %s is currently in use and is not eligible for use as a parent port.", s.PortID)
		}
		if used, _ := n.trunkOf(s.PortID); used != nil || slices.ContainsFunc(all, func(o SubPort) bool { return o.PortID == s.PortID }) {
			return trunkPortInUse(s.PortID)
		}
		if slices.ContainsFunc(all, func(o SubPort) bool { return o.ID == s.ID }) {
			return conflict("DuplicateSubPort", "segmentation_type %s and segmentation_id %d already in use on trunk %s.", s.Type, s.ID, t.ID)
		}
		all = append(all, s)
	}
	t.SubPorts = all
	return nil
}

func (n *Neutron) removeSubPorts(_ *oslo.Call, t *Trunk, list []SubPort) error {
	left := slices.Clone(t.SubPorts)
	for _, s := range list {
		i := slices.IndexFunc(left, func(o SubPort) bool { return o.PortID == s.PortID })
		if i < 0 {
			return notFound("SubPortNotFound", "SubPort %s on trunk %s could not be found.", s.PortID, t.ID)
		}
		left = slices.Delete(left, i, i+1)
	}
	t.SubPorts = left
	return nil
}

// editSubPorts answers with the trunk, not wrapped in the name of the resource.
func (n *Neutron) editSubPorts(c *oslo.Call, edit func(*oslo.Call, *Trunk, []SubPort) error) (*oslo.Response, error) {
	t, err := n.trunks.owned(c.Caller, c.PathValue("id"), "update")
	if err != nil {
		return nil, err
	}
	var in map[string]any
	if !c.Decode(&in) {
		return nil, badRequest("Body contains invalid data")
	}
	parsed, err := parseSubPorts("sub_ports", in["sub_ports"])
	if err != nil {
		return nil, err
	}
	if !t.AdminStateUp {
		return nil, conflict("TrunkDisabled", "Trunk %s is currently disabled.", t.ID)
	}
	list, _ := parsed.([]SubPort)
	if err := edit(c, t, list); err != nil {
		return nil, err
	}
	n.bump(&t.Standard)
	n.bump(&t.Standard) // the revision rises twice: for the sub-ports and for the status
	return oslo.OK(t), nil
}

// heldByTrunk returns an error if a port cannot be deleted because a trunk uses it (services/trunk/plugin.py).
func (n *Neutron) heldByTrunk(id string) error {
	switch t, as := n.trunkOf(id); {
	case t == nil:
		return nil
	case as == "parent":
		return conflict("PortInUseAsTrunkParent", "Port %s is currently a parent port for trunk %s.", id, t.ID)
	default:
		return conflict("PortInUseAsSubPort", "Port %s is currently a subport for trunk %s.", id, t.ID)
	}
}
