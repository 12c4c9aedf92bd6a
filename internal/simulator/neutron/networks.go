package neutron

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Network is a network as the API shows it. Of its subnets, it contains the IDs.
type Network struct {
	Standard
	Name             string   `json:"name"`
	AdminStateUp     bool     `json:"admin_state_up"`
	MTU              int      `json:"mtu"`
	Status           string   `json:"status"`
	Subnets          []string `json:"subnets"`
	Shared           bool     `json:"shared"`
	External         bool     `json:"router:external"`
	IsDefault        *bool    `json:"is_default,omitempty"` // only external networks have it
	ZoneHints        []string `json:"availability_zone_hints"`
	Zones            []string `json:"availability_zones"`
	IPv4AddressScope *string  `json:"ipv4_address_scope"`
	IPv6AddressScope *string  `json:"ipv6_address_scope"`
	PortSecurity     bool     `json:"port_security_enabled"`
	QoSPolicyID      *string  `json:"qos_policy_id"`
	DNSDomain        *string  `json:"dns_domain,omitempty"`

	Provider *Provider `json:"-"`
}

// Provider is the physical realization of a network; only admins see it.
type Provider struct {
	Type     string  `json:"provider:network_type"`
	Physical *string `json:"provider:physical_network"`
	Segment  *int    `json:"provider:segmentation_id"`
}

// tunnelMTU is the MTU of networks of the cloud's default type, and physicalMTU is the MTU of physical networks.
const (
	tunnelMTU   = 1450
	physicalMTU = 1500
)

func (n *Neutron) addNetworks() {
	n.networks = &kind[Network]{n: n, name: "network", path: "networks", tagged: true,
		standard: func(t *Network) *Standard { return &t.Standard },
		visible:  func(_ *oslo.Caller, t *Network) bool { return t.Shared || t.External },
		missing: func(id string) *oslo.Error {
			return notFound("NetworkNotFound", "Network %s could not be found.", id)
		},
		view: n.viewNetwork, viewNew: viewNewNetwork, matches: matchNetwork, idleWithoutBody: true,
		create: n.createNetwork, update: n.updateNetwork, remove: n.deleteNetwork,
		undo: func(t *Network) { n.networks.store.Remove(t.ID) },
	}
	n.networks.attrs = oslo.Table{
		{Name: "name", Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "admin_state_up", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: true, Parse: boolean},
		{Name: "shared", Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Default: false, Parse: boolean},
		{Name: "router:external", Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Default: false, Parse: boolean},
		{Name: "is_default", Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Default: false, Parse: boolean},
		{Name: "mtu", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: 0, Parse: nonNegative},
		{Name: "port_security_enabled", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: true, Parse: boolean},
		{Name: "availability_zone_hints", Plain: true, Filter: true, Create: oslo.Anybody, Default: []string{}, Parse: zoneHints},
		{Name: "qos_policy_id", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: orNull(uuid)},
		{Name: "provider:network_type", Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Parse: orNull(text(32))},
		{Name: "provider:physical_network", Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Parse: orNull(text(64))},
		{Name: "provider:segmentation_id", Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Parse: orNull(integer(0, 1<<31-1))},
		{Name: "status", Filter: true}, {Name: "subnets", Filter: true}, {Name: "availability_zones", Filter: true}, {Name: "ipv4_address_scope", Filter: true}, {Name: "ipv6_address_scope", Filter: true},
	}
	n.more(&n.networks.attrs, dnsText("dns_domain", oslo.Anybody))
	n.networks.register()
}

func matchNetwork(t *Network, key string, words []string) (fits, known bool) {
	var have string
	switch key {
	case "subnets":
		for _, w := range words {
			if slices.Contains(t.Subnets, w) {
				return true, true
			}
		}
		return false, true
	case "provider:network_type":
		have = t.Provider.Type
	case "provider:physical_network":
		if t.Provider.Physical != nil {
			have = *t.Provider.Physical
		}
	default:
		return false, false
	}
	return slices.Contains(words, have), true
}

