package all_test

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// downCell is a transport that omits all servers from Nova's list, as Nova does if the cell of the servers is down. A request for one
// server gets 500; if back is set, it gets the server, with a creation time in 2001.
type downCell struct {
	next http.RoundTripper
	back bool
}

// RoundTrip implements http.RoundTripper.
func (d downCell) RoundTrip(req *http.Request) (*http.Response, error) {
	_, path, compute := strings.Cut(req.URL.Path, "/v2.1/servers/")
	switch {
	case !compute || req.Method != http.MethodGet:
		return d.next.RoundTrip(req)
	case path == "detail":
		return d.with(req, func([]byte) []byte { return []byte(`{"servers": []}`) })
	case d.back:
		created := regexp.MustCompile(`"created": ?"\d{4}`)
		return d.with(req, func(text []byte) []byte { return created.ReplaceAll(text, []byte(`"created": "2001`)) })
	}
	return kindtest.Answer(http.StatusInternalServerError)(req, d.next)
}

// with returns the answer to a request, after change has changed its body.
func (d downCell) with(req *http.Request, change func([]byte) []byte) (*http.Response, error) {
	resp, err := d.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // read to its end
	text = change(text)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	resp.Header.Del("Content-Length")
	return resp, err
}

// Servers that Nova's list omits are not created a second time. If a commit moves a port away from such a server, the port is not
// deleted.
func TestAttackACellThatIsDown(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	const kept = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: debian}, spec: {managementPolicy: unmanaged, import: {filter: {name: debian-12}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Flavor, metadata: {name: small}, spec: {managementPolicy: unmanaged, import: {filter: {name: m1.small}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: cell}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: cell}, spec: {resource: {networkRef: cell, ipVersion: 4, cidr: 10.8.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: cell}, spec: {resource: {networkRef: cell, addresses: [{subnetRef: cell}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Server, metadata: {name: cell}, spec: {resource: {imageRef: debian, flavorRef: small, ports: [{portRef: cell}`
	const second = `
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: second}, spec: {resource: {networkRef: cell, addresses: [{subnetRef: cell}]}}}
`
	for name, back := range map[string]bool{"down": false, "back by the time it is asked": true} {
		t.Run(name, func(t *testing.T) {
			g := kindtest.NewTarget(t, all.Kinds)
			if g.Simulator == nil {
				t.Skip("its cells are up")
			}
			g.MustSync(kept + ", {portRef: second}]}}}\n" + second)
			for what, text := range map[string]string{"as it was": kept + ", {portRef: second}]}}}\n" + second, "without a port": kept + "]}}}\n"} {
				pass := g.SyncThrough(text, func(next http.RoundTripper) http.RoundTripper { return downCell{next, back} })
				if len(pass.Results) > 0 || pass.Outcome() != plan.Broken || !strings.Contains(strings.Join(pass.Last.Unlisted, " "), "is not complete") {
					t.Errorf("%s: %v, %s, %v", what, pass.Results, pass.Outcome(), pass.Last.Unlisted)
				}
			}
			g.MustSync(kept + "]}}}\n")
		})
	}
}
