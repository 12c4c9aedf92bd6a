package machine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
)

// Clients of a cluster may connect to it over the IP version of their networks. Its machines may connect to each other, because they
// have the same security group. All other traffic is blocked.
func TestGates(t *testing.T) {
	list := machine.SecurityRules("kv", [][2]int{{2379, 2380}}, []string{"10.0.0.0/8", "fd00::/8"}, [][2]int{{2379, 2379}})
	text, err := json.Marshal(list[2:])
	want := `[{"direction":"ingress","ethertype":"IPv4","portRange":{"max":2380,"min":2379},"protocol":"tcp","remoteGroupRef":"kv"},` +
		`{"direction":"ingress","ethertype":"IPv4","portRange":{"max":2379,"min":2379},"protocol":"tcp","remoteIPPrefix":"10.0.0.0/8"},` +
		`{"direction":"ingress","ethertype":"IPv6","portRange":{"max":2379,"min":2379},"protocol":"tcp","remoteIPPrefix":"fd00::/8"}]`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v", text, err)
	}
	for _, f := range list[:2] {
		if f["direction"] != "egress" {
			t.Errorf("got %v", f)
		}
	}
	if text, _ := json.Marshal(machine.SecurityRules("kv", nil, nil, [][2]int{{1, 1}})); !strings.Contains(string(text), `"0.0.0.0/0"`) {
		t.Errorf("with no networks it is open to all, got %s", text)
	}
}
