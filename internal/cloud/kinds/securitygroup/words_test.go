package securitygroup

import "testing"

// The text of a rule names its remote side, even if the rule admits everybody.
func TestRulesSayWithWhom(t *testing.T) {
	text := func(s string) *string { return &s }
	for want, rule := range map[string]Rule{
		"ingress IPv4 tcp from anywhere":                   {Ethertype: "IPv4", Protocol: text("tcp")},
		"egress IPv6 to anywhere":                          {Ethertype: "IPv6", Direction: text("egress")},
		"ingress IPv4 tcp from 10.0.0.0/8":                 {Ethertype: "IPv4", Protocol: text("tcp"), RemoteIPPrefix: text("10.0.0.0/8")},
		"egress IPv4 to group web":                         {Ethertype: "IPv4", Direction: text("egress"), RemoteGroupRef: text("web")},
		`ingress IPv4 from address group office "the VPN"`: {Ethertype: "IPv4", RemoteAddressGroupRef: text("office"), Description: text("the VPN")},
	} {
		if got := rule.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
