package neutron

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// The functions below are for other services. Bodies contain the attributes of the HTTP API, as JSON
// decodes them (string, bool, json.Number, []any, map[string]any). Errors are those of the API.

// asService makes a resource for a project with the rights of an admin.
func (k *kind[T]) asService(project string, body map[string]any) (*T, error) {
	body["project_id"] = project
	c := &oslo.Call{Caller: serviceUser(project)}
	v, err := k.prepare(c, body)
	if err != nil {
		return nil, err
	}
	if err := k.n.reserve(project, k.name, 1); err != nil {
		return nil, err
	}
	return k.make(c, v)
}

func serviceUser(project string) *oslo.Caller {
	return &oslo.Caller{UserName: "neutron", ProjectID: project, Roles: []string{"admin", "service"}}
}

// CreateNetwork makes a network for a project.
func (n *Neutron) CreateNetwork(project string, body map[string]any) (*Network, error) {
	return n.networks.asService(project, body)
}

// CreateSubnet makes a subnet for a project.
func (n *Neutron) CreateSubnet(project string, body map[string]any) (*Subnet, error) {
	return n.subnets.asService(project, body)
}

// CreatePort makes a port for a project. If the body contains "binding:host_id", the port is plugged in and
// becomes ACTIVE immediately.
func (n *Neutron) CreatePort(project string, body map[string]any) (*Port, error) {
	return n.ports.asService(project, body)
}

// UpdatePort writes attributes of a port. An empty "binding:host_id" unplugs it.
func (n *Neutron) UpdatePort(id string, body map[string]any) error {
	p, ok := n.ports.store.Get(id)
	if !ok {
		return n.ports.missing(id)
	}
	v, err := n.ports.attrs.Update(body, refuse)
	if err != nil {
		return err
	}
	if err := n.updatePort(&oslo.Call{Caller: serviceUser(p.ProjectID)}, p, v); err != nil {
		return err
	}
	oslo.Take(v, "description", &p.Description)
	n.bump(&p.Standard)
	return nil
}

// SetPortStatus sets the status that the data plane would report: "ACTIVE", "DOWN", "BUILD", "ERROR".
func (n *Neutron) SetPortStatus(id, status string) {
	if p, ok := n.ports.store.Get(id); ok && p.Status != status {
		p.Status = status
		n.bump(&p.Standard)
	}
}

// DeletePort deletes a port under the rules of the API. A floating IP on the port loses its association. The
// functions that were registered with OnPortDelete are called.
func (n *Neutron) DeletePort(id string) error {
	p, ok := n.ports.store.Get(id)
	if !ok {
		return n.ports.missing(id)
	}
	return n.deletePort(nil, p)
}

// OnPortDelete registers a function that is called after any deletion of a port. Nova then removes its
// interface.
func (n *Neutron) OnPortDelete(f func(*Port)) { n.portGone = append(n.portGone, f) }

// Port finds a port. Callers must not change it.
func (n *Neutron) Port(id string) (*Port, bool) { return n.ports.store.Get(id) }

// VisiblePort finds a port that a caller may see; the error is Neutron's 404.
func (n *Neutron) VisiblePort(c *oslo.Caller, id string) (*Port, error) {
	p, err := n.ports.find(c, id)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// PortsOf are the ports of a device, oldest first.
func (n *Neutron) PortsOf(deviceID string) []*Port {
	var out []*Port
	for _, p := range n.byDevice[deviceID] {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *Port) int { return a.seq - b.seq })
	return out
}

// Network finds a network. Callers must not change it.
func (n *Neutron) Network(id string) (*Network, bool) { return n.networks.store.Get(id) }

// VisibleNetwork finds a network that a caller may see; the error is Neutron's 404.
func (n *Neutron) VisibleNetwork(c *oslo.Caller, id string) (*Network, error) {
	t, err := n.networks.find(c, id)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// NetworksFor are the networks that a project's servers may use, sorted by ID: its own and
// shared ones. External networks of other projects are excluded.
func (n *Neutron) NetworksFor(project string) []*Network {
	out := n.networks.store.Where(func(t *Network) bool { return t.ProjectID == project || t.Shared || n.sharedWith(project, t.ID) })
	slices.SortFunc(out, func(a, b *Network) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Subnet finds a subnet. Callers must not change it.
func (n *Neutron) Subnet(id string) (*Subnet, bool) { return n.subnets.store.Get(id) }

// VisibleSubnet finds a subnet that a caller may see; the error is Neutron's 404.
func (n *Neutron) VisibleSubnet(c *oslo.Caller, id string) (*Subnet, error) {
	s, err := n.subnets.find(c, id)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Groups returns the security groups of a project that have ref as their ID or name. The default group is
// created if it does not exist.
func (n *Neutron) Groups(project, ref string) []*SecurityGroup {
	n.ensureDefaultGroup(project)
	return n.groups.store.Where(func(g *SecurityGroup) bool {
		return g.ProjectID == project && (g.ID == ref || g.Name == ref)
	})
}

// GroupsOf returns all security groups of a project. The default group is created if it does not exist.
func (n *Neutron) GroupsOf(project string) []*SecurityGroup {
	n.ensureDefaultGroup(project)
	return n.groups.store.Where(func(g *SecurityGroup) bool { return g.ProjectID == project })
}

// CreateGroup makes a security group for a project.
func (n *Neutron) CreateGroup(project string, body map[string]any) (*SecurityGroup, error) {
	return n.groups.asService(project, body)
}

// CreateRule adds a rule to a security group.
func (n *Neutron) CreateRule(project string, body map[string]any) (*SecurityGroupRule, error) {
	return n.rules.asService(project, body)
}

// DeleteRule removes a rule.
func (n *Neutron) DeleteRule(id string) {
	if r, ok := n.rules.store.Get(id); ok {
		n.dropRule(r)
	}
}

// RulesOf are the rules of a security group. Callers must not change them.
func (n *Neutron) RulesOf(group string) []*SecurityGroupRule { return n.rulesOf(group) }

// DeleteGroup deletes a security group that no port uses; the error is Neutron's 409.
func (n *Neutron) DeleteGroup(id string) error {
	g, ok := n.groups.store.Get(id)
	if !ok {
		return groupMissing(id)
	}
	if n.groupInUse(id) {
		return groupBusy(id)
	}
	n.dropGroup(g)
	return nil
}

// ShareQoSPolicy makes a QoS policy that all projects can use. The policy limits the traffic that a machine
// sends.
func (n *Neutron) ShareQoSPolicy(project, name string, maxKbps int) error {
	p, err := n.qosPolicies.asService(project, map[string]any{"name": name, "shared": true})
	if err != nil {
		return err
	}
	p.Rules = append(p.Rules, map[string]any{"id": n.cloud.UUID(), "type": "bandwidth_limit", "qos_policy_id": p.ID,
		"max_kbps": maxKbps, "max_burst_kbps": 0, "direction": "egress"})
	return nil
}
