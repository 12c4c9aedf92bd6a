package etcdcluster_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/standin/etcd"
)

// world is a simulated cloud whose machines run a simulated etcd as soon as they are ACTIVE.
type world struct {
	*kindtest.Target
	*etcd.World
	t       *testing.T
	client  *cloud.Client
	created *created
	ends    *ends

	mu       sync.Mutex
	seen     time.Time
	machines map[string]*etcd.Machine
	fewest   int // the lowest number of running machines since armed was called
}

func newWorld(t *testing.T) *world {
	t.Helper()
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("on a real cloud real machines are used: see guests_test.go")
	}
	g.Defaults.Etcd = &defaults.Etcd{Image: "centos79", Flavor: "n3-1vcpu-2gb", VolumeSize: 1, Repository: "https://mirror.example.org/{version}/etcd", Versions: map[string]string{"3.2.13": "3.4.23"}}
	w := &world{Target: g, t: t, created: &created{data: map[string]userData{}}}
	w.ends = &ends{w: w, gone: map[string]bool{}}
	w.World = etcd.New(w.machine)
	w.Name = w.nameOf
	network := w.World.Network()
	t.Cleanup(network.Close)
	g.Machines = outbound.Machines{Through: network.Dial}
	w.Target = g.Through(func(next http.RoundTripper) http.RoundTripper { return interrupter{w.ends, recorder{w.created, next}} })
	w.client = w.Target.Client(nil)
	return w
}

// machine returns the active server at an address, with the volume that contains its data.
func (w *world) machine(address string) *etcd.Machine {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.seen) > 2*time.Millisecond {
		w.machines, w.seen = w.look(), time.Now()
		w.fewest = min(w.fewest, len(w.machines))
	}
	return w.machines[address]
}

func (w *world) look() map[string]*etcd.Machine {
	var ports struct {
		Ports []struct {
			Device string `json:"device_id"`
			IPs    []struct {
				Address string `json:"ip_address"`
			} `json:"fixed_ips"`
		}
	}
	var servers struct {
		Servers []struct {
			ID, Name, Status string
			Volumes          []struct{ ID string } `json:"os-extended-volumes:volumes_attached"`
		}
	}
	ctx := w.t.Context()
	if w.client.Do(ctx, cloud.Call{Service: cloud.Network, Path: "ports", Into: &ports}) != nil ||
		w.client.Do(ctx, cloud.Call{Service: cloud.Compute, Path: "servers/detail", Into: &servers}) != nil {
		return nil
	}
	disks, made := map[string]string{}, map[string]userData{}
	for _, s := range servers.Servers {
		w.created.Lock()
		data := w.created.data[s.Name]
		w.created.Unlock()
		disk := ""
		switch {
		case len(s.Volumes) > 0:
			disk = s.Volumes[0].ID
		case data.text != "" && !data.volume:
			disk = s.ID // the server's own disk
		}
		if s.Status == "ACTIVE" && disk != "" && !w.ends.has(s.ID) {
			disks[s.ID], made[s.ID] = disk, data
		}
	}
	machines := map[string]*etcd.Machine{}
	for _, p := range ports.Ports {
		if disk := disks[p.Device]; disk != "" && len(p.IPs) > 0 {
			machines[p.IPs[0].Address] = &etcd.Machine{Boot: p.Device, Disk: disk, Version: made[p.Device].version, TLS: made[p.Device].serves}
		}
	}
	return machines
}

// created records the user data of the last created machines, by their names.
type created struct {
	sync.Mutex
	data map[string]userData
}

// userData has the settings that the user data of a machine contains.
type userData struct {
	text, version string
	volume        bool
	serves        *tls.Config // nil without TLS
}

type recorder struct {
	*created
	next http.RoundTripper
}

func (c recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/servers") {
		body, _ := io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(body))
		var in struct {
			Server struct {
				Name string
				Data string `json:"user_data"`
			}
		}
		_ = json.Unmarshal(body, &in)
		text, _ := base64.StdEncoding.DecodeString(in.Server.Data)
		if made, ok := readUserData(string(text)); ok {
			c.Lock()
			c.data[in.Server.Name] = made
			c.Unlock()
		}
	}
	return c.next.RoundTrip(req)
}

// ends has the machines that agents have requested the cloud to delete. They run no etcd from then on.
type ends struct {
	w    *world
	one  sync.Mutex // locked while a machine is deleted
	mu   sync.Mutex
	gone map[string]bool
}

func (e *ends) has(id string) bool { e.mu.Lock(); defer e.mu.Unlock(); return e.gone[id] }

type interrupter struct {
	*ends
	next http.RoundTripper
}

func (i interrupter) RoundTrip(req *http.Request) (*http.Response, error) {
	_, id, server := strings.Cut(req.URL.Path, "/servers/")
	if !server || req.Method != http.MethodDelete || strings.Contains(id, "/") || req.Context().Err() != nil {
		return i.next.RoundTrip(req)
	}
	i.one.Lock()
	defer i.one.Unlock()
	i.w.forgetLook()
	if address := i.w.addressOf(id); address != "" {
		i.w.Interrupt(address)
	}
	i.mu.Lock()
	i.gone[id] = true
	i.mu.Unlock()
	i.w.forgetLook()
	return i.next.RoundTrip(req)
}

