package all_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// farm contains the objects, made by hand, that the servers of a group have in common.
type farm struct {
	hand
	network, secure, near, image string
	key                          string
}

func newFarm(t *testing.T, g *kindtest.Target) farm {
	f := farm{hand: hand{t: t, c: g.Client(nil), image: "debian-12", flavor: "m1.small"}}
	f.network = f.make(cloud.Network, "networks", "network", map[string]any{"name": "farm"})
	f.make(cloud.Network, "subnets", "subnet", map[string]any{"name": "farm-v4", "network_id": f.network, "ip_version": 4, "cidr": "10.7.0.0/24"})
	f.secure = f.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": "web"})
	f.near = f.make(cloud.Compute, "os-server-groups", "server_group", map[string]any{"name": "near", "policies": []string{"affinity"}})
	f.key = f.make(cloud.Compute, "os-keypairs", "keypair", map[string]any{"name": "ada", "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada@example.org"})
	f.image = f.find(cloud.Image, "images", "debian-12")
	return f
}

// port makes the port of a server, and returns its ID.
func (f farm) port(name string, more map[string]any) string {
	body := map[string]any{"name": name, "network_id": f.network, "security_groups": []string{f.secure}}
	for field, value := range more {
		body[field] = value
	}
	return f.make(cloud.Network, "ports", "port", body)
}

// server makes a server with a separate data volume. change, if given, edits the request.
func (f farm) server(name, port string, change func(server map[string]any)) string {
	f.t.Helper()
	data := f.make(cloud.BlockStorage, "volumes", "volume", map[string]any{"name": name + "-data", "size": 1})
	kindtest.AwaitStatus(f.t, f.c, cloud.BlockStorage, "volumes/"+data, "available")
	body := map[string]any{"name": name, "imageRef": f.image, "flavorRef": f.find(cloud.Compute, "flavors", f.flavor), "key_name": f.key,
		"networks": []map[string]any{{"port": port}}, "metadata": map[string]string{"role": "front"}}
	request := map[string]any{"server": body, "os:scheduler_hints": map[string]any{"group": f.near}}
	if change != nil {
		change(body)
	}
	var answer map[string]struct{ ID string }
	f.do(cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers", Into: &answer, Body: request})
	id := answer["server"].ID
	f.t.Cleanup(func() { kindtest.AwaitGone(f.t, f.c, cloud.Compute, "servers/"+id) })
	kindtest.AwaitStatus(f.t, f.c, cloud.Compute, "servers/"+id, "ACTIVE")
	f.do(cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + id + "/os-volume_attachments", Body: map[string]any{"volumeAttachment": map[string]any{"volumeId": data}}})
	kindtest.AwaitStatus(f.t, f.c, cloud.BlockStorage, "volumes/"+data, "in-use")
	return id
}

func (f farm) servers(names ...string) {
	for _, name := range names {
		f.server(name, f.port(name, nil), nil)
	}
}

const groupOfThree = `apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata:
  name: web
  annotations:
    stackreeve.dev/adopt: "true"
    stackreeve.dev/ignore-fields: spec.resource.description
spec:
  replicas: 3
  serverGroup: near
  template:
    image: debian-12
    flavor: m1.small
    network: farm
    subnet: farm-v4
    securityGroups:
    - web
    keyPair: ada
    zone: az-a
    volumes:
    - name: data
      size: 1
      type: fake
    metadata:
      role: front
`

// Three servers that are alike become one group. A different server in the project does not become
// a member of the group.
func TestExportOfAGroup(t *testing.T) {
	if os.Getenv("STACKREEVE_TEST_CLOUD") != "" {
		t.Skip("it takes over all that the project holds")
	}
	g := kindtest.NewTarget(t, all.Kinds)
	f := newFarm(t, g)
	f.servers("web-0", "web-1", "web-2", "odd")
	text, notes := exported(t, g, export.Input{})
	if !strings.Contains(text, groupOfThree) {
		t.Errorf("there is no such group:\n%s", text)
	}
	if count := strings.Count(text, "kind: Server\n"); count != 1 {
		t.Errorf("%d servers are written besides: %s", count, text)
	}
	about := map[string]bool{}
	for _, n := range notes {
		about[n.Kind+"/"+n.Name+" "+n.Field] = true
	}
	for _, want := range []string{"VirtualMachineGroup/web spec.template", "Server/web-0 spec.resource.userData", "Server/web-2 spec.resource.userData"} {
		if !about[want] {
			t.Errorf("there is no note about %s: %v", want, notes)
		}
	}
	adopts(t, g, text)
}

