package simulator_test

import (
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/secgroups"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Clients that use security groups by Nova's API can find them and add servers to them, as in a real cloud.
func TestSecurityGroupsThroughNova(t *testing.T) {
	s := start(t, simulator.Options{})
	c := compute(t, s, "demo", "")
	made, err := secgroups.Create(t.Context(), c, secgroups.CreateOpts{Name: "web", Description: "d"}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := secgroups.List(c).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if list, err := secgroups.ExtractSecurityGroups(pages); err != nil || len(list) != 2 {
		t.Errorf("%v, %v; want the default group and another", list, err)
	}
	newest := compute(t, s, "demo", "2.93")
	server, err := servers.Create(t.Context(), newest, servers.CreateOpts{Name: "web", FlavorRef: "m1-tiny", ImageRef: imageID(t, s, "demo", "cirros"),
		Networks: []servers.Network{{UUID: networkID(t, s, "demo", "private")}}}, nil).Extract()
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"web", made.ID} {
		if err := secgroups.AddServer(t.Context(), newest, server.ID, ref).ExtractErr(); err != nil {
			t.Errorf("%s: %v", ref, err)
		}
	}
	pages, err = secgroups.ListByServer(newest, server.ID).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if list, err := secgroups.ExtractSecurityGroups(pages); err != nil || len(list) != 2 {
		t.Errorf("the server is in %v, %v", list, err)
	}
	if _, err := secgroups.List(newest).AllPages(t.Context()); status(err) != http.StatusNotFound {
		t.Errorf("from 2.36 on Nova does not pass them on: %v", err)
	}
}