func (n *Neutron) createNetwork(c *oslo.Call, v oslo.Values) (*Network, error) {
	if err := n.usableQoS(c.Caller, v, nil); err != nil {
		return nil, err
	}
	n.ensureDefaultGroup(v.Text("project_id"))
	t := &Network{Standard: n.standard(v.Text("project_id"), v.Text("description")), Status: "ACTIVE",
		Shared: v.Flag("shared"), External: v.Flag("router:external"), Subnets: []string{}, Zones: []string{}}
	if t.External {
		isDefault := v.Flag("is_default")
		t.IsDefault = &isDefault
	}
	t.Provider = n.provider(v)
	if err := t.setMTU(v.Number("mtu")); err != nil {
		return nil, err
	}
	t.Revision = 1
	n.networks.store.Add(t)
	return t, nil
}

func (n *Neutron) provider(v oslo.Values) *Provider {
	p := &Provider{Type: "vxlan", Physical: v.TextPtr("provider:physical_network")}
	oslo.Take(v, "provider:network_type", &p.Type)
	oslo.TakePtr(v, "provider:segmentation_id", &p.Segment)
	if p.Segment == nil && p.Type == "vxlan" {
		n.segment++
		segment := n.segment
		p.Segment = &segment
	}
	return p
}

// setMTU mirrors plugins/ml2/plugin.py: _get_network_mtu.
func (t *Network) setMTU(asked int) error {
	limit := tunnelMTU
	if t.Provider.Type != "vxlan" {
		limit = physicalMTU
	}
	if asked > limit {
		return invalidInput("Requested MTU is too big, maximum is %d.", limit)
	}
	if t.MTU = limit; asked > 0 {
		t.MTU = asked
	}
	return nil
}

func (n *Neutron) updateNetwork(c *oslo.Call, t *Network, v oslo.Values) error {
	if err := n.usableQoS(c.Caller, v, t.QoSPolicyID); err != nil {
		return err
	}
	if v.Has("mtu") {
		if err := t.setMTU(v.Number("mtu")); err != nil {
			return err
		}
	}
	if external, ok := v["router:external"].(bool); ok {
		if err := n.setExternal(t, external); err != nil {
			return err
		}
	}
	if shared, ok := v["shared"].(bool); ok {
		if err := n.setShared(t, shared); err != nil {
			return err
		}
	}
	if t.External {
		oslo.TakePtr(v, "is_default", &t.IsDefault)
	}
	return nil
}

// setExternal mirrors db/external_net_db.py: ExternalNetworkInUse.
func (n *Neutron) setExternal(t *Network, external bool) error {
	if t.External && !external && n.externalInUse(t.ID) {
		return conflict("ExternalNetworkInUse", "External network %s cannot be updated to be made non-external, since it has existing gateway ports.", t.ID)
	}
	if t.External = external; !external {
		t.IsDefault = nil
	} else if t.IsDefault == nil {
		t.IsDefault = new(bool)
	}
	return nil
}

func (n *Neutron) externalInUse(id string) bool {
	for p := range n.ports.store.All() {
		if p.NetworkID == id && (p.DeviceOwner == ownerGateway || p.DeviceOwner == ownerFloatingIP) {
			return true
		}
	}
	return false
}

// setShared mirrors db/rbac_db_mixin: InvalidSharedSetting.
func (n *Neutron) setShared(t *Network, shared bool) error {
	if t.Shared && !shared {
		for p := range n.ports.store.All() {
			if p.NetworkID == t.ID && p.ProjectID != t.ProjectID && p.ProjectID != "" {
				return conflict("InvalidSharedSetting", "Unable to reconfigure sharing settings for network %s. Multiple tenants are using it.", t.Name)
			}
		}
	}
	t.Shared = shared
	return nil
}

// deleteNetwork mirrors db/db_base_plugin_v2.py: delete_network, NetworkInUse.
// The subnets of the network are deleted with it.
func (n *Neutron) deleteNetwork(_ *oslo.Call, t *Network) error {
	var held []string
	for p := range n.ports.store.All() {
		if p.NetworkID == t.ID && !autoDeleted(p.DeviceOwner) {
			held = append(held, p.ID)
		}
	}
	if len(held) > 0 {
		return conflict("NetworkInUse", "Unable to complete operation on network %s. There are one or more ports still in use on the network, id for these ports is: %s.", t.ID, strings.Join(held, ","))
	}
	for _, p := range n.ports.store.Where(func(p *Port) bool { return p.NetworkID == t.ID }) {
		n.dropPort(p)
	}
	for _, id := range t.Subnets {
		n.subnets.store.Remove(id)
		delete(n.taken, id)
	}
	n.networks.store.Remove(t.ID)
	return nil
}
