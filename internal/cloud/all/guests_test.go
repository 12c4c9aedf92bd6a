package all_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/etcd"
)

// The published manifests of Verda's operator and of etcd-operator become real machines without a change of the manifests. They need only the
// configuration that the documentation names. The init script runs on each of Verda's machines, and the etcd cluster works. A second plan is empty.
func TestPublishedManifestsOnRealMachines(t *testing.T) {
	g := kindtest.NewGuests(t, all.Kinds)
	kindtest.RealImage(t, "centos79")
	built, err := exec.CommandContext(t.Context(), "../../../deploy/devcloud/etcd", "3.4.23").Output()
	if err != nil {
		t.Fatal("etcd cannot be made: ", err)
	}
	g.Defaults.Etcd = &defaults.Etcd{Image: "debian-12-guest", Flavor: "m1.nano", Versions: map[string]string{"3.2.13": "3.4.23"},
		Repository: "http://" + kindtest.ServeGuests(t, strings.TrimSpace(string(built))) + "/{version}/etcd.tar.gz"} // machines have no way to Debian's packages here
	var docs []string
	for _, file := range []string{"../../../testdata/verda/virtualmachine.yaml", "../../../testdata/verda/virtualmachinegroup.yaml", "../../../testdata/verda/loadbalancer.yaml", "../kinds/etcdcluster/testdata/etcdcluster.yaml"} {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, string(text))
	}
	manifests := strings.Join(docs, "\n---\n")
	g.Only(manifests)
	g.MustSyncGuests(t, 10*time.Minute, manifests)
	client := g.Client(nil)
	for _, name := range []string{"vm-sample", "virtualmachinegroup-sample-0", "virtualmachinegroup-sample-1"} {
		boots(t, kindtest.AddressOf(t, client, name))
	}
	asks := etcd.Client{Machines: g.Machines, Port: etcd.ClientPort}
	for _, name := range []string{"example-etcd-cluster-0", "example-etcd-cluster-1", "example-etcd-cluster-2"} {
		s, err := asks.Status(t.Context(), kindtest.AddressOf(t, client, name))
		if err != nil || s.Version != "3.4.23" || s.Leader == 0 || s.IsLearner {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	for _, s := range g.Plan(manifests).Steps {
		if s.Action.Writes() {
			t.Errorf("a second plan would %s %s: %s", s.Action, s.Key, s.ShortCause())
		}
	}
}

// Six optional features are tested in pairs: a volume, a floating IP, a load balancer, names in DNS, a key pair, and a group instead of a machine. For
// every two features there is a machine with both, with only one of them, and with none. All machines boot, and a second plan is empty.
func TestOptionalPartsOfMachinesByPairsOnRealMachines(t *testing.T) {
	g := kindtest.NewGuests(t, all.Kinds)
	docs := []string{surroundings}
	var names []string
	for i, has := range kindtest.Pairs(t, 6) {
		machine := []string{"image: debian-12-guest", "flavor: m1.nano", "network: front", `initScript: {value: "#!/bin/sh\n"}`}
		if has[0] {
			machine = append(machine, "volumes: [{name: data, size: 1}]")
		}
		if has[1] {
			machine = append(machine, "floatingIP: {network: public}")
		}
		if has[4] {
			machine = append(machine, "keyPair: pair")
		}
		name, kindName, ref, source, spec := fmt.Sprintf("m%d", i), "VirtualMachine", "virtualMachineRefs: [%s]", "virtualMachineRef", strings.Join(machine, ", ")
		if has[5] {
			kindName, ref, source, spec = "VirtualMachineGroup", "virtualMachineGroupRef: %s", "virtualMachineGroupRef", "replicas: 1, haPolicy: none, template: {"+spec+"}"
			names = append(names, name+"-0")
		} else {
			names = append(names, name)
		}
		t.Logf("%s is a %s: %s, a load balancer: %t, a name: %t", name, kindName, spec, has[2], has[3])
		docs = append(docs, fmt.Sprintf("apiVersion: stackreeve.dev/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec: {%s}\n", kindName, name, spec))
		if has[3] {
			docs = append(docs, fmt.Sprintf("apiVersion: stackreeve.dev/v1alpha1\nkind: DNSRecordSet\nmetadata: {name: %s}\nspec: {resource: {zoneRef: names, type: A, %s: %s}}\n", name, source, name))
		}
		if has[2] {
			docs = append(docs, fmt.Sprintf("apiVersion: stackreeve.dev/v1alpha1\nkind: LoadBalancer\nmetadata: {name: %s}\nspec: {vipNetwork: front, ports: [{port: 80, protocol: tcp, realServers: {%s}}]}\n", name, fmt.Sprintf(ref, name)))
		}
	}
	manifests := strings.Join(docs, "---\n")
	g.Only(manifests)
	g.MustSyncGuests(t, 10*time.Minute, manifests)
	for _, name := range names {
		boots(t, kindtest.AddressOf(t, g.Client(nil), name))
	}
	for _, s := range g.Plan(manifests).Steps {
		if s.Action.Writes() {
			t.Errorf("a second plan would %s %s: %s", s.Action, s.Key, s.ShortCause())
		}
	}
}

const surroundings = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: front}
spec: {resource: {networkRef: front, ipVersion: 4, cidr: 192.168.61.0/24}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: front}
spec: {resource: {externalGateways: [{networkRef: public}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: RouterInterface
metadata: {name: front}
spec: {type: Subnet, routerRef: front, subnetRef: front}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: pair}
spec: {resource: {publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGs2Rbb3wEpSKLwTdzkZb4Gx+ZgpvuzQ4hHrJNMnSjnr ada@example.com"}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: names}
spec: {resource: {name: machines.example.org., email: hostmaster@example.org}}
`

// boots waits until the machine itself refuses a connection. No program on it accepts connections, so a refusal means that the machine has booted.
func boots(t *testing.T, address string) {
	t.Helper()
	var dial net.Dialer
	for deadline := time.Now().Add(2 * time.Minute); ; {
		conn, err := dial.DialContext(t.Context(), "tcp", net.JoinHostPort(address, "80"))
		if err == nil {
			_ = conn.Close()
		}
		if errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: %v, want a machine that refuses connections", address, err)
			return
		}
		<-time.After(100 * time.Millisecond)
	}
}
