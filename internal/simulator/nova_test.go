package simulator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/attachinterfaces"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/keypairs"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/quotasets"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/tags"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"

	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/simulator/glance"
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

// The deletion of a server does not delete a port that the request for the server named. It deletes a port that
// Nova made.
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

// site contains the objects that tests of servers need.
type site struct {
	t          *testing.T
	s          *simulator.Server
	c          *gophercloud.ServiceClient
	image, net string
	now        time.Time
}

// newSite starts a cloud whose clock stops until the test advances it.
func newSite(t *testing.T, opts simulator.Options) *site {
	t.Helper()
	p := &site{t: t, now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	opts.Now = func() time.Time { return p.now }
	p.s = start(t, opts)
	p.c = compute(t, p.s, "demo", "2.79")
	p.image, p.net = imageID(t, p.s, "demo", "cirros"), networkID(t, p.s, "demo", "private")
	return p
}

func (p *site) opts(name string) servers.CreateOpts {
	return servers.CreateOpts{Name: name, FlavorRef: "m1-nano", ImageRef: p.image, Networks: []servers.Network{{UUID: p.net}}}
}

func (p *site) create(o servers.CreateOpts, hints servers.SchedulerHintOptsBuilder) string {
	p.t.Helper()
	made, err := servers.Create(p.t.Context(), p.c, o, hints).Extract()
	if err != nil {
		p.t.Fatal(err)
	}
	return made.ID
}

func (p *site) get(id string) *servers.Server {
	p.t.Helper()
	got, err := servers.Get(p.t.Context(), p.c, id).Extract()
	if err != nil {
		p.t.Fatal(err)
	}
	return got
}

func (p *site) list(o servers.ListOpts) []servers.Server {
	p.t.Helper()
	pages, err := servers.List(p.c, o).AllPages(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	list, err := servers.ExtractServers(pages)
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

// body returns the text in the answer of an error.
func body(err error) string {
	var u gophercloud.ErrUnexpectedResponseCode
	if errors.As(err, &u) {
		return string(u.Body)
	}
	return ""
}

func TestServerTakesTimeToBuildAndToGo(t *testing.T) {
	p := newSite(t, simulator.Options{BuildDelay: 10 * time.Second})
	id := p.create(p.opts("slow"), nil)
	for _, step := range []struct {
		after  time.Duration
		status string
		task   string
		ports  int
	}{{0, "BUILD", "scheduling", 0}, {time.Second, "BUILD", "networking", 0}, {time.Second, "BUILD", "spawning", 1}, {8 * time.Second, "ACTIVE", "", 1}} {
		p.now = p.now.Add(step.after)
		got := p.get(id)
		if list, _ := got.Addresses["private"].([]any); got.Status != step.status || got.TaskState != step.task || len(list) != step.ports {
			t.Errorf("%v on: %s, task %q, %d addresses; want %+v", step.after, got.Status, got.TaskState, len(list), step)
		}
	}
	if err := servers.Delete(t.Context(), p.c, id).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if got := p.get(id); got.TaskState != "deleting" {
		t.Errorf("just after the delete: task %q", got.TaskState)
	}
	p.now = p.now.Add(time.Second)
	if err := servers.Get(t.Context(), p.c, id).Err; status(err) != http.StatusNotFound {
		t.Errorf("after the delete: %v", err)
	}
	since := p.list(servers.ListOpts{ChangesSince: "2020-01-01T00:00:00Z"})
	if len(since) != 1 || since[0].Status != "DELETED" {
		t.Errorf("changes-since shows %+v", since)
	}
}

func TestBuildsFailOnDemand(t *testing.T) {
	p := newSite(t, simulator.Options{})
	resp, err := http.Post(p.s.URL+"/_simulator/fail-build", "application/json", strings.NewReader(`{"message": "no disk"}`))
	if err != nil || resp.StatusCode != http.StatusNoContent {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	bad, good := p.create(p.opts("bad"), nil), p.create(p.opts("good"), nil)
	if got := p.get(bad); got.Status != "ERROR" || !strings.Contains(got.Fault.Message, "no disk") || len(got.Addresses) != 0 {
		t.Errorf("server that was to fail: %+v", got)
	}
	if got := p.get(good); got.Status != "ACTIVE" {
		t.Errorf("the next server: %s", got.Status)
	}
	resp, err = http.Post(p.s.URL+"/_simulator/build-delay", "application/json", strings.NewReader(`{"delay": "1h"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := p.get(p.create(p.opts("later"), nil)); got.Status != "BUILD" {
		t.Errorf("with a build delay of an hour: %s", got.Status)
	}
}

func TestAntiAffinityRunsOutOfHosts(t *testing.T) {
	p := newSite(t, simulator.Options{})
	g, err := servergroups.Create(t.Context(), p.c, servergroups.CreateOpts{Name: "apart", Policy: "anti-affinity"}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	hosts := map[string]bool{}
	for i := range 3 {
		id := p.create(p.opts(fmt.Sprint("s", i)), servers.SchedulerHintOpts{Group: g.ID})
		got := p.get(id)
		if i < 2 {
			hosts[got.HostID] = true
			continue
		}
		if got.Status != "ERROR" || got.Fault.Message != "No valid host was found. There are not enough hosts available." {
			t.Errorf("third server on two hosts: %s %+v", got.Status, got.Fault)
		}
	}
	if len(hosts) != 2 {
		t.Errorf("two servers on %d hosts", len(hosts))
	}
	if g, err = servergroups.Get(t.Context(), p.c, g.ID).Extract(); err != nil || len(g.Members) != 3 {
		t.Errorf("members: %+v, %v", g, err)
	}
}

func TestPortDeletedBehindTheServersBack(t *testing.T) {
	p := newSite(t, simulator.Options{})
	id := p.create(p.opts("s"), nil)
	pages, err := ports.List(network(t, p.s, "demo"), ports.ListOpts{DeviceID: id}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := ports.ExtractPorts(pages)
	if err != nil || len(list) != 1 || list[0].DeviceOwner != "compute:az-a" || list[0].Status != "ACTIVE" {
		t.Fatalf("ports of the server: %+v, %v", list, err)
	}
	if err := ports.Delete(t.Context(), network(t, p.s, "demo"), list[0].ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if got := p.get(id); len(got.Addresses) != 0 {
		t.Errorf("addresses after the port went: %v", got.Addresses)
	}
	made, err := attachinterfaces.Create(t.Context(), p.c, id, attachinterfaces.CreateOpts{NetworkID: p.net}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	if err := attachinterfaces.Delete(t.Context(), p.c, id, made.PortID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if err := ports.Get(t.Context(), network(t, p.s, "demo"), made.PortID).Err; status(err) != http.StatusNotFound {
		t.Errorf("port of Nova's own after its detach: %v", err)
	}
}

func TestServerListsFilterAndPage(t *testing.T) {
	p := newSite(t, simulator.Options{MaxPage: 3})
	for i := range 7 {
		o := p.opts(fmt.Sprintf("web-%d", i))
		o.Tags = []string{"t", fmt.Sprint("n", i)}
		p.create(o, nil)
	}
	if got := p.list(servers.ListOpts{}); len(got) != 7 || got[0].Name != "web-6" {
		t.Errorf("all pages: %d servers, first %s", len(got), got[0].Name)
	}
	for _, c := range []struct {
		o    servers.ListOpts
		want int
	}{{servers.ListOpts{Name: "^web-[12]$"}, 2}, {servers.ListOpts{Tags: "t,n3"}, 1}, {servers.ListOpts{NotTags: "n3"}, 6}, {servers.ListOpts{TagsAny: "n1,n2"}, 2},
		{servers.ListOpts{Status: "ERROR"}, 0}, {servers.ListOpts{Flavor: "m1-nano"}, 7}, {servers.ListOpts{Image: "other"}, 0}, {servers.ListOpts{IP: `10\.0\.0\.`}, 7}} {
		if got := p.list(c.o); len(got) != c.want {
			t.Errorf("%+v: %d servers, want %d", c.o, len(got), c.want)
		}
	}
	p.c = compute(t, p.s, "demo2", "2.79")
	if got := p.list(servers.ListOpts{}); len(got) != 0 {
		t.Errorf("another project sees %d servers", len(got))
	}
	if err := servers.List(p.c, servers.ListOpts{AllTenants: true}).EachPage(t.Context(), nil); status(err) != http.StatusForbidden {
		t.Errorf("all tenants for a member: %v", err)
	}
}

func TestMicroversionsShowWhatTheyShould(t *testing.T) {
	p := newSite(t, simulator.Options{})
	id := p.create(p.opts("s"), nil)
	raw := func(version string) (map[string]any, error) {
		c := *p.c
		c.Microversion = version
		var out struct{ Server map[string]any }
		_, err := c.Get(t.Context(), c.ServiceURL("servers", id), &out, nil)
		return out.Server, err
	}
	for version, fields := range map[string]map[string]bool{
		"2.1":  {"flavor.id": true, "tags": false, "description": false, "locked": false, "OS-EXT-SRV-ATTR:hostname": false},
		"2.26": {"flavor.id": true, "tags": true, "description": true, "locked": true, "server_groups": false},
		"2.79": {"flavor.id": false, "flavor.original_name": true, "server_groups": true, "OS-EXT-SRV-ATTR:hostname": false},
		"2.93": {"OS-EXT-SRV-ATTR:hostname": true, "OS-EXT-SRV-ATTR:host": false},
	} {
		s, err := raw(version)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range fields {
			at, key, inside := s, name, false
			if key, inside = strings.CutPrefix(name, "flavor."); inside {
				at, _ = s["flavor"].(map[string]any)
			}
			if _, got := at[key]; got != want {
				t.Errorf("%s at %s: there is %v, want %v", name, version, got, want)
			}
		}
	}
	if _, err := raw("2.94"); status(err) != http.StatusNotAcceptable {
		t.Errorf("microversion from the future: %v", err)
	}
}

func TestNovaRefusals(t *testing.T) {
	p := newSite(t, simulator.Options{})
	for _, c := range []struct {
		change func(*servers.CreateOpts)
		status int
		says   string
	}{
		{func(o *servers.CreateOpts) { o.ImageRef = "00000000-0000-0000-0000-000000000000" }, 400, "Can not find requested image"},
		{func(o *servers.CreateOpts) { o.FlavorRef = "none" }, 400, "Flavor none could not be found."},
		{func(o *servers.CreateOpts) { o.AvailabilityZone = "mars" }, 400, "The requested availability zone is not available"},
		{func(o *servers.CreateOpts) { o.SecurityGroups = []string{"none"} }, 400, "Unable to find security_group with name or id 'none'"},
		{func(o *servers.CreateOpts) { o.Tags = []string{"a/b"} }, 400, "'a/b' does not match '^[^,/]*$'"},
		{func(o *servers.CreateOpts) { o.Name = " x" }, 400, "Can not start or end with whitespace."},
		{func(o *servers.CreateOpts) { o.Networks = nil }, 400, "'networks' is a required property"},
		{func(o *servers.CreateOpts) {
			o.Networks = []servers.Network{{UUID: "00000000-0000-0000-0000-000000000000"}}
		}, 400, "could not be found."},
		{func(o *servers.CreateOpts) { o.Metadata = map[string]string{"k": strings.Repeat("v", 256)} }, 400, "is too long"},
	} {
		o := p.opts("s")
		c.change(&o)
		_, err := servers.Create(t.Context(), p.c, o, nil).Extract()
		if status(err) != c.status || !strings.Contains(body(err), c.says) {
			t.Errorf("got %v, want %d with %q", err, c.status, c.says)
		}
	}
	if got := p.list(servers.ListOpts{}); len(got) != 0 {
		t.Errorf("refused creates left %d servers", len(got))
	}
}

func TestNovaQuotas(t *testing.T) {
	p := newSite(t, simulator.Options{})
	project := p.get(p.create(p.opts("one"), nil)).TenantID
	one, admin := 1, compute(t, p.s, "admin", "2.79")
	if _, err := quotasets.Update(t.Context(), admin, project, quotasets.UpdateOpts{Instances: &one, KeyPairs: &one, ServerGroups: &one}).Extract(); err != nil {
		t.Fatal(err)
	}
	_, err := servers.Create(t.Context(), p.c, p.opts("two"), nil).Extract()
	if status(err) != http.StatusForbidden || !strings.Contains(body(err), "Quota exceeded for instances: Requested 1, but already used 1 of 1 instances") {
		t.Errorf("second server: %v", err)
	}
	for i, want := range []int{0, http.StatusForbidden} {
		if _, err := servergroups.Create(t.Context(), p.c, servergroups.CreateOpts{Name: fmt.Sprint(i), Policy: "affinity"}).Extract(); status(err) != want {
			t.Errorf("server group %d: %v", i, err)
		}
	}
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1sUMn8G7ZzPpxaWC4oMNDmCqFvPBpVxTcgGY0pTx9u a comment"

func TestKeyPairs(t *testing.T) {
	p := newSite(t, simulator.Options{})
	k, err := keypairs.Create(t.Context(), p.c, keypairs.CreateOpts{Name: "k", PublicKey: publicKey}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	if k.Fingerprint != "ab:c3:90:2c:cc:30:9e:66:9c:c8:12:8e:dd:68:91:6f" || k.PublicKey != publicKey {
		t.Errorf("imported key: %+v", k)
	}
	if _, err := keypairs.Create(t.Context(), p.c, keypairs.CreateOpts{Name: "k", PublicKey: publicKey}).Extract(); status(err) != http.StatusConflict {
		t.Errorf("same name again: %v", err)
	}
	if _, err := keypairs.Create(t.Context(), p.c, keypairs.CreateOpts{Name: "bad", PublicKey: "ssh-rsa nonsense"}).Extract(); status(err) != http.StatusBadRequest {
		t.Errorf("no key: %v", err)
	}
	if made, err := keypairs.Create(t.Context(), p.c, keypairs.CreateOpts{Name: "made"}).Extract(); err != nil || made.PrivateKey == "" {
		t.Errorf("generated key: %v", err)
	}
	if err := keypairs.Get(t.Context(), compute(t, p.s, "demo2", "2.79"), "k", nil).Err; status(err) != http.StatusNotFound {
		t.Errorf("key of another user: %v", err)
	}
}

func TestServerActions(t *testing.T) {
	p := newSite(t, simulator.Options{BuildDelay: time.Second})
	id := p.create(p.opts("s"), nil)
	settle := func(want string) {
		t.Helper()
		p.now = p.now.Add(2 * time.Second)
		if got := p.get(id); got.Status != want || got.TaskState != "" {
			t.Errorf("status %s, task %q; want %s", got.Status, got.TaskState, want)
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	settle("ACTIVE")
	do(servers.Stop(t.Context(), p.c, id).ExtractErr())
	if err := servers.Start(t.Context(), p.c, id).ExtractErr(); status(err) != http.StatusConflict {
		t.Errorf("start in the middle of a stop: %v", err)
	}
	settle("SHUTOFF")
	do(servers.Start(t.Context(), p.c, id).ExtractErr())
	settle("ACTIVE")
	do(servers.Resize(t.Context(), p.c, id, servers.ResizeOpts{FlavorRef: "m1-small"}).ExtractErr())
	settle("VERIFY_RESIZE")
	do(servers.RevertResize(t.Context(), p.c, id).ExtractErr())
	settle("ACTIVE")
	if name := p.get(id).Flavor["original_name"]; name != "m1.nano" {
		t.Errorf("flavor after the revert: %v", name)
	}
	do(servers.Resize(t.Context(), p.c, id, servers.ResizeOpts{FlavorRef: "m1-small"}).ExtractErr())
	settle("VERIFY_RESIZE")
	do(servers.ConfirmResize(t.Context(), p.c, id).ExtractErr())
	settle("ACTIVE")
	debian := imageID(t, p.s, "demo", "debian-12")
	got, err := servers.Rebuild(t.Context(), p.c, id, servers.RebuildOpts{ImageRef: debian}).Extract()
	if err != nil || got.Status != "REBUILD" {
		t.Errorf("rebuild: %v, %v", got, err)
	}
	settle("ACTIVE")
	if got := p.get(id); got.Image["id"] != debian || got.Flavor["original_name"] != "m1.small" {
		t.Errorf("after resize and rebuild: %v %v", got.Image, got.Flavor)
	}
	do(tags.Add(t.Context(), p.c, id, "x").ExtractErr())
	if list := *p.get(id).Tags; len(list) != 1 || list[0] != "x" {
		t.Errorf("tags: %v", list)
	}
}

func TestFlavorsOfAdmins(t *testing.T) {
	p := newSite(t, simulator.Options{})
	admin := compute(t, p.s, "admin", "2.61")
	disk := 1
	if _, err := flavors.Create(t.Context(), p.c, flavors.CreateOpts{Name: "f", RAM: 1, VCPUs: 1, Disk: &disk}).Extract(); status(err) != http.StatusForbidden {
		t.Errorf("flavor by a member: %v", err)
	}
	f, err := flavors.Create(t.Context(), admin, flavors.CreateOpts{Name: "f", RAM: 128, VCPUs: 1, Disk: &disk, Description: "d"}).Extract()
	if err != nil || f.Description != "d" {
		t.Fatal(f, err)
	}
	if _, err := flavors.CreateExtraSpecs(t.Context(), admin, f.ID, flavors.ExtraSpecsOpts{"a": "b"}).Extract(); err != nil {
		t.Fatal(err)
	}
	c := compute(t, p.s, "demo", "2.61")
	got, err := flavors.Get(t.Context(), c, f.ID).Extract()
	if err != nil || got.ExtraSpecs["a"] != "b" {
		t.Errorf("flavor as a member sees it: %+v, %v", got, err)
	}
}

// BenchmarkServerList lists a thousand servers in detail.
func BenchmarkServerList(b *testing.B) {
	s, err := simulator.Start(context.Background(), "127.0.0.1:0", simulator.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	auth, err := openstack.AuthenticatedClient(b.Context(), gophercloud.AuthOptions{IdentityEndpoint: s.URL + "/identity/v3", Username: "demo", Password: "demo", TenantName: "demo", DomainName: "Default"})
	if err != nil {
		b.Fatal(err)
	}
	c, err := openstack.NewComputeV2(auth, gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		b.Fatal(err)
	}
	c.Microversion = "2.79"
	img := ""
	s.Do(func() {
		img = s.Glance.Create(auth.Token(), glance.Spec{Name: "i", Visibility: "public"}, []byte("x")).ID
	})
	big, err := openstack.NewNetworkV2(auth, gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		b.Fatal(err)
	}
	net, err := networks.Create(b.Context(), big, networks.CreateOpts{Name: "big"}).Extract()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := subnets.Create(b.Context(), big, subnets.CreateOpts{NetworkID: net.ID, CIDR: "10.9.0.0/16", IPVersion: 4}).Extract(); err != nil {
		b.Fatal(err)
	}
	for range 10 {
		o := servers.CreateOpts{Name: "s", FlavorRef: "m1-nano", ImageRef: img, Networks: []servers.Network{{UUID: net.ID}}, Min: 100, Max: 100}
		if _, err := servers.Create(b.Context(), c, o, nil).Extract(); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		pages, err := servers.List(c, nil).AllPages(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if list, err := servers.ExtractServers(pages); err != nil || len(list) != 1000 {
			b.Fatal(len(list), err)
		}
	}
	var took time.Duration
	n := 0
	for _, r := range s.Requests() {
		if r.Template == "GET /v2.1/servers/detail" {
			took, n = took+r.Took, n+1
		}
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(n), "server-ms/list")
}