// A group adopts objects by their names. Another stack has made an object with the name of one of
// the group's parts, so the planner reports two matches. Then the export writes each object with
// its ID.
func TestExportOfAGroupBesideAnotherStack(t *testing.T) {
	if os.Getenv("STACKREEVE_TEST_CLOUD") != "" {
		t.Skip("it takes over all that the project holds")
	}
	g := kindtest.NewTarget(t, all.Kinds)
	g.Beside("").MustSync("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Volume\nmetadata: {name: web-1-data}\nspec: {resource: {size: 1}}\n")
	newFarm(t, g).servers("web-0", "web-1")
	text, _ := exported(t, g, export.Input{})
	if strings.Contains(text, "kind: VirtualMachineGroup") {
		t.Errorf("a group was written:\n%s", text)
	}
	adopts(t, g, text)
}

// The servers of a group may boot from volumes, and other objects may refer to the parts of a
// group.
func TestExportOfAGroupOnVolumes(t *testing.T) {
	if os.Getenv("STACKREEVE_TEST_CLOUD") != "" {
		t.Skip("it takes over all that the project holds")
	}
	g := kindtest.NewTarget(t, all.Kinds)
	f := newFarm(t, g)
	public := f.find(cloud.Network, "networks", "public")
	router := f.make(cloud.Network, "routers", "router", map[string]any{"name": "out", "external_gateway_info": map[string]any{"network_id": public}})
	f.do(cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/add_router_interface", Body: map[string]any{"subnet_id": f.find(cloud.Network, "subnets", "farm-v4")}})
	for _, name := range []string{"web-0", "web-1"} {
		root := f.make(cloud.BlockStorage, "volumes", "volume", map[string]any{"name": name + "-root", "size": 2, "imageRef": f.image})
		kindtest.AwaitStatus(f.t, f.c, cloud.BlockStorage, "volumes/"+root, "available")
		port := f.port(name, nil)
		f.server(name, port, func(s map[string]any) {
			delete(s, "imageRef")
			s["block_device_mapping_v2"] = []map[string]any{{"uuid": root, "source_type": "volume", "destination_type": "volume", "boot_index": 0}}
		})
		f.make(cloud.Network, "floatingips", "floatingip", map[string]any{"floating_network_id": public, "port_id": port})
	}
	text, _ := exported(t, g, export.Input{})
	for _, want := range []string{"kind: VirtualMachineGroup", "    rootVolume:\n      size: 2\n      type: fake\n", "    portRef: web-1\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	adopts(t, g, text)
}

// Servers that cannot form a group are written one by one, and are adopted unchanged.
func TestExportOfWhatIsNoGroup(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	if os.Getenv("STACKREEVE_TEST_CLOUD") != "" {
		t.Skip("it takes over all that the project holds")
	}
	tests := map[string]func(f farm){
		"a number is missing": func(f farm) { f.servers("web-0", "web-2") },
		"one only":            func(f farm) { f.servers("web-0") },
		"another flavor": func(f farm) {
			f.servers("web-0")
			f.server("web-1", f.port("web-1", nil), func(s map[string]any) { s["flavorRef"] = f.find(cloud.Compute, "flavors", "m1.tiny") })
		},
		"other metadata": func(f farm) {
			f.servers("web-0")
			f.server("web-1", f.port("web-1", nil), func(s map[string]any) { s["metadata"] = map[string]string{"role": "back"} })
		},
		"a description of one": func(f farm) {
			f.servers("web-0")
			id := f.server("web-1", f.port("web-1", nil), nil)
			f.do(cloud.Call{Service: cloud.Compute, Method: http.MethodPut, Path: "servers/" + id, Microversion: "2.19", Body: map[string]any{"server": map[string]any{"description": "the other one"}}})
		},
		"a port with more than a group can say": func(f farm) {
			f.servers("web-0")
			f.server("web-1", f.port("web-1", map[string]any{"allowed_address_pairs": []map[string]any{{"ip_address": "10.7.0.200"}}}), nil)
		},
		"ports without names": func(f farm) {
			for _, name := range []string{"web-0", "web-1"} {
				f.server(name, f.port("", nil), nil)
			}
		},
		"a name that two objects have": func(f farm) {
			f.servers("web-0", "web-1")
			f.make(cloud.BlockStorage, "volumes", "volume", map[string]any{"name": "web-1-data", "size": 1})
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			g := kindtest.NewTarget(t, all.Kinds)
			prepare(newFarm(t, g))
			text, _ := exported(t, g, export.Input{})
			if strings.Contains(text, "kind: VirtualMachineGroup") {
				t.Errorf("a group was written:\n%s", text)
			}
			adopts(t, g, text)
		})
	}
}
