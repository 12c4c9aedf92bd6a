package etcdcluster_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// These tests run with `make test-clusters`, because they take too long on real machines for every change.

// soon is the interval between checks that need one request.
const soon = 200 * time.Millisecond

// long is the time limit for actions in which a machine starts several times.
const long = 10 * time.Minute

// fixture is a cluster on real machines, with a client of etcd.
type fixture struct {
	*kindtest.Target
	t    *testing.T
	size int
	etcd etcd.Client
}

func newFixture(t *testing.T, versions ...string) *fixture {
	t.Helper()
	g := guests(t, versions...)
	return &fixture{g, t, 3, etcd.Client{Machines: g.Machines, Port: etcd.ClientPort}}
}

// member returns an error unless the member has a leader, is a voter and reports no errors.
func (f *fixture) member(address string) error {
	s, err := f.etcd.Status(f.t.Context(), address)
	if err == nil && (s.Leader == 0 || s.IsLearner || len(s.Errors) > 0) {
		err = fmt.Errorf("%s: %+v", address, s)
	}
	return err
}

// healthy waits until all members are healthy, and returns their addresses.
func (f *fixture) healthy() []string {
	f.t.Helper()
	list := addresses(f.t, f.Target, f.size)
	kindtest.Await(f.t, long, soon, func() error { return f.well(list) })
	return list
}

// well returns an error unless all members are healthy.
func (f *fixture) well(list []string) (err error) {
	for _, address := range list {
		err = errors.Join(err, f.member(address))
	}
	return err
}

// servers returns the IDs of the machines, by their names.
func (f *fixture) servers() map[string]string {
	f.t.Helper()
	var answer struct{ Servers []struct{ ID, Name string } }
	if err := f.Client(nil).Do(f.t.Context(), cloud.Call{Service: cloud.Compute, Path: "servers?name=^kv-", Into: &answer}); err != nil {
		f.t.Fatal(err)
	}
	ids := map[string]string{}
	for _, s := range answer.Servers {
		ids[s.Name] = s.ID
	}
	return ids
}

// act makes Nova do an action to a machine, as people can.
func (f *fixture) act(method, name string, body any) {
	f.t.Helper()
	path := "servers/" + f.servers()[name]
	if body != nil {
		path += "/action"
	}
	if err := f.Client(nil).Do(f.t.Context(), cloud.Call{Service: cloud.Compute, Method: method, Path: path, Body: body}); err != nil {
		f.t.Fatal(err)
	}
}

// kill kills the etcd process at an address, and fails the test if there is none.
func (f *fixture) kill(address string) {
	f.t.Helper()
	if !f.kills(address) {
		f.t.Fatalf("no etcd serves at %s", address)
	}
}

// kills kills the etcd process at an address, as a crash would. It reports whether there was one.
func (f *fixture) kills(address string) bool {
	pid, _ := process(address)
	return pid > 0 && syscall.Kill(pid, syscall.SIGKILL) == nil
}

// process returns the etcd process at an address and its arguments. The process runs on this machine. pid is 0 if there
// is none.
func process(address string) (pid int, args []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the error can be ignored, because the pattern is valid
	for _, file := range all {
		text, err := os.ReadFile(file)
		args = strings.Split(string(text), "\x00")
		if err == nil && args[0] == "/usr/local/bin/stackreeve-etcd" && strings.Contains(string(text), "\x00http://"+address+":2379,") {
			pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(file)))
			return pid, args
		}
	}
	return 0, nil
}

// next returns a new agent, as if the one before had died and its service had started it again.
func (f *fixture) next() *engine.Engine {
	e := f.ProbingAgent()
	e.Timing.KilledWait = 2 * time.Second
	return e
}

// carry runs an agent until nothing differs and all members are healthy. Passes may fail before that.
func (f *fixture) carry(manifests string) {
	f.t.Helper()
	want, agent := f.Resolve(manifests), f.next()
	kindtest.Await(f.t, long, 5*time.Second, func() error {
		ctx, stop := context.WithTimeout(f.t.Context(), 5*time.Minute)
		defer stop()
		pass := agent.Sync(ctx, engine.Revision{Commit: "test", Want: want})
		if len(pass.Failures) > 0 || len(kindtest.Writes(pass.Last)) > 0 {
			return fmt.Errorf("%s: %v", pass.Outcome(), pass.Failures)
		}
		return f.well(addresses(f.t, f.Target, f.size))
	})
}

