package port_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/port"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// aPort is a port as Neutron shows it to users. %[1]d is the number of the
// port.
const aPort = `{"id": "9b2d7ac5-0000-4000-8000-%012[1]d", "name": "web-%[1]d", "description": "", "network_id": "5cf1c2a0-7a3b-4a52-8f2b-6dbd2b6b2b11", "tenant_id": "p1", "project_id": "p1",
"admin_state_up": true, "status": "ACTIVE", "mac_address": "fa:16:3e:5a:1b:2c", "device_id": "0a4be2a3-8f4c-4d5c-9c1b-%012[1]d", "device_owner": "compute:nova",
"fixed_ips": [{"subnet_id": "b4e0b1b0-1f2e-4e8e-a1b3-2f6f0c9c7d10", "ip_address": "10.0.0.1"}], "security_groups": ["c8f0a1de-3b0f-4c39-8d0d-0a9f6d1c2e33", "d1f0a1de-3b0f-4c39-8d0d-0a9f6d1c2e44"],
"allowed_address_pairs": [], "extra_dhcp_opts": [], "binding:vnic_type": "normal", "port_security_enabled": true, "propagate_uplink_status": true, "qos_policy_id": null,
"qos_network_policy_id": null, "dns_name": "", "dns_assignment": [{"ip_address": "10.0.0.1", "hostname": "host-10-0-0-1", "fqdn": "host-10-0-0-1.openstacklocal."}],
"resource_request": null, "ip_allocation": "immediate", "tags": ["stackreeve-applied:0123456789abcdef", "stackreeve:prod:Port/web-%[1]d"],
"created_at": "2026-03-01T12:00:00Z", "updated_at": "2026-03-01T12:00:05Z", "revision_number": 4}`

// canned is a transport that answers every request itself, so that the
// benchmark measures only the client.
type canned struct{ ports string }

// RoundTrip implements http.RoundTripper.
func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	text, code := `{"versions": [{"id": "v2.0", "status": "CURRENT", "links": []}]}`, http.StatusOK
	switch {
	case strings.HasSuffix(r.URL.Path, "/auth/tokens"):
		code = http.StatusCreated
		text = `{"token": {"expires_at": "2036-01-01T00:00:00.000000Z", "project": {"id": "p1", "name": "p"}, "user": {"id": "u", "name": "me"}, "catalog": [
			{"type": "network", "name": "neutron", "id": "n", "endpoints": [{"id": "e", "interface": "public", "region": "r", "region_id": "r", "url": "http://cloud.example/network"}]}]}}`
	case strings.HasSuffix(r.URL.Path, "/ports"):
		text = c.ports
	}
	return &http.Response{StatusCode: code, Request: r, ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text)),
		Header: http.Header{"Content-Type": {"application/json"}, "X-Subject-Token": {"gAAAA"}}}, nil
}

// BenchmarkList reads 2,000 ports in one page. By default, Neutron does not
// divide the list into more pages.
func BenchmarkList(b *testing.B) {
	ports := make([]string, 2000)
	for i := range ports {
		ports[i] = fmt.Sprintf(aPort, i)
	}
	wire := canned{`{"ports": [` + strings.Join(ports, ",") + `]}`}
	file := filepath.Join(b.TempDir(), "clouds.yaml")
	if err := os.WriteFile(file, []byte("clouds: {c: {region_name: r, auth: {auth_url: 'http://cloud.example/v3', username: me, password: password, project_name: p, user_domain_name: d, project_domain_name: d}}}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	c, err := cloud.Open(b.Context(), cloud.Config{Cloud: "c", File: file, Wrap: func(http.RoundTripper) http.RoundTripper { return wire }})
	if err != nil {
		b.Fatal(err)
	}
	k := port.Kind(c)
	b.SetBytes(int64(len(wire.ports)))
	b.ReportAllocs()
	for b.Loop() {
		if list, err := k.Driver.List(b.Context(), kind.Listing{}); err != nil || len(list.Items()) != len(ports) {
			b.Fatal(len(list.Items()), err)
		}
	}
}
