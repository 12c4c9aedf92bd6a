package portforwarding_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

var needs = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
` +
	smallnet.Network("front") + smallnet.Router("edge", "public") + smallnet.Subnet("web", "front", "192.168.50.0/24", "routerRef: edge") +
	smallnet.Port("web-1", "front", "web=192.168.50.10", "web=192.168.50.11") + smallnet.Port("web-2", "front", "web=192.168.50.20") +
	smallnet.FloatingIP("www") + smallnet.FloatingIP("other")

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: PortForwarding
metadata: {name: ssh}
spec:
  resource:
    description: the way in
    floatingIPRef: www
    protocol: tcp
    externalPort: 2222
    portRef: web-1
    internalIP: 192.168.50.10
    internalPort: 22
`

var key = manifest.Key{Group: define.WorkloadGroup, Kind: "PortForwarding", Namespace: "default", Name: "ssh"}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: needs, Object: object,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.floatingIPRef", Old: "floatingIPRef: www", New: "floatingIPRef: other", Replaces: true},
			{Field: "spec.resource.protocol", Old: "protocol: tcp", New: "protocol: udp"},
			{Field: "spec.resource.internalIP", Old: "192.168.50.10", New: "192.168.50.11"},
			{Field: "spec.resource.portRef", Old: "    portRef: web-1\n    internalIP: 192.168.50.10\n", New: "    portRef: web-2\n"},
		},
	}.Run(t)
}

// The stack neither adopts nor removes a port forwarding of somebody else on the same
// floating IP.
func TestForwardedBySomebodyElse(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.MustSync(needs + "---" + object)
	var id, port string
	for _, s := range g.Plan(needs + "---" + object).Steps {
		switch s.Key.String() {
		case "PortForwarding/ssh":
			id, _, _ = strings.Cut(s.ID(), "/")
		case "Port/web-2":
			port = s.ID()
		}
	}
	c := g.Client(nil)
	foreign := cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "floatingips/" + id + "/port_forwardings", Body: map[string]any{"port_forwarding": map[string]any{
		"protocol": "tcp", "external_port": 8080, "internal_port": 80, "internal_port_id": port, "internal_ip_address": "192.168.50.20"}}}
	if err := c.Do(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	g.MustSync(needs)
	left, err := cloud.List[struct {
		Port int `json:"external_port"`
	}](t.Context(), c, cloud.Call{Service: cloud.Network, Path: "floatingips/" + id + "/port_forwardings"}, "port_forwardings")
	if err != nil || len(left) != 1 || left[0].Port != 8080 {
		t.Errorf("left: %v, %v; want what somebody else has made", left, err)
	}
	if pass := g.MustSync(""); pass.Last.Owned != 0 {
		t.Errorf("%d objects are left", pass.Last.Owned)
	}
}

// A manifest may omit the address of the port.
func TestTheFirstAddress(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	short := needs + "---" + strings.Replace(object, "    internalIP: 192.168.50.10\n", "", 1)
	g.MustSync(short)
	if shown := g.Shown(short, manifest.Key{Kind: "PortForwarding", Name: "ssh"}); shown["internalIP"] != "192.168.50.10" {
		t.Errorf("shown: %v", shown)
	}
}

// The agent waits while no route leads to the port. It has to try again, because the
// manifest of the forwarding does not refer to the objects that make the route.
func TestTheWayComesUp(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.MustSync(strings.Replace(needs, ", routerRef: edge", "", 1))
	g.MustSync(needs + "---" + object)
}