// While a client writes, members fail one at a time, each when all members are healthy. Either etcd is killed, or its
// machine is stopped or deleted. No acknowledged write is lost.
func TestRealClustersLoseMembers(t *testing.T) {
	f := newFixture(t, "3.6.16")
	manifests := cluster(f.size, "3.6.16")
	f.Only(manifests)
	mustSync(t, f.Target, manifests)
	c := write(t, f.healthy())
	for _, seed := range kindtest.Seeds(t, "0") {
		r := rand.New(rand.NewPCG(seed, 1))
		for range 4 {
			list, n := f.healthy(), r.IntN(f.size)
			name, way := fmt.Sprintf("kv-%d", n), []string{"etcd is killed", "stopped", "deleted"}[r.IntN(3)]
			began := time.Now()
			switch way {
			case "etcd is killed":
				f.kill(list[n])
			case "stopped":
				f.act(http.MethodPost, name, map[string]any{"os-stop": nil})
			case "deleted":
				f.act(http.MethodDelete, name, nil)
			}
			f.carry(manifests)
			f.healthy()
			t.Logf("seed %d: %s, %s: healthy after %s", seed, name, way, time.Since(began).Round(time.Second))
		}
		c.judge(t)
	}
}

// While a client writes, members get another version, and some of the clusters also grow. Four agents die, and a member
// dies at some moment. No acknowledged write is lost.
func TestRealClustersAreUpgradedByAgentsThatDie(t *testing.T) {
	for _, seed := range kindtest.Seeds(t, "0") {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			f := newFixture(t, "3.5.35", "3.6.16")
			r := rand.New(rand.NewPCG(seed, 2))
			f.Only(cluster(5, "3.6.16"))
			mustSync(t, f.Target, cluster(f.size, "3.5.35"))
			list := f.healthy()
			c := write(t, list)
			address := list[r.IntN(f.size)]
			dies := time.AfterFunc(time.Duration(r.Int64N(int64(30*time.Second))), func() { t.Logf("etcd at %s is killed: %t", address, f.kills(address)) })
			defer dies.Stop()
			f.size = []int{3, 5}[seed%2]
			began, wanted := time.Now(), cluster(f.size, "3.6.16")
			for range 4 {
				ctx, die := context.WithTimeout(t.Context(), time.Second+time.Duration(r.Int64N(int64(12*time.Second))))
				f.next().Sync(ctx, engine.Revision{Commit: "test", Want: f.Resolve(wanted)})
				die()
			}
			f.carry(wanted)
			list = f.healthy()
			t.Logf("%d members of another version after %s", f.size, time.Since(began).Round(time.Second))
			c.use(list)
			c.judge(t)
			for _, address := range list {
				if s, err := f.etcd.Status(t.Context(), address); err != nil || s.Version != "3.6.16" {
					t.Errorf("%s runs %s, %v", address, s.Version, err)
				}
			}
		})
	}
}

// withTLS makes the client use certificates.
func (c *client) withTLS(config *tls.Config) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scheme, c.http.Transport = "https", &http.Transport{DisableKeepAlives: true, TLSClientConfig: config}
}

