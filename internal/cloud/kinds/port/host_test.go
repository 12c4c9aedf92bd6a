package port_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
)

// byServer is the manifests of a server and of a port that is bound to the
// server's host.
var byServer = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: os}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
` +
	smallnet.Imported("Flavor", "small", "m1.nano") + smallnet.Network("front") + smallnet.Subnet("front", "front", "10.77.0.0/24") +
	smallnet.Port("eth0", "front", "front") + `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web}
spec: {resource: {imageRef: os, flavorRef: small, ports: [{portRef: eth0}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: web-1}
spec: {resource: {networkRef: front, hostID: {serverRef: web}}}
`

func TestHostOfAServer(t *testing.T) {
	admin := kindtest.NewTarget(t, all.Kinds).Beside("admin")
	admin.MustSync(byServer)
	type shown struct {
		ID      string `json:"id"`
		Network string `json:"network_id"`
		Host    string `json:"binding:host_id"`
		Device  string `json:"device_owner"`
	}
	ports, err := cloud.List[shown](t.Context(), admin.Client(nil), cloud.Call{Service: cloud.Network, Path: "ports"}, "ports")
	if err != nil {
		t.Fatal(err)
	}
	plan := admin.Plan(byServer)
	id := stepOf(t, plan).ID()
	at := slices.IndexFunc(ports, func(p shown) bool { return p.ID == id })
	if at < 0 {
		t.Fatalf("no port %s", id)
	}
	// Administrators see all ports, so the server's port is found by its network.
	of := slices.IndexFunc(ports, func(p shown) bool {
		return p.Network == ports[at].Network && strings.HasPrefix(p.Device, "compute:")
	})
	if of < 0 || ports[at].Host == "" || ports[at].Host != ports[of].Host || !plan.InSync() {
		t.Errorf("port %s and the server's port %d of %v; plan: %v", id, of, ports, plan.Summary())
	}
}

// Only administrators see on which host a server is.
func TestHostThatIsNotShown(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	pass := g.Sync(byServer)
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "Server web") {
		t.Errorf("failures: %v", pass.Failures)
	}
	g.MustSync(strings.Replace(byServer, ", hostID: {serverRef: web}", "", 1))
	notes := stepOf(t, g.Plan(byServer)).Notes
	if len(notes) != 1 || notes[0].Field != "spec.resource.hostID.serverRef" || !strings.Contains(notes[0].Text, "is not compared") {
		t.Errorf("notes: %v", notes)
	}
}
