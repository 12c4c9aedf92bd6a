package simulator_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// This test repeats observations of the packaged worker of Octavia 11.0.0, about the objects that it leaves in
// PENDING_CREATE.
func TestChildrenStuck(t *testing.T) {
	_, o := octavia(t, "demo", simulator.Options{ChildrenStuck: true})
	made := o.expect("POST", "/v2/lbaas/loadbalancers", strings.Replace(fullTree, "NET", o.network(), 1), 201, "PENDING_CREATE")
	o.settle()
	balancer := "/v2/lbaas/loadbalancers/" + o.field(made, "loadbalancer.id")
	listener := "/v2/lbaas/listeners/" + o.field(made, "loadbalancer.listeners.0.id")
	pool := "/v2/lbaas/pools/" + o.field(made, "loadbalancer.pools.0.id")
	monitor := "/v2/lbaas/healthmonitors/" + o.field(made, "loadbalancer.pools.0.healthmonitor.id")
	member := `{"member": {"address": "10.0.0.99", "protocol_port": 80}}`
	const active, stuck = `"provisioning_status":"ACTIVE"`, `"provisioning_status":"PENDING_CREATE"`
	o.expect("GET", balancer, "", 200, active)
	for _, child := range []string{listener, pool, monitor} {
		o.expect("GET", child, "", 200, stuck)
	}

	// In a pool that is not ACTIVE, nothing can be changed.
	o.expect("POST", pool+"/members", member, 409, "is immutable")
	o.expect("PUT", pool+"/members", `{"members": []}`, 409, "is immutable")
	o.expect("DELETE", monitor, "", 409, "is immutable")

	// A change of the pool makes the pool ACTIVE, but not its monitor.
	o.expect("PUT", pool, `{"pool": {}}`, 200, "")
	o.settle()
	o.expect("GET", pool, "", 200, active)
	o.expect("GET", monitor, "", 200, stuck)
	o.expect("POST", pool+"/members", member, 201, "")
	o.settle()

	o.expect("DELETE", pool, "", 204, "")
	o.settle()
	o.expect("GET", listener, "", 200, active)
	o.expect("DELETE", listener, "", 204, "")
	o.settle()
	o.expect("GET", listener, "", 404, "")
	o.expect("DELETE", balancer, "", 204, "")
}

// A listener that is created after its load balancer works as usual.
func TestChildrenOfTheirOwnAreNotStuck(t *testing.T) {
	_, o := octavia(t, "demo", simulator.Options{ChildrenStuck: true})
	made := o.expect("POST", "/v2/lbaas/loadbalancers", strings.Replace(`{"loadbalancer": {"vip_network_id": "NET"}}`, "NET", o.network(), 1), 201, "")
	o.settle()
	listener := o.expect("POST", "/v2/lbaas/listeners",
		`{"listener": {"protocol": "HTTP", "protocol_port": 80, "loadbalancer_id": "`+o.field(made, "loadbalancer.id")+`"}}`, 201, "PENDING_CREATE")
	o.settle()
	o.expect("GET", "/v2/lbaas/listeners/"+o.field(listener, "listener.id"), "", 200, `"provisioning_status":"ACTIVE"`)
}
