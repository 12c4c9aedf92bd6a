package neutron

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// SecurityGroupRule is a rule as the API shows it.
type SecurityGroupRule struct {
	ID              string  `json:"id"`
	TenantID        string  `json:"tenant_id"`
	ProjectID       string  `json:"project_id"`
	GroupID         string  `json:"security_group_id"`
	EtherType       string  `json:"ethertype"`
	Direction       string  `json:"direction"`
	Protocol        *string `json:"protocol"`
	PortMin         *int    `json:"port_range_min"`
	PortMax         *int    `json:"port_range_max"`
	RemoteIPPrefix  *string `json:"remote_ip_prefix"`
	RemoteAddresses *string `json:"remote_address_group_id"`
	NormalizedCIDR  *string `json:"normalized_cidr"`
	RemoteGroupID   *string `json:"remote_group_id"`
	Description     *string `json:"description"` // null in the rules that Neutron adds to a new group
	CreatedAt       string  `json:"created_at"`
	UpdatedAt       string  `json:"updated_at"`
	Revision        int     `json:"revision_number"`

	Standard   `json:"-"`
	standardID int
}

// protocols are the names that rules may use, in the order of Neutron's message.
var protocols = []string{"ah", "dccp", "egp", "esp", "gre", "hopopt", "icmp", "igmp", "ip", "ipip", "ipv6-encap", "ipv6-frag", "ipv6-icmp", "icmpv6", "ipv6-nonxt", "ipv6-opts", "ipv6-route", "ospf", "pgm", "rsvp", "sctp", "tcp", "udp", "udplite", "vrrp"}

func (n *Neutron) addRules() {
	n.rules = &kind[SecurityGroupRule]{n: n, name: "security_group_rule", path: "security-group-rules",
		standard: func(r *SecurityGroupRule) *Standard { return &r.Standard },
		visible: func(c *oslo.Caller, r *SecurityGroupRule) bool {
			g, ok := n.groups.store.Get(r.GroupID)
			return ok && g.ProjectID == c.ProjectID
		},
		missing: func(id string) *oslo.Error {
			return notFound("SecurityGroupRuleNotFound", "Security group rule %s does not exist", id)
		},
		view:   func(_ *oslo.Caller, r *SecurityGroupRule) any { return r },
		create: n.createRule,
		update: func(*oslo.Call, *SecurityGroupRule, oslo.Values) error {
			// The plugin cannot update rules. The API accepts the request, so Zed answers 500.
			return oslo.Errorf(500, "HTTPInternalServerError", "no update_security_group_rule")
		},
		remove: func(_ *oslo.Call, r *SecurityGroupRule) error { n.dropRule(r); return nil },
		undo:   n.unlinkRule,
		made: func(rules []*SecurityGroupRule) {
			if g, ok := n.groups.store.Get(rules[0].GroupID); ok {
				n.bump(&g.Standard)
			}
		},
		checkBulk: n.checkBulkRules,
	}
	n.rules.attrs = oslo.Table{
		{Name: "security_group_id", Filter: true, Create: oslo.Anybody, Required: true, Parse: uuid},
		{Name: "direction", Filter: true, Create: oslo.Anybody, Required: true, Parse: oneOf("ingress", "egress")},
		{Name: "ethertype", Filter: true, Create: oslo.Anybody, Default: "IPv4", Parse: etherType},
		{Name: "protocol", Filter: true, Create: oslo.Anybody, Parse: orNull(protocol)},
		{Name: "port_range_min", Filter: true, Create: oslo.Anybody, Parse: orNull(portNumber)},
		{Name: "port_range_max", Filter: true, Create: oslo.Anybody, Parse: orNull(portNumber)},
		{Name: "remote_ip_prefix", Filter: true, Create: oslo.Anybody, Parse: orNull(ruleCIDR)},
		{Name: "remote_group_id", Filter: true, Create: oslo.Anybody, Parse: orNull(text(36))},
		{Name: "remote_address_group_id", Filter: true, Create: oslo.Anybody, Parse: orNull(uuid)},
		{Name: "normalized_cidr", Filter: true},
	}
	n.rules.register()
}

func etherType(_ string, v any) (any, *oslo.Error) {
	for _, e := range []string{"IPv4", "IPv6"} {
		if s, ok := v.(string); ok && strings.EqualFold(s, e) {
			return e, nil
		}
	}
	return nil, oslo400("SecurityGroupRuleInvalidEtherType", "Security group rule for ethertype '%s' not supported. Allowed values are ['IPv4', 'IPv6'].", py(v))
}

