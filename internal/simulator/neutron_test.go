package simulator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/attributestags"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

func TestPagesAreFollowed(t *testing.T) {
	ctx := context.Background()
	for _, tc := range []struct {
		name  string
		opts  simulator.Options
		limit int
		lists int // number of requests that list five networks
	}{
		{"whole", simulator.Options{}, 0, 1},
		{"limit asked for", simulator.Options{}, 2, 3},
		// A full last page has a link to a next page, which is empty.
		{"limit that divides", simulator.Options{}, 5, 2},
		{"limit of the cloud", simulator.Options{MaxPage: 2}, 0, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := start(t, tc.opts)
			c := network(t, s, "demo")
			for i := range 5 {
				if _, err := networks.Create(ctx, c, networks.CreateOpts{Name: "page", Description: fmt.Sprint(i)}).Extract(); err != nil {
					t.Fatal(err)
				}
			}
			s.ResetRequests()
			pages, err := networks.List(c, networks.ListOpts{Name: "page", Limit: tc.limit}).AllPages(ctx)
			if err != nil {
				t.Fatal(err)
			}
			nets, err := networks.ExtractNetworks(pages)
			if err != nil || len(nets) != 5 {
				t.Errorf("%d networks, %v", len(nets), err)
			}
			if n := len(s.Requests()); n != tc.lists {
				t.Errorf("%d requests, want %d", n, tc.lists)
			}
			if !slices.IsSortedFunc(nets, func(a, b networks.Network) int { return bytes.Compare([]byte(a.ID), []byte(b.ID)) }) {
				t.Error("pages are not in the order of ids")
			}
		})
	}
}

func TestTagsOnCreateIsAnExtension(t *testing.T) {
	ctx := context.Background()
	body := map[string]any{"network": map[string]any{"name": "n", "tags": []string{"b", "a"}}}
	for _, tc := range []struct {
		opts   simulator.Options
		status int
	}{{simulator.Options{}, http.StatusBadRequest}, {simulator.Options{TagsOnCreate: true}, 0}} {
		c := network(t, start(t, tc.opts), "demo")
		var out struct{ Network networks.Network }
		_, err := c.Post(ctx, c.ServiceURL("networks"), body, &out, nil)
		if status(err) != tc.status {
			t.Errorf("%+v: %v", tc.opts, err)
		}
		if err != nil {
			continue
		}
		tags, err := attributestags.List(ctx, c, "networks", out.Network.ID).Extract()
		if err != nil || !slices.Equal(tags, []string{"a", "b"}) {
			t.Errorf("tags %v, %v", tags, err)
		}
	}
}

func TestAddressesAreNotGivenTwice(t *testing.T) {
	ctx := context.Background()
	c := network(t, start(t, simulator.Options{Seed: 3}), "demo")
	pages, err := networks.List(c, networks.ListOpts{Name: "private"}).AllPages(ctx)
	if err != nil {
		t.Fatal(err)
	}
	nets, err := networks.ExtractNetworks(pages)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range 253 {
		p, err := ports.Create(ctx, c, ports.CreateOpts{NetworkID: nets[0].ID}).Extract()
		if err != nil {
			t.Fatalf("port %d: %v", i, err)
		}
		if a := p.FixedIPs[0].IPAddress; seen[a] || seen[p.MACAddress] || a == "10.0.0.1" {
			t.Fatalf("%s was given twice", a)
		} else {
			seen[a], seen[p.MACAddress] = true, true
		}
	}
	if _, err := ports.Create(ctx, c, ports.CreateOpts{NetworkID: nets[0].ID}).Extract(); status(err) != http.StatusConflict {
		t.Errorf("port of a full subnet: %v", err)
	}
}

