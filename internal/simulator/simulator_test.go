package simulator_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// start starts a cloud that listens until the end of the test.
func start(t *testing.T, opts simulator.Options) *simulator.Server {
	t.Helper()
	s, err := simulator.Start(context.Background(), "127.0.0.1:0", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// login authenticates as a user. The user's project and password are equal to the user's name.
func login(t *testing.T, s *simulator.Server, user string) *gophercloud.ProviderClient {
	t.Helper()
	p, err := openstack.AuthenticatedClient(context.Background(), gophercloud.AuthOptions{IdentityEndpoint: s.URL + "/identity/v3",
		Username: user, Password: user, TenantName: user, DomainName: "Default", AllowReauth: true})
	if err != nil {
		t.Fatalf("login as %s: %v", user, err)
	}
	return p
}

func network(t *testing.T, s *simulator.Server, user string) *gophercloud.ServiceClient {
	t.Helper()
	c, err := openstack.NewNetworkV2(login(t, s, user), gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// status returns the HTTP status of a gophercloud error, or 0 if there is none.
func status(err error) int {
	var u gophercloud.ErrUnexpectedResponseCode
	if errors.As(err, &u) {
		return u.Actual
	}
	return 0
}

func TestPortsKeepTheirNetwork(t *testing.T) {
	ctx := context.Background()
	c := network(t, start(t, simulator.Options{}), "demo")
	pages, err := networks.List(c, networks.ListOpts{Name: "private"}).AllPages(ctx)
	if err != nil {
		t.Fatal(err)
	}
	nets, err := networks.ExtractNetworks(pages)
	if err != nil || len(nets) != 1 {
		t.Fatalf("private networks of demo: %v, %v", nets, err)
	}
	p, err := ports.Create(ctx, c, ports.CreateOpts{NetworkID: nets[0].ID, Name: "p"}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.FixedIPs) != 1 || len(p.SecurityGroups) != 1 || p.Status != "DOWN" {
		t.Errorf("new port: %+v", p)
	}
	if err := networks.Delete(ctx, c, nets[0].ID).ExtractErr(); status(err) != http.StatusConflict {
		t.Errorf("delete of a network in use: %v", err)
	}
	if err := ports.Delete(ctx, c, p.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if err := networks.Delete(ctx, c, nets[0].ID).ExtractErr(); err != nil {
		t.Errorf("delete of a free network: %v", err)
	}
}