func protocol(_ string, v any) (any, *oslo.Error) {
	s := strings.ToLower(py(v))
	if s == "" {
		return nil, nil
	}
	if i, err := strconv.Atoi(s); slices.Contains(protocols, s) || err == nil && i >= 0 && i <= 255 {
		return s, nil
	}
	return nil, oslo400("SecurityGroupRuleInvalidProtocol", "Security group rule protocol %s not supported. Only protocol values [None, '%s'] and integer representations [0 to 255] are supported.", s, strings.Join(protocols, "', '"))
}

func portNumber(_ string, v any) (any, *oslo.Error) {
	i, err := strconv.Atoi(py(v))
	if err != nil {
		return nil, oslo400("SecurityGroupInvalidPortValue", "Invalid value for port %s", py(v))
	}
	if i < 0 || i > 65535 {
		return nil, oslo400("SecurityGroupInvalidPortValue", "Invalid value for port %d", i)
	}
	return i, nil
}

// ruleCIDR parses a prefix and does not clear its host bits, as extensions/securitygroup.py:
// convert_ip_prefix_to_cidr does.
func ruleCIDR(_ string, v any) (any, *oslo.Error) {
	s, _ := v.(string)
	if s == "" {
		return nil, nil
	}
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.String(), nil
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(a, a.BitLen()).String(), nil
	}
	return nil, oslo400("InvalidCIDR", "Invalid CIDR %s given as IP prefix.", py(v))
}

func (n *Neutron) newRule(g *SecurityGroup, direction, ether string, description *string) *SecurityGroupRule {
	s := n.standard(g.ProjectID, "")
	return &SecurityGroupRule{ID: s.ID, TenantID: s.TenantID, ProjectID: s.ProjectID, GroupID: g.ID, EtherType: ether, Direction: direction,
		Description: description, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, Standard: s, standardID: n.standardID}
}

func (n *Neutron) createRule(c *oslo.Call, v oslo.Values) (*SecurityGroupRule, error) {
	g, err := n.groups.find(c.Caller, v.Text("security_group_id"))
	if err != nil {
		return nil, err
	}
	description := v.Text("description")
	r := n.newRule(g, v.Text("direction"), v.Text("ethertype"), &description)
	r.ProjectID, r.TenantID = v.Text("project_id"), v.Text("project_id")
	r.Standard.ProjectID, r.Standard.TenantID = r.ProjectID, r.ProjectID
	ruleFrom(r, v)
	if err := n.checkRule(c.Caller, r); err != nil {
		return nil, err
	}
	for _, other := range n.rulesOf(g.ID) {
		if other.same(r) {
			return nil, conflict("SecurityGroupRuleExists", "Security group rule already exists. Rule id is %s.", other.ID)
		}
	}
	n.keepRule(r)
	return r, nil
}

func ruleFrom(r *SecurityGroupRule, v oslo.Values) *SecurityGroupRule {
	oslo.TakePtr(v, "protocol", &r.Protocol)
	oslo.TakePtr(v, "port_range_min", &r.PortMin)
	oslo.TakePtr(v, "port_range_max", &r.PortMax)
	oslo.TakePtr(v, "remote_ip_prefix", &r.RemoteIPPrefix)
	oslo.TakePtr(v, "remote_group_id", &r.RemoteGroupID)
	oslo.TakePtr(v, "remote_address_group_id", &r.RemoteAddresses)
	r.canonical()
	return r
}

func (n *Neutron) rulesOf(group string) []*SecurityGroupRule {
	return n.ruleIndex[group]
}

func (n *Neutron) keepRule(r *SecurityGroupRule) {
	n.rules.store.Add(r)
	n.ruleIndex[r.GroupID] = append(n.ruleIndex[r.GroupID], r)
}

func (n *Neutron) dropRule(r *SecurityGroupRule) {
	n.unlinkRule(r)
	if g, ok := n.groups.store.Get(r.GroupID); ok {
		n.bump(&g.Standard)
	}
}

func (n *Neutron) unlinkRule(r *SecurityGroupRule) {
	n.rules.store.Remove(r.ID)
	left := slices.DeleteFunc(slices.Clone(n.ruleIndex[r.GroupID]), func(o *SecurityGroupRule) bool { return o == r })
	if n.ruleIndex[r.GroupID] = left; len(left) == 0 {
		delete(n.ruleIndex, r.GroupID)
	}
}
