package simulator_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/stackreeve/stackreeve/internal/cloud/simulator"
)

func compute(t *testing.T, s *simulator.Server, user, version string) *gophercloud.ServiceClient {
	t.Helper()
	c, err := openstack.NewComputeV2(login(t, s, user), gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatal(err)
	}
	c.Microversion = version
	return c
}

// imageID finds a public image.
func imageID(t *testing.T, s *simulator.Server, user, name string) string {
	t.Helper()
	c, err := openstack.NewImageV2(login(t, s, user), gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := images.List(c, images.ListOpts{Name: name}).AllPages(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list, err := images.ExtractImages(pages)
	if err != nil || len(list) != 1 {
		t.Fatalf("images named %s: %v, %v", name, list, err)
	}
	return list[0].ID
}

// networkID finds a network by name.
func networkID(t *testing.T, s *simulator.Server, user, name string) string {
	t.Helper()
	pages, err := networks.List(network(t, s, user), networks.ListOpts{Name: name}).AllPages(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list, err := networks.ExtractNetworks(pages)
	if err != nil || len(list) != 1 {
		t.Fatalf("networks named %s: %v, %v", name, list, err)
	}
	return list[0].ID
}

// A server keeps the port it was given and takes its own port with it.
func TestServerPorts(t *testing.T) {
	ctx := context.Background()
	s := start(t, simulator.Options{})
	c, net := compute(t, s, "demo", "2.79"), network(t, s, "demo")
	private := networkID(t, s, "demo", "private")
	given, err := ports.Create(ctx, net, ports.CreateOpts{NetworkID: private, Name: "given"}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	made, err := servers.Create(ctx, c, servers.CreateOpts{Name: "web", FlavorRef: "m1-tiny", ImageRef: imageID(t, s, "demo", "cirros"),
		Networks: []servers.Network{{Port: given.ID}, {UUID: private}}, Tags: []string{"b", "a"}, Metadata: map[string]string{"k": "v"}}, nil).Extract()
	if err != nil {
		t.Fatal(err)
	}
	got, err := servers.Get(ctx, c, made.ID).Extract()
	if err != nil {
		t.Fatal(err)
	}
	list, _ := got.Addresses["private"].([]any)
	if got.Status != "ACTIVE" || len(list) != 2 || len(*got.Tags) != 2 || got.Flavor["original_name"] != "m1.tiny" {
		t.Errorf("server after its build: %+v", got)
	}
	second := servers.CreateOpts{Name: "web2", FlavorRef: "m1-tiny", ImageRef: imageID(t, s, "demo", "cirros"), Networks: []servers.Network{{Port: given.ID}}}
	if _, err := servers.Create(ctx, c, second, nil).Extract(); status(err) != http.StatusConflict {
		t.Errorf("server on a port in use: %v", err)
	}
	if err := servers.Delete(ctx, c, made.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if err := servers.Get(ctx, c, made.ID).Err; status(err) != http.StatusNotFound {
		t.Errorf("server after its delete: %v", err)
	}
	pages, err := ports.List(net, ports.ListOpts{NetworkID: private}).AllPages(ctx)
	if err != nil {
		t.Fatal(err)
	}
	left, err := ports.ExtractPorts(pages)
	if err != nil || len(left) != 1 || left[0].ID != given.ID || left[0].DeviceID != "" || left[0].Status != "DOWN" {
		t.Errorf("ports after the delete: %+v, %v", left, err)
	}
}