// FuzzBodies posts arbitrary bodies. No body may make a handler panic or the service answer 500.
func FuzzBodies(f *testing.F) {
	for _, s := range []string{
		`{"network":{"name":"x","mtu":"1"}}`, `{"networks":[{}]}`,
		`{"subnet":{"network_id":"NET","ip_version":6,"cidr":"::ffff:1.2.3.4/120","gateway_ip":"fe80::1%eth0"}}`,
		`{"subnet":{"network_id":"NET","ip_version":4,"cidr":"0.0.0.0/0","allocation_pools":[{"start":"1.1.1.1","end":"::1"}]}}`,
		`{"port":{"network_id":"NET","fixed_ips":[{"ip_address":"10.0.0.9"},{"subnet_id":"SUB"}],"extra_dhcp_opts":[{"opt_name":"a","opt_value":null}]}}`,
		`{"security_group_rule":{"security_group_id":"SG","direction":"ingress","protocol":1,"port_range_min":300,"remote_ip_prefix":"::/0"}}`,
		`{"router":{"external_gateway_info":{"network_id":"PUB","external_fixed_ips":[{}]}}}`,
		`{"floatingip":{"floating_network_id":"PUB","fixed_ip_address":"::1","port_id":null}}`, `[]`, `{"port":null}`, `{"tags":[1]}`,
	} {
		for i := range uint8(7) {
			f.Add(i, []byte(s))
		}
	}
	paths := []string{"networks", "subnets", "ports", "security-groups", "security-group-rules", "routers", "floatingips"}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		c, err := simulator.New(simulator.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		token := tokenOf(t, c)
		ids := map[string]string{"NET": firstID(t, c, token, "networks?name=private"), "PUB": firstID(t, c, token, "networks?name=public"),
			"SUB": firstID(t, c, token, "subnets"), "SG": firstID(t, c, token, "security-groups")}
		for word, id := range ids {
			body = bytes.ReplaceAll(body, []byte(word), []byte(id))
		}
		path := "/network/v2.0/" + paths[int(which)%len(paths)]
		for _, r := range []*http.Request{
			httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body)),
			httptest.NewRequest(http.MethodPut, "/network/v2.0/networks/"+ids["NET"]+"/tags", bytes.NewReader(body)),
		} {
			r.Header.Set("X-Auth-Token", token)
			w := httptest.NewRecorder()
			c.ServeHTTP(w, r)
			if w.Code >= 500 {
				t.Errorf("%s %s: %d %s", r.URL.Path, body, w.Code, w.Body)
			}
		}
	})
}

func tokenOf(tb testing.TB, c *simulator.Cloud) string {
	tb.Helper()
	body := `{"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"demo","domain":{"id":"default"},"password":"demo"}}},"scope":{"project":{"name":"demo","domain":{"id":"default"}}}}}`
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/identity/v3/auth/tokens", bytes.NewBufferString(body)))
	if w.Code != http.StatusCreated {
		tb.Fatalf("token: %d %s", w.Code, w.Body)
	}
	return w.Header().Get("X-Subject-Token")
}

func get(tb testing.TB, c *simulator.Cloud, token, path string) []byte {
	tb.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("X-Auth-Token", token)
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		tb.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

func firstID(tb testing.TB, c *simulator.Cloud, token, list string) string {
	tb.Helper()
	var out map[string][]struct{ ID string }
	if err := json.Unmarshal(get(tb, c, token, "/network/v2.0/"+list), &out); err != nil {
		tb.Fatal(err)
	}
	for _, l := range out {
		if len(l) > 0 {
			return l[0].ID
		}
	}
	tb.Fatalf("%s is empty", list)
	return ""
}

// BenchmarkListPorts lists a thousand ports.
func BenchmarkListPorts(b *testing.B) {
	c, err := simulator.New(simulator.Options{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	c.Do(func() {
		project := c.Keystone.ProjectID("demo")
		n, err := c.Neutron.CreateNetwork(project, map[string]any{"name": "wide"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Neutron.CreateSubnet(project, map[string]any{"network_id": n.ID, "ip_version": "4", "cidr": "10.64.0.0/16"}); err != nil {
			b.Fatal(err)
		}
		for range 1000 {
			if _, err := c.Neutron.CreatePort(project, map[string]any{"network_id": n.ID}); err != nil {
				b.Fatal(err)
			}
		}
	})
	token := tokenOf(b, c)
	b.ResetTimer()
	for range b.N {
		get(b, c, token, "/network/v2.0/ports")
	}
}
