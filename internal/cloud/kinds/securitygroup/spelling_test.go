package securitygroup

import (
	"encoding/json"
	"testing"
)

// Policies see one spelling of each rule. An omitted prefix and the prefix 0.0.0.0/0 look the same to
// them.
func TestSpellOut(t *testing.T) {
	for text, want := range map[string]string{
		`{"ethertype":"IPv4","protocol":"tcp"}`:                         `{"direction":"ingress","ethertype":"IPv4","portRange":{"max":65535,"min":1},"protocol":"tcp","remoteIPPrefix":"0.0.0.0/0"}`,
		`{"ethertype":"IPv6","direction":"egress"}`:                     `{"direction":"egress","ethertype":"IPv6","remoteIPPrefix":"::/0"}`,
		`{"ethertype":"IPv6","protocol":"icmpv6"}`:                      `{"direction":"ingress","ethertype":"IPv6","protocol":"ipv6-icmp","remoteIPPrefix":"::/0"}`,
		`{"ethertype":"IPv4","remoteGroupRef":"a"}`:                     `{"direction":"ingress","ethertype":"IPv4","remoteGroupRef":"a"}`,
		`{"ethertype":"IPv4","remoteIPPrefix":"10.0.0.0/8"}`:            `{"direction":"ingress","ethertype":"IPv4","remoteIPPrefix":"10.0.0.0/8"}`,
		`{"ethertype":"IPv4","remoteAddressGroupRef":"a","protocol":1}`: `{"direction":"ingress","ethertype":"IPv4","protocol":1,"remoteAddressGroupRef":"a"}`,
	} {
		var rule any
		if err := json.Unmarshal([]byte(text), &rule); err != nil {
			t.Fatal(err)
		}
		spec := map[string]any{"rules": []any{rule}}
		(*Spec)(nil).SpellOut(spec)
		got, _ := json.Marshal(rule)
		if string(got) != want {
			t.Errorf("%s is %s", text, got)
		}
	}
	(*Spec)(nil).SpellOut(nil)
}
