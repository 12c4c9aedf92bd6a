package neutron

import (
	"net/netip"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// canonical mirrors db/securitygroups_db.py: _make_canonical_ipv6_icmp_protocol and
// _make_canonical_port_range: the stored rule can differ from the requested one.
func (r *SecurityGroupRule) canonical() {
	if r.EtherType == "IPv6" && r.Protocol != nil {
		switch *r.Protocol {
		case "icmp", "icmpv6":
			name := "ipv6-icmp"
			r.Protocol = &name
		case "1":
			name := "58"
			r.Protocol = &name
		}
	}
	if r.PortMin != nil && r.PortMax != nil && *r.PortMin == 1 && *r.PortMax == 65535 {
		r.PortMin, r.PortMax = nil, nil
	}
}

// checkBulkRules mirrors db/securitygroups_db.py: _validate_single_project_and_group
// and the first half of _check_for_duplicate_rules.
func (n *Neutron) checkBulkRules(list []oslo.Values) error {
	var seen []*SecurityGroupRule
	for _, v := range list {
		r := ruleFrom(&SecurityGroupRule{GroupID: v.Text("security_group_id"), Direction: v.Text("direction"), EtherType: v.Text("ethertype")}, v)
		for _, o := range seen {
			if o.GroupID != r.GroupID {
				return oslo400("SecurityGroupNotSingleGroupRules", "Only allowed to update rules for one security profile at a time")
			}
			if o.same(r) {
				return conflict("DuplicateSecurityGroupRuleInPost", "Duplicate Security Group Rule in POST.")
			}
		}
		seen = append(seen, r)
	}
	return nil
}

// checkRule mirrors db/securitygroups_db.py: _validate_security_group_rule.
func (n *Neutron) checkRule(c *oslo.Caller, r *SecurityGroupRule) error {
	if r.RemoteIPPrefix != nil {
		if r.RemoteGroupID != nil || r.RemoteAddresses != nil {
			return oslo400("SecurityGroupMultipleRemoteEntites", "Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.")
		}
		p := netip.MustParsePrefix(*r.RemoteIPPrefix)
		if p.Addr().Is4() != (r.EtherType == "IPv4") {
			return oslo400("SecurityGroupRuleParameterConflict", "Conflicting value ethertype %s for CIDR %s", r.EtherType, *r.RemoteIPPrefix)
		}
		normal := p.Masked().String()
		r.NormalizedCIDR = &normal
	}
	if r.RemoteAddresses != nil {
		if _, err := n.addressGroups.find(c, *r.RemoteAddresses); err != nil {
			return err
		}
	}
	if r.RemoteGroupID != nil {
		if _, err := n.groups.find(c, *r.RemoteGroupID); err != nil {
			return err
		}
	}
	if err := r.checkProtocol(); err != nil {
		return err
	}
	return r.checkPorts()
}

func (r *SecurityGroupRule) checkProtocol() error {
	if r.Protocol == nil || r.EtherType == "IPv6" {
		return nil
	}
	if strings.HasPrefix(*r.Protocol, "ipv6-") || *r.Protocol == "icmpv6" {
		return oslo400("SecurityGroupEthertypeConflictWithProtocol", "Invalid ethertype %s for protocol %s.", r.EtherType, *r.Protocol)
	}
	return nil
}

// checkPorts mirrors db/securitygroups_db.py: _validate_port_range.
func (r *SecurityGroupRule) checkPorts() error {
	if r.PortMin == nil && r.PortMax == nil {
		return nil
	}
	if r.Protocol == nil {
		return oslo400("SecurityGroupProtocolRequiredWithPorts", "Must also specify protocol if port range is given.")
	}
	switch number(*r.Protocol) {
	case "6", "17", "33", "132", "136": // tcp, udp, dccp, sctp, udplite
		if r.PortMin != nil && (*r.PortMin == 0 || r.PortMax != nil && *r.PortMax == 0) {
			return oslo400("SecurityGroupInvalidPortValue", "Invalid value for port 0")
		}
		if r.PortMin == nil || r.PortMax == nil || *r.PortMin > *r.PortMax {
			return oslo400("SecurityGroupInvalidPortRange", "For TCP/UDP protocols, port_range_min must be <= port_range_max")
		}
	case "1", "58": // icmp, ipv6-icmp
		for field, v := range map[string]*int{"port_range_min": r.PortMin, "port_range_max": r.PortMax} {
			if v != nil && *v > 255 {
				return oslo400("SecurityGroupInvalidIcmpValue", "Invalid value for ICMP %s (%s) %d. It must be 0 to 255.", map[string]string{"port_range_min": "type", "port_range_max": "code"}[field], field, *v)
			}
		}
		if r.PortMin == nil {
			return oslo400("SecurityGroupMissingIcmpType", "ICMP code (port-range-max) %d is provided but ICMP type (port-range-min) is missing.", *r.PortMax)
		}
	default:
		return oslo400("SecurityGroupInvalidProtocolForPort", "Ports cannot be specified for protocol %s. Ports are only supported for DCCP, SCTP, TCP, UDP, UDPLITE.", number(*r.Protocol))
	}
	return nil
}

var protocolNumbers = map[string]string{"ah": "51", "dccp": "33", "egp": "8", "esp": "50", "gre": "47", "hopopt": "0", "icmp": "1", "igmp": "2",
	"ip": "0", "ipip": "4", "ipv6-encap": "41", "ipv6-frag": "44", "ipv6-icmp": "58", "icmpv6": "58", "ipv6-nonxt": "59", "ipv6-opts": "60",
	"ipv6-route": "43", "ospf": "89", "pgm": "113", "rsvp": "46", "sctp": "132", "tcp": "6", "udp": "17", "udplite": "136", "vrrp": "112"}

func number(protocol string) string {
	if n, ok := protocolNumbers[protocol]; ok {
		return n
	}
	return protocol
}

// same mirrors db/securitygroups_db.py: _make_security_group_rule_filter_dict and its
// use: descriptions are ignored, and any prefix of length zero means any address.
func (r *SecurityGroupRule) same(o *SecurityGroupRule) bool {
	return r.GroupID == o.GroupID && r.Direction == o.Direction && r.EtherType == o.EtherType &&
		r.protocolKey() == o.protocolKey() && equal(r.PortMin, o.PortMin) && equal(r.PortMax, o.PortMax) &&
		r.prefixKey() == o.prefixKey() && equal(r.RemoteGroupID, o.RemoteGroupID) && equal(r.RemoteAddresses, o.RemoteAddresses)
}

func (r *SecurityGroupRule) protocolKey() string {
	if r.Protocol == nil {
		return ""
	}
	return number(*r.Protocol)
}

func (r *SecurityGroupRule) prefixKey() string {
	if r.RemoteIPPrefix == nil || *r.RemoteIPPrefix == "0.0.0.0/0" || *r.RemoteIPPrefix == "::/0" {
		return ""
	}
	return *r.RemoteIPPrefix
}

func equal[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}
