package all_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// estate has objects of the most common kinds. WORD is part of every name. KEY is
// replaced by the name of the key pair, because key pairs belong to a user and not to a project.
const estate = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: WORD-net}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: outside}
spec: {managementPolicy: unmanaged, import: {filter: {name: public}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: WORD-sub}
spec: {resource: {networkRef: WORD-net, ipVersion: 4, cidr: 10.77.0.0/24}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: WORD-edge}
spec: {resource: {externalGateways: [{networkRef: outside}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: RouterInterface
metadata: {name: WORD-if}
spec: {type: Subnet, routerRef: WORD-edge, subnetRef: WORD-sub}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: WORD-sg}
spec: {resource: {rules: [{direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 80, max: 80}}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: WORD-port}
spec: {resource: {networkRef: WORD-net, addresses: [{subnetRef: WORD-sub}], securityGroupRefs: [WORD-sg]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: FloatingIP
metadata: {name: WORD-fip}
spec: {resource: {floatingNetworkRef: outside, description: WORD}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: WORD-vol}
spec: {resource: {size: 1}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: KEY}
spec: {resource: {publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada"}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ServerGroup
metadata: {name: WORD-group}
spec: {resource: {policy: soft-anti-affinity}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: cirros}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: m1.nano}
spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: WORD-vm}
spec: {resource: {imageRef: cirros, flavorRef: m1.nano, ports: [{portRef: WORD-port}], schedulerHints: {serverGroupRef: WORD-group}}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: WORD-lb}
spec:
  vipType: VIP
  description: WORD
  ports: [{port: 80, protocol: tcp, realServers: {addresses: [10.77.0.9]}}]
`

// collections are the collections in which a tenant looks for objects, with
// their service and path.
var collections = []struct{ service, path, field string }{
	{cloud.Network, "networks", "networks"},
	{cloud.Network, "subnets", "subnets"},
	{cloud.Network, "routers", "routers"},
	{cloud.Network, "ports", "ports"},
	{cloud.Network, "security-groups", "security_groups"},
	{cloud.Network, "floatingips", "floatingips"},
	{cloud.BlockStorage, "volumes/detail", "volumes"},
	{cloud.Compute, "os-keypairs", "keypairs"},
	{cloud.Compute, "os-server-groups", "server_groups"},
	{cloud.Compute, "servers/detail", "servers"},
	{cloud.LoadBalancer, "lbaas/loadbalancers", "loadbalancers"},
	{cloud.LoadBalancer, "lbaas/listeners", "listeners"},
}

// tenant is a user with credentials, and a word by which the test recognises this user's objects.
type tenant struct {
	t    *testing.T
	c    *cloud.Client
	word string
}

// everything returns each object whose texts contain the word, as JSON.
func (w tenant) everything() map[string]string {
	w.t.Helper()
	found := map[string]string{}
	for _, c := range collections {
		list, err := cloud.List[map[string]any](w.t.Context(), w.c, cloud.Call{Service: c.service, Path: c.path}, c.field)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, item := range list {
			text, err := json.Marshal(item)
			if err != nil {
				w.t.Fatal(err)
			}
			if strings.Contains(string(text), w.word) {
				found[fmt.Sprint(c.field, " ", item["id"], item["keypair"])] = string(text)
			}
		}
	}
	return found
}

// byHand makes objects of these collections as a person would, and deletes them at the end of the test.
// All their names contain name.
func (w tenant) byHand(name string) {
	network := w.make(cloud.Network, "networks", "network", map[string]any{"name": name, "description": "[stackreeve:]"})
	subnet := w.make(cloud.Network, "subnets", "subnet", map[string]any{"name": name, "network_id": network, "ip_version": 4, "cidr": "10.78.0.0/24"})
	router := w.make(cloud.Network, "routers", "router", map[string]any{"name": name})
	w.do(http.MethodPut, "routers/"+router+"/add_router_interface", map[string]any{"subnet_id": subnet})
	w.t.Cleanup(func() {
		w.do(http.MethodPut, "routers/"+router+"/remove_router_interface", map[string]any{"subnet_id": subnet})
	})
	w.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": name})
	port := w.make(cloud.Network, "ports", "port", map[string]any{"name": name, "network_id": network, "description": "stackreeve"})
	w.do(http.MethodPut, "ports/"+port+"/tags", map[string]any{"tags": []string{"stackreeve", "stackreeve:", "stackreeve:" + name}})
	w.make(cloud.BlockStorage, "volumes", "volume", map[string]any{"name": name, "size": 1, "metadata": map[string]string{"stackreeve": name}})
	w.make(cloud.Compute, "os-keypairs", "keypair", map[string]any{"name": name})
	w.make(cloud.Compute, "os-server-groups", "server_group", map[string]any{"name": name, "policies": []string{"affinity"}})
	w.make(cloud.LoadBalancer, "lbaas/loadbalancers", "loadbalancer", map[string]any{"name": name, "vip_subnet_id": subnet, "tags": []string{"stackreeve:" + name}})
	w.make(cloud.Compute, "servers", "server", map[string]any{"name": name, "imageRef": w.named(cloud.Image, "images", "cirros"),
		"flavorRef": w.named(cloud.Compute, "flavors", "m1.nano"), "networks": []any{map[string]string{"port": port}}})
}

func (w tenant) do(method, path string, body any) {
	w.t.Helper()
	if err := w.c.Do(w.ctx(), cloud.Call{Service: cloud.Network, Method: method, Path: path, Body: body}); err != nil {
		w.t.Error(err)
	}
}

func (w tenant) named(service, path, name string) string {
	w.t.Helper()
	list, err := cloud.List[struct{ ID, Name string }](w.t.Context(), w.c, cloud.Call{Service: service, Path: path}, path)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, item := range list {
		if item.Name == name {
			return item.ID
		}
	}
	w.t.Fatalf("there is no %s among the %s", name, path)
	return ""
}

// make makes an object, waits until the cloud has finished, and registers its
// deletion. It returns the ID of the object.
func (w tenant) make(service, path, singular string, fields map[string]any) string {
	w.t.Helper()
	var answer map[string]struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	if err := w.c.Do(w.t.Context(), cloud.Call{Service: service, Method: http.MethodPost, Path: path, Body: map[string]any{singular: fields}, Into: &answer}); err != nil {
		w.t.Fatal(err)
	}
	id := answer[singular].ID
	if id == "" {
		id = answer[singular].Name
	}
	w.t.Cleanup(func() { w.remove(cloud.Call{Service: service, Path: path + "/" + id}) })
	if service == cloud.Network || path == "os-keypairs" || path == "os-server-groups" {
		return id
	}
	w.await(func() bool {
		var answer map[string]map[string]any
		if err := w.c.Do(w.ctx(), cloud.Call{Service: service, Method: http.MethodGet, Path: path + "/" + id, Into: &answer}); err != nil {
			w.t.Fatal(err)
		}
		o := answer[singular]
		return o["status"] == "ACTIVE" || o["status"] == "available" || o["provisioning_status"] == "ACTIVE"
	})
	return id
}

func (w tenant) remove(call cloud.Call) {
	call.Method = http.MethodDelete
	w.await(func() bool {
		err := w.c.Do(w.ctx(), call)
		return errors.Is(err, kind.ErrGone) || err == nil && call.Service == cloud.Network
	})
}

func (w tenant) ctx() context.Context { return context.WithoutCancel(w.t.Context()) }

// await polls until done returns true.
func (w tenant) await(done func() bool) {
	w.t.Helper()
	kindtest.Await(w.t, kindtest.Patience, kindtest.Often, func() error {
		if !done() {
			return errors.New("the cloud never got there")
		}
		return nil
	})
}

// The test has two projects, an administrator who sees both, two stacks in one project, and objects
// that people made by hand. All of them use the same names. Each stack creates, changes and deletes
// its objects, and no object of another stack changes.
func TestCloudTenantsLeaveEachOtherAlone(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	word := "t" + strings.ToLower(rand.Text())[:8]
	a := kindtest.NewTarget(t, all.Kinds)
	who := map[string]*kindtest.Target{"a": a, "b": a.Beside(""), "other project": a.Beside("demo2"), "administrator": a.Beside("admin")}
	who["namesake"] = a.Beside("demo2")
	who["namesake"].Stack = a.Stack
	text := map[string]string{}
	for _, name := range []string{"a", "b", "other project", "administrator", "namesake"} {
		vip := "private"
		if name == "administrator" {
			vip = "public"
		}
		text[name] = strings.NewReplacer("WORD", word, "KEY", word+"-"+strings.ReplaceAll(name, " ", "-"), "VIP", vip).Replace(estate)
		if name == "b" || name == "a" {
			tenant{t, who[name].Client(nil), word}.byHand(word + "-by-hand-beside-" + name)
		}
		who[name].MustSync(text[name])
	}
	eye := map[string]tenant{}
	for _, entry := range []string{"a", "other project", "administrator"} {
		eye[entry] = tenant{t, who[entry].Client(nil), word}
	}
	see := func() map[string]string {
		seen := map[string]string{}
		for entry, e := range eye {
			for key, text := range e.everything() {
				seen["to "+entry+": "+key] = text
			}
		}
		return seen
	}
	for _, name := range []string{"administrator", "a", "namesake"} {
		before := see()
		pass := who[name].MustSync("")
		var own []string
		for _, r := range pass.Results {
			own = append(own, r.Step.ID())
		}
		if len(own) < 11 {
			t.Errorf("%s: only %d steps", name, len(own))
		}
		same(t, name, before, see(), own)
		for other, manifests := range text {
			if other == name || who[other].Plan("").Owned == 0 {
				continue
			}
			if plan := who[other].Plan(manifests); !plan.InSync() {
				t.Errorf("%s was emptied, and now %s is not in sync: %v", name, other, plan.Summary())
			}
		}
	}
}

// same expects that all objects are unchanged, except those with the given IDs.
func same(t *testing.T, who string, before, after map[string]string, but []string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if after[key] == before[key] || slices.ContainsFunc(but, func(id string) bool { return strings.Contains(before[key], id) }) {
			continue
		}
		t.Errorf("%s was emptied, and something else changed:\n%s\n%s", who, before[key], after[key])
	}
	for key := range after {
		if before[key] == "" {
			t.Errorf("%s was emptied, and something is new: %s", who, after[key])
		}
	}
}
