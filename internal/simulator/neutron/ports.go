package neutron

import (
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Port is a port as the API shows it.
type Port struct {
	Standard
	Name           string        `json:"name"`
	NetworkID      string        `json:"network_id"`
	MAC            string        `json:"mac_address"`
	AdminStateUp   bool          `json:"admin_state_up"`
	Status         string        `json:"status"`
	DeviceID       string        `json:"device_id"`
	DeviceOwner    string        `json:"device_owner"`
	FixedIPs       []FixedIP     `json:"fixed_ips"`
	AddressPairs   []AddressPair `json:"allowed_address_pairs"`
	DHCPOptions    []DHCPOption  `json:"extra_dhcp_opts"`
	SecurityGroups []string      `json:"security_groups"`
	VNICType       string        `json:"binding:vnic_type"`
	PortSecurity   bool          `json:"port_security_enabled"`
	QoSPolicyID    *string       `json:"qos_policy_id"`
	QoSNetworkID   *string       `json:"qos_network_policy_id"`
	DNSName        *string       `json:"dns_name,omitempty"`
	DNSDomain      *string       `json:"dns_domain,omitempty"`
	Trusted        *bool         `json:"trusted,omitempty"`
	Uplink         *bool         `json:"propagate_uplink_status,omitempty"`

	Binding Binding `json:"-"`

	seq int // the order of creation
}

// AddressPair is an additional address that a port may use as its source.
type AddressPair struct {
	MAC string `json:"mac_address"`
	IP  string `json:"ip_address"`
}

// DHCPOption is a DHCP option of a port.
type DHCPOption struct {
	Name      string  `json:"opt_name"`
	Value     *string `json:"opt_value"`
	IPVersion int     `json:"ip_version"`
}

// Binding is the place where a port is plugged in. Only admins see it.
type Binding struct {
	Host            string         `json:"binding:host_id"`
	Profile         map[string]any `json:"binding:profile"`
	VIFType         string         `json:"binding:vif_type"`
	VIFDetails      map[string]any `json:"binding:vif_details"`
	ResourceRequest any            `json:"resource_request"`
}

// These are device owners that restrict changes of a port
// (neutron_lib/constants.py).
const (
	ownerInterface  = "network:router_interface"
	ownerGateway    = "network:router_gateway"
	ownerFloatingIP = "network:floatingip"
	ownerDHCP       = "network:dhcp"
)

func routerOwner(owner string) bool { return owner == ownerInterface || owner == ownerGateway }

// autoDeleted mirrors db/_utils.py: AUTO_DELETE_PORT_OWNERS.
func autoDeleted(owner string) bool { return owner == ownerDHCP }

func (n *Neutron) addPorts() {
	n.ports = &kind[Port]{n: n, name: "port", path: "ports", tagged: true, ignoresTags: true,
		standard: func(p *Port) *Standard { return &p.Standard },
		visible: func(c *oslo.Caller, p *Port) bool {
			t, ok := n.networks.store.Get(p.NetworkID)
			return ok && t.ProjectID == c.ProjectID
		},
		missing: func(id string) *oslo.Error {
			return notFound("PortNotFound", "Port %s could not be found.", id)
		},
		view: viewPort, matches: matchPort,
		create: n.createPort, update: n.updatePort, remove: n.deletePort,
		undo: n.dropPort, mayDelete: func(c *oslo.Caller, p *Port) bool {
			t, ok := n.networks.store.Get(p.NetworkID)
			return ok && t.ProjectID == c.ProjectID
		},
	}
	n.ports.attrs = oslo.Table{
		{Name: "name", Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "network_id", Filter: true, Create: oslo.Anybody, Required: true, Parse: uuid},
		{Name: "admin_state_up", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: true, Parse: boolean},
		{Name: "mac_address", Filter: true, Create: oslo.Anybody, Update: oslo.AdminOnly, Parse: mac},
		{Name: "fixed_ips", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: parseFixedIPs},
		{Name: "device_id", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "device_owner", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "security_groups", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: uuidList},
		{Name: "allowed_address_pairs", Create: oslo.Anybody, Update: oslo.Anybody, Default: []AddressPair{}, Parse: parsePairs},
		{Name: "extra_dhcp_opts", Create: oslo.Anybody, Update: oslo.Anybody, Parse: parseDHCPOptions},
		{Name: "port_security_enabled", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: boolean},
		{Name: "qos_policy_id", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: orNull(uuid)},
		{Name: "binding:vnic_type", Create: oslo.Anybody, Update: oslo.Anybody, Default: "normal", Parse: oneOf("normal", "direct", "macvtap", "baremetal", "direct-physical", "virtio-forwarder", "smart-nic", "vdpa", "accelerator-direct", "accelerator-direct-physical", "remote-managed")},
		{Name: "binding:host_id", Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Default: "", Parse: orNull(text(255))},
		{Name: "binding:profile", Create: oslo.AdminOnly, Update: oslo.AdminOnly, Parse: anything},
		{Name: "binding:vif_type"}, {Name: "binding:vif_details"}, {Name: "status", Filter: true}, {Name: "qos_network_policy_id", Filter: true}, {Name: "resource_request"},
	}
	n.ports.checkQuery = checkFixedIPsQuery
	n.more(&n.ports.attrs, dnsText("dns_name", oslo.Anybody), dnsText("dns_domain", oslo.Anybody),
		oslo.Attribute{Name: "trusted", Plain: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Default: false, Parse: boolean},
		oslo.Attribute{Name: "propagate_uplink_status", Plain: true, Create: oslo.Anybody, Default: false, Parse: boolean})
	n.ports.register()
}

func viewPort(c *oslo.Caller, p *Port) any {
	if !c.Admin() {
		return p
	}
	return struct {
		*Port
		*Binding
	}{p, &p.Binding}
}

func matchPort(p *Port, key string, words []string) (fits, known bool) {
	switch key {
	case "fixed_ips":
		return fixedIPsFit(p, words), true
	case "security_groups":
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(p.SecurityGroups, w) }), true
	case "binding:host_id":
		return slices.Contains(words, p.Binding.Host), true
	case "mac_address":
		return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, p.MAC) }), true
	}
	return false, false
}

func checkFixedIPsQuery(q url.Values) *oslo.Error {
	for _, w := range q["fixed_ips"] {
		if !strings.Contains(w, "=") {
			return invalidInput("'%s' is not of the form <key>=[value].", w)
		}
	}
	return nil
}

// fixedIPsFit mirrors db/db_base_plugin_v2.py: _get_ports_query: conditions on
// different keys must all be true, and values of one key are alternatives.
func fixedIPsFit(p *Port, words []string) bool {
	byKey := map[string][]string{}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		byKey[key] = append(byKey[key], value)
	}
	for key, values := range byKey {
		if !slices.ContainsFunc(p.FixedIPs, func(f FixedIP) bool {
			return slices.ContainsFunc(values, func(v string) bool {
				switch key {
				case "ip_address":
					return f.IP == v
				case "subnet_id", "subnet":
					return f.SubnetID == v
				case "ip_address_substr":
					return strings.Contains(f.IP, v)
				}
				return false
			})
		}) {
			return false
		}
	}
	return true
}
