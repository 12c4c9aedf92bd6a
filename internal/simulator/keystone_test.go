package simulator_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/applicationcredentials"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

func identity(t *testing.T, s *simulator.Server, user string) *gophercloud.ServiceClient {
	t.Helper()
	c, err := openstack.NewIdentityV3(login(t, s, user), gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTokensExpire(t *testing.T) {
	ctx := context.Background()
	var ahead atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	s := start(t, simulator.Options{Now: now, TokenTTL: time.Hour})
	c := network(t, s, "demo")
	if _, err := networks.List(c, nil).AllPages(ctx); err != nil {
		t.Fatal(err)
	}
	old := c.Token()
	ahead.Store(int64(2 * time.Hour))
	if _, err := networks.List(c, nil).AllPages(ctx); err != nil {
		t.Fatalf("a client that may log in again did not: %v", err)
	}
	if c.Token() == old {
		t.Error("the expired token was taken")
	}
	var refused int
	for _, r := range s.Requests() {
		if r.Status == http.StatusUnauthorized {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("%d requests were refused, want 1", refused)
	}
}

func TestRevokedTokenIsRefusedByAll(t *testing.T) {
	ctx := context.Background()
	s := start(t, simulator.Options{})
	c := identity(t, s, "demo")
	token := c.Token()
	if err := tokens.Revoke(ctx, c, token).Err; err != nil {
		t.Fatal(err)
	}
	for _, svc := range s.Services() {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+svc.Prefix+"/anything", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Auth-Token", token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s took a revoked token: %d", svc.Name, resp.StatusCode)
		}
	}
}

func TestApplicationCredential(t *testing.T) {
	ctx := context.Background()
	s := start(t, simulator.Options{})
	c := identity(t, s, "demo")
	result := tokens.Get(ctx, c, c.Token())
	user, err := result.ExtractUser()
	if err != nil {
		t.Fatal(err)
	}
	made, err := applicationcredentials.Create(ctx, c, user.ID, applicationcredentials.CreateOpts{Name: "agent",
		Roles: []applicationcredentials.Role{{Name: "member"}}}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	opts := gophercloud.AuthOptions{IdentityEndpoint: s.URL + "/identity/v3", ApplicationCredentialID: made.ID, ApplicationCredentialSecret: made.Secret}
	p, err := openstack.AuthenticatedClient(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	n, err := openstack.NewNetworkV2(p, gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatal(err)
	}
	net, err := networks.Create(ctx, n, networks.CreateOpts{Name: "by-credential"}).Extract()
	if err != nil || net.ProjectID != made.ProjectID {
		t.Errorf("network %+v, %v", net, err)
	}
	shown, err := applicationcredentials.Get(ctx, c, user.ID, made.ID).Extract()
	if err != nil || shown.Secret != "" {
		t.Errorf("a credential shows its secret again: %+v, %v", shown, err)
	}
	if err := applicationcredentials.Delete(ctx, c, user.ID, made.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if _, err := networks.List(n, nil).AllPages(ctx); status(err) != http.StatusUnauthorized && !gophercloud.ResponseCodeIs(err, http.StatusUnauthorized) {
		t.Errorf("the token of a deleted credential: %v", err)
	}
	if _, err := openstack.AuthenticatedClient(ctx, opts); err == nil {
		t.Error("a deleted credential still logs in")
	}
}

func TestSecondProject(t *testing.T) {
	ctx := context.Background()
	s := start(t, simulator.Options{})
	admin := identity(t, s, "admin")
	p, err := projects.Create(ctx, admin, projects.CreateOpts{Name: "other"}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	opts := gophercloud.AuthOptions{IdentityEndpoint: s.URL + "/identity/v3", Username: "demo", Password: "demo", DomainName: "Default",
		Scope: &gophercloud.AuthScope{ProjectID: p.ID}}
	if _, err := openstack.AuthenticatedClient(ctx, opts); err == nil {
		t.Fatal("demo scoped to a project where it has no role")
	}
	s.Do(func() { s.Keystone.Grant(s.Keystone.UserID("demo"), p.ID, "member") })
	client, err := openstack.AuthenticatedClient(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := projects.Delete(ctx, admin, p.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	n, err := openstack.NewNetworkV2(client, gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := networks.List(n, nil).AllPages(ctx); err == nil {
		t.Error("the token of a deleted project still works")
	}
}

func TestSeedMakesTheSameCloud(t *testing.T) {
	ids := func(seed uint64) string {
		c, err := simulator.New(simulator.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		var id string
		c.Do(func() { id = c.Keystone.UserID("demo") })
		return id
	}
	if ids(1) != ids(1) || ids(1) == ids(2) || ids(0) == ids(0) {
		t.Error("ids do not follow the seed")
	}
}
