package securitygroup

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// traffic is what a rule lets through, in one spelling: two rules of the same
// traffic are duplicates to Neutron, whatever their descriptions
// (neutron/db/securitygroups_db.py: _rule_to_key).
type traffic struct {
	direction, ethertype, protocol string
	min, max                       int    // -1 for any
	remote                         string // "" for anybody
	group                          string // ID, or name in a manifest
}

// key is a rule as far as it is compared: Neutron cannot change a rule, its
// description included.
type key struct {
	traffic
	description string
}

func (k key) text() string {
	words := []string{k.direction, k.ethertype}
	if k.protocol != "" {
		words = append(words, k.protocol)
	}
	switch {
	case k.min < 0:
	case k.min == k.max:
		words = append(words, fmt.Sprint(k.min))
	default:
		words = append(words, fmt.Sprintf("%d-%d", k.min, k.max))
	}
	if k.remote != "" {
		words = append(words, "remote "+k.remote)
	}
	if k.group != "" {
		words = append(words, "remote group "+k.group)
	}
	if k.description != "" {
		words = append(words, fmt.Sprintf("%q", k.description))
	}
	return strings.Join(words, " ")
}

// traffic is what a wanted rule lets through; group stands for its remote
// group.
func (rule *Rule) traffic(group string) traffic {
	t := traffic{direction: cloud.Or(rule.Direction, "ingress"), ethertype: rule.Ethertype, min: -1, max: -1, group: group,
		protocol: protocol(cloud.Or(rule.Protocol, ""), rule.Ethertype), remote: prefix(cloud.Or(rule.RemoteIPPrefix, ""))}
	if rule.PortRange != nil {
		t.setPorts(rule.PortRange.Min, rule.PortRange.Max)
	}
	return t
}

// setPorts treats the whole range of ports like none given, as Neutron does.
func (t *traffic) setPorts(low, high int) {
	if low != 1 || high != 65535 {
		t.min, t.max = low, high
	}
}

func (r *stateRule) key() key {
	t := traffic{direction: r.Direction, ethertype: r.Ethertype, min: -1, max: -1,
		protocol: protocol(r.Protocol, r.Ethertype), remote: prefix(r.RemoteIPPrefix), group: r.RemoteGroupID}
	if r.PortRangeMin != nil || r.PortRangeMax != nil {
		t.setPorts(cloud.Or(r.PortRangeMin, -1), cloud.Or(r.PortRangeMax, -1))
	}
	if r.RemoteAddressGroupID != "" {
		t.remote = "address group " + r.RemoteAddressGroupID
	}
	return key{t, r.Description}
}

// numbers are the protocols that Neutron takes by number too
// (neutron-lib constants.py: IP_PROTOCOL_MAP).
var numbers = map[string]string{
	"1": "icmp", "2": "igmp", "4": "ipip", "6": "tcp", "8": "egp", "17": "udp", "33": "dccp", "41": "ipv6-encap", "43": "ipv6-route",
	"44": "ipv6-frag", "46": "rsvp", "47": "gre", "50": "esp", "51": "ah", "58": "ipv6-icmp", "59": "ipv6-nonxt", "60": "ipv6-opts",
	"89": "ospf", "112": "vrrp", "113": "pgm", "132": "sctp", "136": "udplite",
}

// protocol is the one spelling of a protocol. ICMP for IPv6 has several.
func protocol(text, ethertype string) string {
	if name, ok := numbers[text]; ok {
		text = name
	}
	if text == "icmpv6" || text == "icmp" && ethertype == "IPv6" {
		return "ipv6-icmp"
	}
	return text
}

// prefix is the one spelling of a network; "" for everybody.
func prefix(text string) string {
	if p, err := netip.ParsePrefix(text); err == nil && p.Bits() == 0 {
		return ""
	}
	return table.Network(text)
}

func isIPv4(cidr string) bool {
	p, err := netip.ParsePrefix(cidr)
	return err == nil && p.Addr().Is4()
}

func textsOf(have []stateRule) []string {
	out := make([]string, len(have))
	for i := range have {
		out[i] = have[i].key().text()
	}
	return out
}

func wantedTexts(w kind.Want[Spec]) []string {
	var out []string
	for i := range w.Spec.Rules {
		rule := &w.Spec.Rules[i]
		ref := w.Ref("SecurityGroup", cloud.Or(rule.RemoteGroupRef, ""))
		group := ref.ID
		if ref.Name != "" && !ref.Ready {
			group = "known once " + ref.Key.String() + " is ready"
		}
		out = append(out, key{rule.traffic(group), cloud.Or(rule.Description, "")}.text())
	}
	return out
}

// edits are what must be done to the rules of a group: before comes first,
// since it makes room for what add brings.
type edits struct {
	before []stateRule
	add    []possibleRule
	after  []stateRule
}

// compare finds the edits that turn have into want. A rule that differs only in
// its description has to go before its successor can come; all others go when
// their successors are there, so that no connection is cut in between.
func compare(have []stateRule, want []possibleRule) edits {
	wanted := map[key]bool{}
	coming := map[traffic]bool{}
	present := map[key]bool{}
	for i := range have {
		present[have[i].key()] = true
	}
	var e edits
	for i := range want {
		k := key{want[i].traffic(want[i].group), cloud.Or(want[i].Description, "")}
		wanted[k] = true
		if !present[k] {
			e.add = append(e.add, want[i])
			coming[k.traffic] = true
		}
	}
	for _, r := range have {
		switch k := r.key(); {
		case wanted[k]:
			wanted[k] = false // a second one like it is too many
		case coming[k.traffic]:
			e.before = append(e.before, r)
		default:
			e.after = append(e.after, r)
		}
	}
	return e
}

func without(list []stateRule, gone []stateRule) []stateRule {
	return slices.DeleteFunc(slices.Clone(list), func(r stateRule) bool {
		return slices.ContainsFunc(gone, func(g stateRule) bool { return g.ID == r.ID })
	})
}
