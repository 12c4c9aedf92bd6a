package securitygroup

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type state = define.State[Spec, More]

// validate checks each rule. It also rejects two rules for the same traffic, because Neutron refuses the second one.
func validate(s *Spec, r *kind.Report) {
	seen := map[string]int{}
	for i := range s.Rules {
		rule := &s.Rules[i]
		field := fmt.Sprintf("spec.resource.rules[%d]", i)
		rule.validate(field, r)
		t := rule.traffic()
		if first, twice := seen[t]; twice {
			r.Problem(field, fmt.Sprintf("allows the same traffic as rules[%d]", first), "remove one of them")
		}
		seen[t] = i
	}
}

func (rule *Rule) validate(field string, r *kind.Report) {
	if rule.RemoteAddressGroupRef != nil && (rule.RemoteIPPrefix != nil || rule.RemoteGroupRef != nil) {
		r.Problem(field+".remoteAddressGroupRef", "is given together with another remote", "write two rules")
	}
	if rule.RemoteIPPrefix != nil && rule.RemoteGroupRef != nil {
		r.Problem(field+".remoteGroupRef", "is given together with remoteIPPrefix", "write two rules")
	}
	if rule.RemoteIPPrefix != nil {
		if p, err := netip.ParsePrefix(*rule.RemoteIPPrefix); (err == nil && p.Addr().Is4()) != (rule.Ethertype == "IPv4") {
			r.Problem(field+".remoteIPPrefix", "is not of ethertype "+rule.Ethertype, "make them agree")
		}
	}
	if rule.PortRange != nil {
		rule.validatePorts(field+".portRange", r)
	}
}

// validatePorts mirrors neutron/db/securitygroups_db.py: _validate_port_range.
func (rule *Rule) validatePorts(field string, r *kind.Report) {
	first, last := rule.PortRange.Min, table.Or(rule.PortRange.Max, 0)
	switch protocol(table.Or(rule.Protocol, ""), rule.Ethertype) {
	case "":
		r.Problem(field, "is given without a protocol", "name a protocol, such as tcp")
	case "tcp", "udp", "dccp", "sctp", "udplite":
		if rule.PortRange.Max == nil {
			r.Problem(field+".max", "missing", fmt.Sprintf("give the last port; for a single port, write max: %d", first))
		} else if first == 0 || first > last {
			r.Problem(field, fmt.Sprintf("is %d to %d", first, last), "use a first port of at least 1, and not above the last")
		}
	case "icmp", "ipv6-icmp":
		if first > 255 || last > 255 {
			r.Problem(field, "is beyond 255", "for ICMP, min is the type and max the code")
		}
	default:
		if rule.PortRange.Max != nil { // older versions of Neutron store a minimum without a maximum
			r.Problem(field, "is given for a protocol without ports", "remove it")
		}
	}
}

// traffic describes the traffic that a rule allows, in one spelling. Neutron treats two rules for the same traffic as duplicates, even
// if their descriptions differ (neutron/db/securitygroups_db.py: _rule_to_key). For Neutron, and here, a range of all ports is the same
// as no range.
func (rule *Rule) traffic() string {
	words := []string{table.Or(rule.Direction, "ingress"), rule.Ethertype}
	if name := protocol(table.Or(rule.Protocol, ""), rule.Ethertype); name != "" {
		words = append(words, name)
	}
	if p := rule.PortRange; p != nil {
		switch last := table.Or(p.Max, -1); {
		case last < 0:
			words = append(words, fmt.Sprintf("%d-any", p.Min))
		case p.Min == last:
			words = append(words, fmt.Sprint(last))
		case p.Min != 1 || last != 65535:
			words = append(words, fmt.Sprintf("%d-%d", p.Min, last))
		}
	}
	return strings.Join(append(words, rule.remote()), " ")
}

// remote describes the remote side of a rule.
func (rule *Rule) remote() string {
	way := "from "
	if table.Or(rule.Direction, "ingress") == "egress" {
		way = "to "
	}
	var ends []string
	if remote := prefix(table.Or(rule.RemoteIPPrefix, "")); remote != "" {
		ends = append(ends, remote)
	}
	if group := table.Or(rule.RemoteGroupRef, ""); group != "" {
		ends = append(ends, "group "+group)
	}
	if group := table.Or(rule.RemoteAddressGroupRef, ""); group != "" {
		ends = append(ends, "address group "+group)
	}
	if ends == nil {
		return way + "anywhere"
	}
	return way + strings.Join(ends, " and ")
}

// String is the text by which rules are compared. It includes the description, because Neutron cannot change any part of a rule.
func (rule *Rule) String() string { return described(rule.traffic(), rule.Description) }

func described(traffic string, description *string) string {
	if description == nil || *description == "" {
		return traffic
	}
	return fmt.Sprintf("%s %q", traffic, *description)
}

// numbers are the protocols that Neutron also accepts as numbers (neutron-lib constants.py: IP_PROTOCOL_MAP).
var numbers = map[string]string{
	"1": "icmp", "2": "igmp", "4": "ipip", "6": "tcp", "8": "egp", "17": "udp", "33": "dccp", "41": "ipv6-encap", "43": "ipv6-route",
	"44": "ipv6-frag", "46": "rsvp", "47": "gre", "50": "esp", "51": "ah", "58": "ipv6-icmp", "59": "ipv6-nonxt", "60": "ipv6-opts",
	"89": "ospf", "112": "vrrp", "113": "pgm", "132": "sctp", "136": "udplite",
}