// While a client writes, the keys of each member change, one machine after the other. A client without a certificate
// gets no answer.
func TestRealClustersWithDerivedCertificates(t *testing.T) {
	f := newFixture(t, "3.6.16")
	master := masterOf(t)
	f.Defaults.Keys.Master, f.Defaults.Etcd.MasterKeyFile = master, "key"
	of := func(generation int) string {
		return strings.Replace(cluster(f.size, "3.6.16"), `version: "3.6.16"`, fmt.Sprintf(`version: "3.6.16", TLS: {auto: {generation: %d}}`, generation), 1)
	}
	f.Only(of(1))
	mustSync(t, f.Target, of(1))
	authority, err := master.Authority(pki.Scope{Stack: f.Stack, Namespace: "default", Cluster: "kv"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	identity, err := authority.Client("writer")
	if err == nil {
		f.etcd.TLS, err = identity.Config()
	}
	if err != nil {
		t.Fatal(err)
	}
	f.refreshed(of(2), f.etcd.TLS)
	f.backedUp(of(2))
}

// While a client writes, the Secrets get other certificates, and the machines are replaced one after the other.
func TestRealClustersWithCertificatesFromSecrets(t *testing.T) {
	f := newFixture(t, "3.6.16")
	h := newHouse(t)
	const network = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: kv-front}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: kv-front}
spec: {resource: {networkRef: kv-front, ipVersion: 4, cidr: 10.177.5.0/27}}
`
	here := func(c *x509.Certificate) {
		c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
		for n := range 32 {
			c.IPAddresses = append(c.IPAddresses, net.IPv4(10, 177, 5, byte(n)))
		}
	}
	of := func() string {
		return strings.Replace(cluster(f.size, "3.6.16"), `version: "3.6.16"`, `version: "3.6.16", machine: {network: kv-front, subnet: kv-front},
  TLS: {static: {member: {peerSecret: etcd-peer-tls, serverSecret: etcd-server-tls}, operatorSecret: etcd-client-tls}}`, 1) + network + h.secrets(here, here, nil)
	}
	manifests := of()
	f.Only(manifests)
	mustSync(t, f.Target, manifests)
	crt, key := h.issue(func(c *x509.Certificate) {
		c.IPAddresses, c.DNSNames, c.ExtKeyUsage = nil, nil, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	})
	var err error
	if f.etcd.TLS, err = pki.Config(crt, key, inPEM("CERTIFICATE", h.cert.Raw)); err != nil {
		t.Fatal(err)
	}
	manifests = of()
	f.refreshed(manifests, f.etcd.TLS)
	f.backedUp(manifests)
}

// backedUp makes a backup and checks that there is one snapshot of at least 16 KiB.
func (f *fixture) backedUp(manifests string) {
	f.t.Helper()
	f.Only(manifests + backup)
	f.t.Cleanup(func() { f.clear("backups") })
	mustSync(f.t, f.Target, manifests+backup)
	list, err := cloud.List[struct {
		Name  string
		Bytes int64
	}](f.t.Context(), f.Client(nil), cloud.Call{Service: cloud.ObjectStore, Path: "backups"}, "")
	if err != nil || len(list) != 1 || list[0].Bytes < 16<<10 {
		f.t.Errorf("there are the snapshots %v, %v", list, err)
	}
}

// refreshed changes the certificates of a cluster, while a client writes with its own certificate.
func (f *fixture) refreshed(manifests string, own *tls.Config) {
	f.t.Helper()
	list, before := f.healthy(), f.servers()
	c := write(f.t, nil)
	c.withTLS(own)
	c.use(list)
	mustSync(f.t, f.Target, manifests)
	for name, id := range f.servers() {
		if before[name] == id {
			f.t.Errorf("%s is the machine that it was", name)
		}
	}
	f.healthy()
	c.judge(f.t)
	plain := etcd.Client{Machines: f.Machines, Port: etcd.ClientPort}
	if _, err := plain.Members(f.t.Context(), list[0]); etcd.HowUnlike(err) == "" {
		f.t.Errorf("who has no certificate is told: %v", err)
	}
}

// filled writes 500 keys and returns the client.
func (f *fixture) filled() *client { f.t.Helper(); return filled(f.t, f.healthy()) }

func filled(t *testing.T, peers []string) *client {
	t.Helper()
	c := &client{peers: peers, scheme: "http", acked: map[string]string{}, http: http.Client{Timeout: 5 * time.Second}}
	for c.tried = range 500 {
		key, value := fmt.Sprintf("key-%d", c.tried), strconv.Itoa(c.tried)
		if err := c.post(t.Context(), "put", map[string]string{"key": encoded(key), "value": encoded(value)}, &struct{}{}); err != nil {
			t.Fatal(err)
		}
		c.acked[key] = value
	}
	return c
}

// After a backup, machines and volumes are lost. A new cluster starts from the backup and has every key.
func TestRealClustersAreRestored(t *testing.T) {
	for _, version := range []string{"3.4.23", "3.5.35", "3.6.16"} {
		t.Run(version, func(t *testing.T) {
			f := newFixture(t, version)
			now, later := cluster(f.size, version), cluster(f.size, version)+shelf+ofBackup
			f.Only(now+backup, later)
			mustSync(t, f.Target, now)
			t.Cleanup(func() { f.clear("backups") })
			c := f.filled()
			before, err := f.etcd.Status(t.Context(), c.peers[0])
			if err != nil {
				t.Fatal(err)
			}
			mustSync(t, f.Target, now+backup)
			mustSync(t, f.Target, shelf) // the manifest of the cluster is removed, so its machines are deleted
			f.DiscardVolumes(t)
			mustSync(t, f.Target, later)
			c.peers = f.healthy()
			c.judge(t)
			after, err := f.etcd.Status(t.Context(), c.peers[0])
			raised := int64(0)
			if version != "3.4.23" {
				raised = 1_000_000_000
			}
			if err != nil || after.Revision != before.Revision+raised || after.ClusterID == before.ClusterID {
				t.Errorf("before %+v, after %+v, %v", before, after, err)
			}
		})
	}
}

// clear deletes all objects of a container.
func (f *fixture) clear(container string) {
	ctx, c := context.WithoutCancel(f.t.Context()), f.Client(nil)
	list, err := cloud.List[struct{ Name string }](ctx, c, cloud.Call{Service: cloud.ObjectStore, Path: container}, "")
	for _, o := range list {
		err = errors.Join(err, c.Do(ctx, cloud.Call{Service: cloud.ObjectStore, Method: http.MethodDelete, Path: container + "/" + o.Name}))
	}
	if err != nil {
		f.t.Error(err)
	}
}

// stays runs an agent for a while, and fails the test if the agent changes a machine.
func (f *fixture) stays(manifests, why string) {
	f.t.Helper()
	before := f.servers()
	ctx, stop := context.WithTimeout(f.t.Context(), 20*time.Second)
	defer stop()
	f.ProbingAgent().Sync(ctx, engine.Revision{Commit: "test", Want: f.Resolve(manifests)})
	after := f.servers()
	for name, id := range before {
		if after[name] != id || len(after) != len(before) {
			f.t.Errorf("%s: the machines were %v, and are %v", why, before, after)
			return
		}
	}
}

// The agent changes no machine of a cluster while the cluster is paused, while one member is cut off, or while its space
// is exhausted. Afterwards it continues the change.
func TestRealClustersThatAreInTrouble(t *testing.T) {
	f := newFixture(t, "3.5.35", "3.6.16")
	of := func(version, more string) string {
		return strings.Replace(cluster(f.size, version), `version: "`+version+`"`, `version: "`+version+`"`+more+`, pod: {etcdEnv: [{name: ETCD_QUOTA_BACKEND_BYTES, value: "67108864"}]}`, 1)
	}
	f.Only(of("3.5.35", ""))
	mustSync(t, f.Target, of("3.5.35", ""))
	c := write(t, f.healthy())

	f.stays(of("3.6.16", ", paused: true"), "paused")

	port := f.portOf("kv-1")
	f.link(port, "down")
	f.stays(of("3.6.16", ""), "one member is cut off")
	c.judge(t) // the other members answer
	f.link(port, "up")
	f.healthy()
	c.judge(t)

	list := f.healthy()
	for n := 0; ; n++ {
		err := c.post(t.Context(), "put", map[string]string{"key": encoded("large-" + strconv.Itoa(n)), "value": encoded(strings.Repeat("x", 1<<20))}, &struct{}{})
		if err != nil && strings.Contains(err.Error(), "space exceeded") {
			break
		}
		if n > 200 {
			t.Fatalf("it takes more and more: %v", err)
		}
	}
	f.stays(of("3.6.16", ""), "no room is left")
	if !slices.ContainsFunc(list, func(address string) bool {
		s, err := f.etcd.Status(t.Context(), address)
		return err == nil && strings.Contains(fmt.Sprint(s.Errors), "NOSPACE")
	}) {
		t.Error("no member says that there is no room")
	}
	f.relieve(c, list)
	mustSync(t, f.Target, of("3.6.16", ""))
	f.healthy()
	c.judge(t)
}

// relieve frees space as people would: it removes large values and old revisions, and makes each member return the free
// space.
func (f *fixture) relieve(c *client, list []string) {
	f.t.Helper()
	ask := func(address, path string, body any) {
		f.t.Helper()
		kindtest.Await(f.t, long, soon, func() error { return c.ask(f.t.Context(), address, path, body, &struct{}{}) })
	}
	ask(list[0], "kv/deleterange", map[string]string{"key": encoded("large-"), "range_end": encoded("large.")})
	s, err := f.etcd.Status(f.t.Context(), list[0])
	if err != nil {
		f.t.Fatal(err)
	}
	ask(list[0], "kv/compaction", map[string]any{"revision": s.Revision, "physical": true})
	for _, address := range list { // each member has to return its own free space
		ask(address, "maintenance/defragment", map[string]any{})
	}
	var found struct {
		Alarms []struct{ MemberID, Alarm string }
	}
	kindtest.Await(f.t, long, soon, func() error {
		return c.ask(f.t.Context(), list[0], "maintenance/alarm", map[string]string{"action": "GET"}, &found)
	})
	for _, alarm := range found.Alarms { // each member's alarm has to be ended separately
		ask(list[0], "maintenance/alarm", map[string]string{"action": "DEACTIVATE", "alarm": alarm.Alarm, "memberID": alarm.MemberID})
	}
}

// portOf returns the ID of a machine's port.
func (f *fixture) portOf(name string) string {
	f.t.Helper()
	var answer struct{ Ports []struct{ ID string } }
	if err := f.Client(nil).Do(f.t.Context(), cloud.Call{Service: cloud.Network, Path: "ports?name=" + name, Into: &answer}); err != nil || len(answer.Ports) != 1 {
		f.t.Fatalf("ports of %s: %v, %v", name, answer, err)
	}
	return answer.Ports[0].ID
}

// link sets the state of a port's link, so "down" cuts off the machine.
func (f *fixture) link(port, state string) {
	f.t.Helper()
	if out, err := exec.CommandContext(f.t.Context(), "ip", "link", "set", "dcv"+port[:11], state).CombinedOutput(); err != nil {
		f.t.Fatalf("%v: %s", err, out)
	}
}
