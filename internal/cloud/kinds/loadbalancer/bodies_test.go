package loadbalancer

import (
	"encoding/json"
	"testing"
)

// A create request contains only the attributes that the manifest gives or Octavia requires. Some providers refuse
// attributes that they do not know, even if they are empty.
func TestBodiesThatCreate(t *testing.T) {
	w := webAndName()
	for i, want := range []string{
		`{"default_pool":{"healthmonitor":{"delay":5,"expected_codes":"200","http_method":"GET","max_retries":3,"max_retries_down":3,"name":"lb-80","timeout":3,"type":"HTTP","url_path":"/up"},` +
			`"lb_algorithm":"ROUND_ROBIN","members":[` +
			`{"address":"10.0.0.1","admin_state_up":true,"backup":false,"monitor_address":null,"monitor_port":null,"name":"10.0.0.1","protocol_port":8080,"weight":1},` +
			`{"address":"10.0.0.2","admin_state_up":true,"backup":false,"monitor_address":null,"monitor_port":null,"name":"10.0.0.2","protocol_port":8080,"weight":1}],` +
			`"name":"lb-80","protocol":"HTTP"},"name":"lb-80","protocol":"HTTP","protocol_port":80}`,
		`{"default_pool":{"lb_algorithm":"SOURCE_IP","members":[` +
			`{"address":"2001:db8::1","admin_state_up":true,"backup":false,"monitor_address":null,"monitor_port":null,"name":"2001:DB8::1","protocol_port":53,"weight":1}],` +
			`"name":"lb-53-udp","protocol":"UDP"},"allowed_cidrs":["10.0.0.0/8"],"name":"lb-53-udp","protocol":"UDP","protocol_port":53,"timeout_client_data":7}`,
	} {
		w.Spec.Ports[1].AllowedCIDRs, w.Spec.Ports[1].Timeouts, w.Spec.Ports[1].Algorithm = []string{"10.0.0.0/8"}, &Timeouts{Client: ptr(7)}, ptr("sourceIP")
		got, err := json.Marshal(wanted(w)[i].populated())
		var sorted any
		if err == nil {
			err = json.Unmarshal([]byte(want), &sorted)
		}
		if err != nil {
			t.Fatal(err)
		}
		if expected, _ := json.Marshal(sorted); string(got) != string(expected) {
			t.Errorf("body is\n%s, want\n%s", got, expected)
		}
	}
}
