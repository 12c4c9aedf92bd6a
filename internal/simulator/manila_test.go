package simulator_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// The recorded conversation share-networks tests all other behaviour.

func TestShareNetworkInUse(t *testing.T) {
	s, o := octavia(t, "demo", simulator.Options{})
	o.url = s.URL + "/share/v2"
	id := o.field(o.expect("POST", "/share-networks", `{"share_network": {"name": "a"}}`, 200, ""), "share_network.id")
	at := "/share-networks/" + id
	s.Do(func() { s.Manila.Occupy(id, true) })
	o.expect("PUT", at, `{"share_network": {"neutron_net_id": "n", "neutron_subnet_id": "s"}}`, 403, "It is used by share servers. Only 'name' and 'description' fields are available for update")
	o.expect("PUT", at, `{"share_network": {"name": "b"}}`, 200, `"name":"b"`)
	o.expect("DELETE", at, "", 409, `{"conflictingRequest":{"code":409,"message":"Can not delete share network`)
	s.Do(func() { s.Manila.Occupy(id, false) })
	o.expect("DELETE", at, "", 202, "")
}

// A user who makes a share network may choose its ID. The ID can be used once.
func TestShareNetworkOfAChosenID(t *testing.T) {
	s, o := octavia(t, "demo", simulator.Options{})
	o.url = s.URL + "/share/v2"
	chosen := `{"share_network": {"id": "chosen"}}`
	o.expect("POST", "/share-networks", chosen, 200, `"id":"chosen"`)
	o.expect("POST", "/share-networks", chosen, 500, "Could not create share network.")
}
