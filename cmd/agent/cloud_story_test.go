package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// besides contains objects with features that the story does not have: rules, tags and metadata.
const besides = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web-sample}
spec: {resource: {tags: [blue], rules: [{direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 80, max: 80}}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: tagged-sample}
spec: {resource: {networkRef: private, addresses: [{subnetRef: private-subnet}], securityGroupRefs: [web-sample], description: as written}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: private}
spec: {managementPolicy: unmanaged, import: {filter: {name: private}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: private-subnet}
spec: {managementPolicy: unmanaged, import: {filter: {name: private-subnet}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: centos79}
spec: {managementPolicy: unmanaged, import: {filter: {name: centos79}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: n3-1vcpu-2gb}
spec: {managementPolicy: unmanaged, import: {filter: {name: n3-1vcpu-2gb}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: tagged-sample}
spec: {resource: {imageRef: centos79, flavorRef: n3-1vcpu-2gb, ports: [{portRef: tagged-sample}], metadata: [{key: tier, value: gold}]}}
`

// The test applies a published set of manifests, from the first commit to the last, with everything that may happen in between.
func TestCloudStory(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := story{newGround(t)}
	s.build(verdaWith("replicas: 2", ""))
	s.scale()
	s.memberDown()
	s.drift()
	s.failed()
	s.takeDown()
}

type story struct{ *ground }

// verdaWith returns the example with another number of machines. If more is not empty, it is one additional file.
func verdaWith(replicas, more string) func(*testing.T) fs.FS {
	return func(t *testing.T) fs.FS {
		t.Helper()
		example, err := stackreeve.Example("verda")
		if err != nil {
			t.Fatal(err)
		}
		files := fstest.MapFS{}
		names, err := fs.Glob(example, "*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(example, name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = &fstest.MapFile{Data: []byte(strings.Replace(string(text), "replicas: 2", replicas, 1))}
		}
		if more != "" {
			files["more.yaml"] = &fstest.MapFile{Data: []byte(more)}
		}
		return files
	}
}

// build applies the manifests as they were published.
func (s story) build(files func(*testing.T) fs.FS) {
	s.commit(files(s.t))
	s.wants(2, []string{"8 to create, 0 to change, 0 to replace, 0 to delete"}, "plan")
	s.holds("planned", "-sample", "nothing")
	s.wants(0, []string{"in sync: 8 created"}, "run", "--once")
	s.holds("built", "-sample", verdaHolds)
	for _, server := range s.things("servers", "-sample") {
		if server.text("status") != "ACTIVE" {
			s.t.Errorf("server %s is %s", server.text("name"), server.text("status"))
		}
	}
	s.until("the load balancer works", func() bool {
		lb := s.thing("load balancers", "loadbalancer-sample")
		return lb.text("provisioning_status") == "ACTIVE" && lb.text("operating_status") == "ONLINE"
	})
	s.unchanged()
}

// unchanged checks that a pass writes nothing and a plan is empty.
func (s story) unchanged() {
	s.t.Helper()
	s.proxy.during(nil)
	s.wants(0, []string{"In sync; "}, "run", "--once")
	reads := 0
	for _, c := range s.proxy.seen() {
		if c.writes {
			s.t.Errorf("nothing changed, and yet: %s", c)
		}
		reads++
	}
	if reads < 10 {
		s.t.Errorf("only %d requests came through the proxy", reads)
	}
	s.t.Logf("a pass without a change: %d requests", reads)
}

// until polls a condition for a limited time.
func (s story) until(what string, done func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); <-time.After(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited two minutes, and it is not so that %s", what)
		}
	}
}

func (s story) scale() {
	s.commit(verdaWith("replicas: 3", "")(s.t))
	s.wants(0, []string{"Server/virtualmachinegroup-sample-2: created"}, "run", "--once")
	s.holds("3 replicas", "-sample", "2 health monitors, 2 listeners, 1 load balancers, 6 members, 2 pools, 4 ports, 1 server groups, 4 servers")
	s.commit(verdaWith("replicas: 1", "")(s.t))
	s.approve()
	s.holds("1 replica", "-sample", "2 health monitors, 2 listeners, 1 load balancers, 2 members, 2 pools, 2 ports, 1 server groups, 2 servers")
	s.unchanged()
}

// approve expects a held plan, and approves it by its hash.
func (s story) approve() {
	s.t.Helper()
	s.proxy.during(nil)
	held := s.wants(2, []string{"Held: ", " --approve "}, "run", "--once")
	if i := slices.IndexFunc(s.proxy.seen(), func(c call) bool { return c.writes }); i >= 0 {
		s.t.Errorf("held, and yet: %s", s.proxy.seen()[i])
	}
	hash := regexp.MustCompile(`(?m)^    stackreeve run --once .* --approve (\S+)$`).FindStringSubmatch(held.said)
	if hash == nil {
		s.t.Fatalf("no command that approves in\n%s", held.said)
	}
	s.wants(0, []string{"in sync: "}, "run", "--once", "--approve", hash[1])
}

// memberDown checks that status reports a machine that does not answer.
func (s story) memberDown() {
	pool := s.things("pools", "-sample")[0].text("id")
	address := s.members(pool)[0].text("address")
	if !s.fault("members-down", address, func() { s.simulator.Octavia.SetDown(address) }) {
		s.t.Log("nobody can take a member down here")
		return
	}
	s.until("status reports the member that is down", func() bool {
		return strings.Contains(s.agent("status").said, address+":80 of loadbalancer-sample-80 is ERROR")
	})
	s.wants(0, []string{"In sync"}, "plan") // the program must not correct it
	s.fault("members-down", "", func() { s.simulator.Octavia.SetDown() })
	s.until("status forgets it", func() bool { return !strings.Contains(s.agent("status").said, " is ERROR") })
}

// fault starts a fault in devcloud or in the simulator. The content "" ends it.
func (s story) fault(file, content string, simulated func()) bool {
	s.t.Helper()
	switch {
	case s.simulator != nil:
		s.simulator.Do(simulated)
		return true
	case s.inject == "":
		return false
	}
	path := filepath.Join(s.inject, file)
	s.t.Cleanup(func() { _ = os.Remove(path) }) // the file may already be deleted
	if content == "" {
		_ = os.Remove(path) // the file may already be deleted
		return true
	}
	if err := os.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return true
}

// failed checks that a machine that ends in ERROR is recreated, but not forever. The name of the machine is unique, because devcloud selects
// the machines that fail by name, for all users.
func (s story) failed() {
	name := s.stack + "-sample"
	s.commit(verdaWith("replicas: 1", `apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: `+name+`}
spec: {image: centos79, flavor: n3-1vcpu-2gb}
`)(s.t))
	if !s.fault("spawn-fails", name, func() {
		for range 2 {
			s.simulator.Nova.FailNextBuild("no disk")
		}
	}) {
		s.t.Log("nobody can make machines fail here")
		return
	}
	s.proxy.during(nil)
	e := s.agent("run", "--once")
	made := 0
	for _, c := range s.proxy.seen() {
		if c.method == http.MethodPost && strings.HasSuffix(c.path, "/servers") {
			made++
		}
	}
	s.t.Logf("a machine that fails: made %d times in %s, code %d", made, e.took.Round(time.Second), e.code)
	if made < 2 || made > 5 {
		s.t.Errorf("the machine was made %d times, want a few:\n%s", made, e.said)
	}
	if n := len(s.things("servers", name)); n != 1 {
		s.t.Errorf("%d machines of one name, want one that people can look at:\n%s", n, e.said)
	}
	if s.simulator == nil {
		if e.code != 1 || !strings.Contains(e.said, name) {
			s.t.Errorf("code %d, want 1 and the reason:\n%s", e.code, e.said)
		}
		s.fault("spawn-fails", "", nil)
		s.wants(0, nil, "run", "--once", "--replace", "allow") // another process does not know that nobody has used the machine
	}
	if status := s.thing("servers", name).text("status"); status != "ACTIVE" {
		s.t.Errorf("the machine is %s, want ACTIVE", status)
	}
	s.unchanged()
}

func (s story) takeDown() {
	s.commit(fstest.MapFS{"README.md": {}})
	s.approve()
	s.holds("taken down", "", "nothing")
	s.wants(0, []string{"In sync; 0 objects unchanged."}, "run", "--once")
	if s.t.Failed() {
		s.t.Log(fmt.Sprint("left: ", s.count("")))
	}
}