// forgetLook makes the next call of machine read the cloud again.
func (w *world) forgetLook() { w.mu.Lock(); defer w.mu.Unlock(); w.seen = time.Time{} }

// addressOf returns the address of a machine's port.
func (w *world) addressOf(id string) string {
	var ports struct {
		Ports []struct {
			IPs []struct {
				Address string `json:"ip_address"`
			} `json:"fixed_ips"`
		}
	}
	_ = w.client.Do(w.t.Context(), cloud.Call{Service: cloud.Network, Path: "ports?device_id=" + id, Into: &ports})
	for _, p := range ports.Ports {
		for _, ip := range p.IPs {
			return ip.Address
		}
	}
	return ""
}

var (
	wantedLine = regexp.MustCompile(`(?m)^WANTED = json\.loads\(r"""(.*)"""\)$`)
	givenLine  = regexp.MustCompile(`(?m)^GIVEN = "(.*?)"`)
)

// readUserData reads the user data as the script does.
func readUserData(text string) (made userData, ok bool) {
	found, given := wantedLine.FindStringSubmatch(text), givenLine.FindStringSubmatch(text)
	if found == nil || given == nil {
		return userData{}, false
	}
	var wanted struct {
		Version string
		Volume  bool
		TLS     map[string][]string
	}
	if json.Unmarshal([]byte(found[1]), &wanted) != nil {
		return userData{}, false
	}
	made = userData{text: text, version: wanted.Version, volume: wanted.Volume}
	if at := wanted.TLS["server"]; len(at) == 4 {
		var secrets map[string]map[string]string
		plain, _ := base64.StdEncoding.DecodeString(given[1])
		_ = json.Unmarshal(plain, &secrets)
		its := secrets[at[0]]
		pair, _ := tls.X509KeyPair([]byte(its[at[1]]), []byte(its[at[2]]))
		clients := x509.NewCertPool()
		clients.AppendCertsFromPEM([]byte(its[at[3]]))
		made.serves = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert}
	}
	return made, true
}

// nameOf returns the name of the port at an address.
func (w *world) nameOf(address string) string {
	var ports struct {
		Ports []struct{ Name string }
	}
	_ = w.client.Do(w.t.Context(), cloud.Call{Service: cloud.Network, Path: "ports?fixed_ips=ip_address=" + address, Into: &ports})
	for _, p := range ports.Ports {
		return p.Name
	}
	return ""
}

var services = map[string]string{"servers": cloud.Compute, "ports": cloud.Network}

// ids returns the IDs of the objects with a name.
func (w *world) ids(collection, name string) (ids []string) {
	w.t.Helper()
	var found map[string][]struct{ ID string }
	if err := w.client.Do(w.t.Context(), cloud.Call{Service: services[collection], Path: collection + "?name=" + name, Into: &found}); err != nil {
		w.t.Fatal(err)
	}
	for _, o := range found[collection] {
		ids = append(ids, o.ID)
	}
	return ids
}

// addresses returns the addresses of the running machines, by their names.
func (w *world) addresses() map[string]string {
	w.t.Helper()
	by := map[string]string{}
	for at := range w.look() {
		by[w.nameOf(at)] = at
	}
	return by
}

// address sets the addresses of ports, as if the cloud had chosen them.
func (w *world) address(by map[string]string) {
	w.t.Helper()
	kindtest.Address(w.t, w.client, by)
	w.forgetLook()
}

// remove deletes an object in the cloud, as people would, without the agent.
func (w *world) remove(collection, name string) {
	w.t.Helper()
	for _, id := range w.ids(collection, name) {
		if err := w.client.Do(w.t.Context(), cloud.Call{Service: services[collection], Method: http.MethodDelete, Path: collection + "/" + id}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// armed starts to record the lowest number of running machines.
func (w *world) armed() { w.mu.Lock(); defer w.mu.Unlock(); w.fewest = len(w.look()) }

// settled fails the test unless the cluster has this number of members, all of them voters, and no agent sent a
// forbidden request.
func (w *world) settled(size int) {
	w.t.Helper()
	names := w.Members()
	if len(names) != size || slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "?") || n == "" }) {
		w.t.Errorf("the members are %q, want %d voters", names, size)
	}
	for _, sin := range w.Sins() {
		w.t.Error(sin)
	}
}

func sized(size int, more ...string) string {
	return fmt.Sprintf(`
apiVersion: stackreeve.dev/v1alpha1
kind: EtcdCluster
metadata: {name: kv}
spec: {size: %d, version: 3.5.35, clients: [10.0.0.0/8]%s}
`, size, strings.Join(append([]string{""}, more...), ", "))
}
