package simulator_test

import (
	"context"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// TestUndoneSubnetLeavesNoAddress checks that a bulk create that fails removes the addresses that it has given
// to ports. No port may contain a subnet that does not exist.
func TestUndoneSubnetLeavesNoAddress(t *testing.T) {
	c := network(t, start(t, simulator.Options{Seed: 1}), "demo")
	send := func(method, path string, body any) (answer map[string]map[string]any, err error) {
		_, err = c.Request(context.Background(), method, c.ServiceURL(path), &gophercloud.RequestOpts{JSONBody: body, JSONResponse: &answer, OkCodes: []int{200, 201}})
		return answer, err
	}
	must := func(method, path, singular string, body any) string {
		t.Helper()
		answer, err := send(method, path, map[string]any{singular: body})
		if err != nil {
			t.Fatal(err)
		}
		id, _ := answer[singular]["id"].(string)
		return id
	}
	net := must("POST", "networks", "network", map[string]any{"name": "six"})
	must("POST", "subnets", "subnet", map[string]any{"network_id": net, "ip_version": 4, "cidr": "10.5.0.0/24"})
	port := must("POST", "ports", "port", map[string]any{"network_id": net})
	six := map[string]any{"network_id": net, "ip_version": 6, "cidr": "2001:db8:5::/64", "ipv6_ra_mode": "slaac", "ipv6_address_mode": "slaac"}
	if _, err := send("POST", "subnets", map[string]any{"subnets": []any{six, six}}); err == nil {
		t.Fatal("two subnets have one range")
	}
	answer, err := send("GET", "ports/"+port, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ips, _ := answer["port"]["fixed_ips"].([]any); len(ips) != 1 {
		t.Errorf("the port has the addresses %v", ips)
	}
	router := must("POST", "routers", "router", map[string]any{"name": "r"})
	for _, call := range []string{"/add_router_interface", "/remove_router_interface"} {
		if _, err := c.Put(context.Background(), c.ServiceURL("routers", router+call), map[string]any{"port_id": port}, nil, &gophercloud.RequestOpts{OkCodes: []int{200}}); err != nil {
			t.Errorf("%s: %v", call, err)
		}
	}
}
