package all_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// A probe notices what is created, changed and deleted in each service, and says in which collections. It notices nothing while nothing changes.
func TestProbeNoticesChanges(t *testing.T) {
	server, err := simulator.Start(t.Context(), "127.0.0.1:0", simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	file := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(file, server.CloudsYAML(), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo", File: file, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	do := func(service, method, path, body string) (id string) {
		t.Helper()
		var sent any
		if body != "" {
			if err := json.Unmarshal([]byte(body), &sent); err != nil {
				t.Fatal(err)
			}
		}
		var answer json.RawMessage
		call := cloud.Call{Service: service, Method: method, Path: path, Body: sent, Into: &answer, Microversion: map[string]string{cloud.Compute: "2.37", cloud.SharedFileSystem: "2.51"}[service]}
		if service == cloud.ObjectStore {
			call.Into = nil
		}
		if err := c.Do(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		var made map[string]struct{ ID string }
		if json.Unmarshal(answer, &made) == nil {
			for _, one := range made {
				id = one.ID
			}
		}
		return id
	}
	first := func(service, path, list string) string {
		t.Helper()
		var answer map[string]json.RawMessage
		if err := c.Do(t.Context(), cloud.Call{Service: service, Method: http.MethodGet, Path: path, Into: &answer}); err != nil {
			t.Fatal(err)
		}
		var objects []struct{ ID string }
		if err := json.Unmarshal(answer[list], &objects); err != nil || len(objects) == 0 {
			t.Fatalf("%s: %v", path, err)
		}
		return objects[0].ID
	}
	matter := map[string]bool{}
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		for _, name := range slices.Concat(k.Info.Lists, k.Info.Joins) {
			matter[name] = true
		}
	}
	p := c.NewProbe()
	// moved asks every question of a service, and compares the collections of all answers.
	moved := func(what, service string, want ...string) {
		t.Helper()
		var got []string
		for range 20 {
			moved, err := p.Moved(t.Context(), service, matter)
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
			got = append(got, moved...)
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	balancers := []string{"load-balancer/lbaas/availabilityzones", "load-balancer/lbaas/flavors", "load-balancer/lbaas/healthmonitors", "load-balancer/lbaas/l7policies", "load-balancer/lbaas/listeners", "load-balancer/lbaas/loadbalancers", "load-balancer/lbaas/pools"}
	for _, service := range cloud.ProbedServices() { // the first answers count as changes
		for range 20 {
			_, _ = p.Moved(t.Context(), service, matter)
		}
	}
	var subnet, group, rule, volume, balancer, zone, port, secret string
	private := first(cloud.Network, "networks?name=private", "networks")
	for _, one := range []struct {
		what, service string
		do            func()
		want          []string
	}{
		{"a created network", cloud.Network, func() { port = do(cloud.Network, "POST", "networks", `{"network":{"name":"n"}}`) }, []string{"network/networks", "network/subnets"}},
		{"a subnet", cloud.Network, func() {
			subnet = do(cloud.Network, "POST", "subnets", `{"subnet":{"network_id":"`+port+`","ip_version":4,"cidr":"10.9.0.0/24"}}`)
		}, []string{"network/networks", "network/subnets"}},
		{"a changed subnet", cloud.Network, func() { do(cloud.Network, "PUT", "subnets/"+subnet, `{"subnet":{"name":"x"}}`) }, []string{"network/networks", "network/subnets"}},
		{"a deleted network", cloud.Network, func() { do(cloud.Network, "DELETE", "networks/"+port, "") }, []string{"network/networks", "network/subnets"}},
		{"a group", cloud.Network, func() { group = do(cloud.Network, "POST", "security-groups", `{"security_group":{"name":"g"}}`) }, []string{"network/security-groups"}},
		{"a rule", cloud.Network, func() {
			rule = do(cloud.Network, "POST", "security-group-rules", `{"security_group_rule":{"security_group_id":"`+group+`","direction":"ingress"}}`)
		}, []string{"network/security-groups"}},
		{"a deleted rule", cloud.Network, func() { do(cloud.Network, "DELETE", "security-group-rules/"+rule, "") }, []string{"network/security-groups"}},
		{"a tag", cloud.Network, func() { do(cloud.Network, "PUT", "security-groups/"+group+"/tags/x", "") }, []string{"network/security-groups"}},
		{"a port", cloud.Network, func() { port = do(cloud.Network, "POST", "ports", `{"port":{"network_id":"`+private+`"}}`) }, []string{"network/ports"}},
		{"a port's group", cloud.Network, func() { do(cloud.Network, "PUT", "ports/"+port, `{"port":{"security_groups":["`+group+`"]}}`) }, []string{"network/ports"}},
		{"a volume", cloud.BlockStorage, func() { volume = do(cloud.BlockStorage, "POST", "volumes", `{"volume":{"size":1}}`) }, []string{"block-storage/volumes"}},
		{"a changed volume", cloud.BlockStorage, func() { do(cloud.BlockStorage, "PUT", "volumes/"+volume, `{"volume":{"name":"x"}}`) }, []string{"block-storage/volumes"}},
		{"a server", cloud.Compute, func() {
			do(cloud.Compute, "POST", "servers", `{"server":{"name":"s","flavorRef":"`+first(cloud.Compute, "flavors", "flavors")+`","imageRef":"`+first(cloud.Image, "images", "images")+`","networks":"none"}}`)
		}, []string{"compute/servers"}},
		{"an image", cloud.Image, func() {
			do(cloud.Image, "POST", "images", `{"name":"i","disk_format":"raw","container_format":"bare"}`)
		}, []string{"image/images"}},
		{"a balancer", cloud.LoadBalancer, func() {
			balancer = do(cloud.LoadBalancer, "POST", "lbaas/loadbalancers", `{"loadbalancer":{"name":"b","vip_network_id":"`+private+`"}}`)
		}, balancers},
		{"a zone", cloud.DNS, func() { do(cloud.DNS, "POST", "zones", `{"name":"probe.example.","email":"a@example.org"}`) }, []string{"dns/recordsets", "dns/zones"}},
		{"a record set", cloud.DNS, func() {
			zone = first(cloud.DNS, "zones?name=probe.example.", "zones")
			do(cloud.DNS, "POST", "zones/"+zone+"/recordsets", `{"name":"w.probe.example.","type":"A","records":["192.0.2.1"]}`)
		}, []string{"dns/recordsets", "dns/zones"}},
		{"a deleted zone", cloud.DNS, func() { do(cloud.DNS, "DELETE", "zones/"+zone, "") }, []string{"dns/recordsets", "dns/zones"}},
		{"a secret", cloud.KeyManager, func() { do(cloud.KeyManager, "POST", "secrets", `{"name":"s"}`) }, []string{"key-manager/secrets"}},
		{"a container", cloud.ObjectStore, func() { do(cloud.ObjectStore, "PUT", "c", "") }, []string{"object-store/containers"}},
		{"a deleted container", cloud.ObjectStore, func() { do(cloud.ObjectStore, "DELETE", "c", "") }, []string{"object-store/containers"}},
		{"a share network", cloud.SharedFileSystem, func() { do(cloud.SharedFileSystem, "POST", "share-networks", `{"share_network":{"name":"n"}}`) }, []string{"shared-file-system/share-networks"}},
	} {
		// A server and a volume have no revision, so they can be noticed twice. Others are not.
		if one.service != cloud.Compute && one.service != cloud.BlockStorage || one.what == "a volume" || one.what == "a server" {
			moved("the present state before "+one.what, one.service, []string(nil)...)
			moved("nothing before "+one.what, one.service, []string(nil)...)
		}
		one.do()
		moved(one.what, one.service, one.want...)
	}
	_, _ = secret, balancer
}