// protocol normalizes the name of a protocol. ICMP for IPv6 has several names.
func protocol(text, ethertype string) string {
	switch name, ok := numbers[text]; {
	case ok:
		text = name
	case text == "ip" || text == "hopopt":
		text = "0"
	}
	if text == "icmpv6" || text == "icmp" && ethertype == "IPv6" {
		return "ipv6-icmp"
	}
	return text
}

// prefix normalizes the spelling of a network. It returns "" for the networks that contain all addresses.
func prefix(text string) string {
	if p, err := netip.ParsePrefix(text); err == nil && p.Bits() == 0 {
		return ""
	}
	return table.Network(text)
}

// everybody is the network that a rule without a remote admits.
var everybody = map[string]string{"IPv4": "0.0.0.0/0", "IPv6": "::/0"}

// SpellOut rewrites rules to one spelling, so that policies need to know only that spelling. A rule without a remote gets the network of
// all addresses, and a rule without a direction gets ingress. A rule for TCP without ports gets the range of all ports, and each
// protocol gets its usual name.
func (*Spec) SpellOut(spec map[string]any) {
	rules, _ := spec["rules"].([]any)
	for i := range rules {
		rule, ok := rules[i].(map[string]any)
		if !ok {
			continue
		}
		ethertype, _ := rule["ethertype"].(string)
		if rule["remoteIPPrefix"] == nil && rule["remoteGroupRef"] == nil && rule["remoteAddressGroupRef"] == nil {
			rule["remoteIPPrefix"] = everybody[ethertype]
		}
		if rule["direction"] == nil {
			rule["direction"] = "ingress"
		}
		if name, ok := rule["protocol"].(string); ok {
			name = protocol(name, ethertype)
			rule["protocol"] = name
			if rule["portRange"] == nil && slices.Contains([]string{"tcp", "udp", "sctp", "dccp", "udplite"}, name) {
				rule["portRange"] = map[string]any{"min": 1, "max": 65535}
			}
		}
	}
}

// observe reports the groups that rules refer to as detached automatically: if such a group is deleted, Neutron deletes the rule, too.
// (neutron/db/models/securitygroup.py: remote_group_id, ondelete CASCADE)
func observe(s *state, live *kind.Live) {
	for _, r := range s.More.Rules {
		if addresses := table.Or(r.RemoteAddressGroupRef, ""); addresses != "" {
			live.Uses = append(live.Uses, addresses)
		}
		if group := table.Or(r.RemoteGroupRef, ""); group != "" && group != s.ID {
			live.Uses, live.AutoDetached = append(live.Uses, group), append(live.AutoDetached, group)
		}
	}
}

// show reports stateful as true if the cloud does not report it, because such a cloud has only stateful groups.
func show(s *state, shown table.Shown) { shown["stateful"] = table.Or(s.Spec.Stateful, true) }

// countRules counts the rules of a group, because Neutron has a separate quota for rules.
func countRules(s *Spec, more *More) kind.Amounts {
	rules := len(s.Rules)
	if more != nil {
		rules = len(more.Rules)
	}
	return kind.Amounts{{Service: cloud.Network, Name: "security_group_rule"}: int64(rules)}
}

// export omits the group that Neutron makes for each project. Rules are sorted by the traffic that they allow.
func export(s *state, spec *Spec, e *kind.Export) {
	if s.Name == "default" {
		e.LeftOut = "is made by the cloud for each project"
		return
	}
	rules := slices.Clone(s.More.Rules)
	for i := range rules {
		rules[i].Rule = rules[i].exported()
	}
	slices.SortStableFunc(rules, func(a, b CloudRule) int {
		return cmp.Or(cmp.Compare(b.Ethertype, a.Ethertype), cmp.Compare(a.String(), b.String()))
	})
	for i := range rules {
		if e.Element(list, rules[i].ID) {
			spec.Rules = append(spec.Rules, rules[i].Rule)
		}
	}
}

// exported is a rule in the form of a manifest.
func (r CloudRule) exported() Rule {
	rule := r.Rule
	if table.Or(rule.Description, "") == "" {
		rule.Description = nil
	}
	rule.RemoteIPPrefix = nil
	if text := table.Or(r.RemoteIPPrefix, ""); text != "" {
		text = table.Network(text)
		rule.RemoteIPPrefix = &text
	}
	rule.RemoteGroupRef, rule.RemoteAddressGroupRef = copied(rule.RemoteGroupRef), copied(rule.RemoteAddressGroupRef)
	if name := protocol(table.Or(rule.Protocol, ""), rule.Ethertype); name != "" {
		rule.Protocol = &name
	} else {
		rule.Protocol = nil
	}
	return rule
}

// copied returns a copy of a reference, because the rule in the cloud must not be changed. It returns nil for an empty reference.
func copied(ref *string) *string {
	id := table.Or(ref, "")
	if id == "" {
		return nil
	}
	return &id
}
