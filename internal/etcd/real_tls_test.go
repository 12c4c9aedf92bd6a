package etcd_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/outbound"
)

// scriptOfMachines is the script that runs on the machines of a cluster.
const scriptOfMachines = "../cloud/kinds/etcdcluster/etcd.py"

// TestTheScriptOfMachinesIsThere checks that the script exists at this path. This test always runs, because the
// tests that use the script need a real etcd.
func TestTheScriptOfMachinesIsThere(t *testing.T) {
	if _, err := os.Stat(scriptOfMachines); err != nil {
		t.Error(err)
	}
}

// stage makes the boot script treat this machine as several machines with one address each.
const stage = `
HERE, KEYS = os.path.realpath(__file__), os.path.dirname(os.path.realpath(__file__)) + "/keys"
BINARY = os.path.dirname(HERE) + "/stackreeve-etcd"
def find_data():
    data = os.path.dirname(HERE) + "/data"
    os.makedirs(data, mode=0o700, exist_ok=True)
    return data
run_etcd = os.execv
def start(binary, args):
    at = args.index("--listen-client-urls") + 1
    args[at] = args[at].split(",")[0]  # 127.0.0.1 is all machines'
    for name in sorted(os.listdir(KEYS)) if TLS else ():
        if os.stat(os.path.join(KEYS, name)).st_mode & 0o077: raise RuntimeError(name + " can be read by others")
    run_etcd(binary, args)
os.execv = start
`

// machines is a cluster of real etcd servers at addresses of this machine.
type machines struct {
	t       *testing.T
	master  *pki.Master
	archive string // the address from which the programs of etcd are downloaded
	version string
	folder  string
	size    int
	stop    [3]func()
}

var scope = pki.Scope{Stack: "prod", Namespace: "default", Cluster: "kv"}

func newReal(t *testing.T) *machines {
	t.Helper()
	archive, version := archived(t)
	master, err := pki.New([]byte(strings.Repeat("0a", 32)))
	if err != nil {
		t.Fatal(err)
	}
	r := &machines{t: t, master: master, archive: archive, version: version, folder: t.TempDir(), size: 3}
	t.Cleanup(func() {
		for _, stop := range r.stop {
			if stop != nil {
				stop()
			}
		}
	})
	return r
}

func address(n int) string { return fmt.Sprintf("127.77.9.%d", n+1) }

func (r *machines) authority(generation int) *pki.Authority {
	r.t.Helper()
	a, err := r.master.Authority(scope, generation)
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

// boot starts a machine, which replaces the earlier one with this number. It has certificates of a generation; 0
// means no TLS.
func (r *machines) boot(n, generation int) {
	r.t.Helper()
	if r.stop[n] != nil {
		r.stop[n]()
	}
	wanted, given := map[string]any{"cluster": "kv", "version": r.version, "from": r.archive, "sha256": "", "env": map[string]string{}}, ""
	if generation > 0 {
		identity, err := r.authority(generation).Member(fmt.Sprintf("kv-%d", n), address(n))
		if err != nil {
			r.t.Fatal(err)
		}
		text, _ := json.Marshal(map[string]any{"certificate": identity})
		one := []string{"certificate", "crt", "key", "ca"}
		given, wanted["tls"] = base64.StdEncoding.EncodeToString(text), map[string]any{"peer": one, "server": one}
	}
	script, err := os.ReadFile(scriptOfMachines)
	if err != nil {
		r.t.Fatal(err)
	}
	var peers []string
	for i := range r.size {
		peers = append(peers, `"`+address(i)+`"`)
	}
	filled := strings.NewReplacer("{{name}}", fmt.Sprintf("kv-%d", n), `"address": "{{address}}"`, `"address": "`+address(n)+`"`,
		`{{#peers}}"{{address}}"{{^last}}, {{/last}}{{/peers}}`, strings.Join(peers, ", ")).Replace(boot.Filled(string(script), wanted, given))
	folder := filepath.Join(r.folder, fmt.Sprint(n))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		r.t.Fatal(err)
	}
	file := filepath.Join(folder, "etcd.py")
	if err := os.WriteFile(file, []byte(strings.TrimSuffix(filled, "main()\n")+stage+"main()\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(r.t.Context()))
	cmd := exec.CommandContext(ctx, "python3", file)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.stop[n] = func() { stop(); _ = cmd.Wait(); _ = log.Close() }
}

// client returns a client with the certificates of a generation, as an agent has it; 0 means no TLS.
func (r *machines) client(generation int) etcd.Client {
	r.t.Helper()
	c := etcd.Client{Machines: outbound.Machines{Home: true}, Port: etcd.ClientPort}
	if generation > 0 {
		identity, err := r.authority(generation).Client("agent")
		if err == nil {
			c.TLS, err = identity.Config()
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	return c
}

// until repeats a check until it succeeds.
func (r *machines) until(what string, is func() error) {
	r.t.Helper()
	ctx, stop := context.WithTimeout(r.t.Context(), 3*time.Minute)
	defer stop()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := is()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			for n := range r.size {
				log, _ := os.ReadFile(filepath.Join(r.folder, fmt.Sprint(n), "log"))
				r.t.Logf("kv-%d: %s", n, log[max(0, len(log)-3000):])
			}
			r.t.Fatalf("%s: %v", what, err)
		}
	}
}

// begin does the same as an agent: one machine begins a cluster, and the others join it.
func (r *machines) begin(generation int) {
	r.t.Helper()
	ctx, c := r.t.Context(), r.client(generation)
	for n := range r.size {
		r.boot(n, generation)
	}
	for n := range r.size {
		r.until("a machine waits", func() error {
			if w, err := c.Waiting(ctx, address(n)); err != nil || w.State != etcd.Blank {
				return fmt.Errorf("%v %w", w, err)
			}
			return nil
		})
	}
	if err := c.Begin(ctx, address(0)); err != nil {
		r.t.Fatal(err)
	}
	r.serves(c, 0)
	for n := 1; n < r.size; n++ {
		scheme := "http"
		if generation > 0 {
			scheme = "https"
		}
		var m etcd.Member
		r.until("a member is added", func() (err error) {
			m, err = c.AddLearner(ctx, address(0), fmt.Sprintf("%s://%s:%d", scheme, address(n), etcd.PeerPort))
			return err
		})
		r.until("it is promoted", func() error { return c.Promote(ctx, address(0), m.ID) })
		r.serves(c, n)
	}
}

// serves waits until a member answers and knows a leader.
func (r *machines) serves(c etcd.Client, n int) {
	r.t.Helper()
	r.until(fmt.Sprintf("kv-%d serves", n), func() error {
		s, err := c.Status(r.t.Context(), address(n))
		if err == nil && s.Leader == 0 {
			err = fmt.Errorf("there is no leader: %v", s.Errors)
		}
		return err
	})
}

// TestRealEtcdWithTLS checks that real etcd accepts the certificates, also while the certificates are replaced
// by those of the next generation, member by member. A client without a certificate, or with one of another
// cluster, gets no answer.
func TestRealEtcdWithTLS(t *testing.T) {
	r := newReal(t)
	r.begin(1)
	for n := range r.size {
		r.boot(n, 2)
		r.serves(r.client(2), n)
		r.serves(r.client(1), n)
		for other := range r.size {
			r.serves(r.client(2), other)
		}
	}
	members, err := r.client(2).Members(t.Context(), address(0))
	if err != nil || len(members.List) != 3 {
		t.Errorf("%v, %v", members, err)
	}
	r.strangers()
}

func (r *machines) strangers() {
	plain := r.client(0)
	foreign := plain
	a, err := r.master.Authority(pki.Scope{Stack: "prod", Namespace: "default", Cluster: "kv2"}, 1)
	if err != nil {
		r.t.Fatal(err)
	}
	mine, err := r.authority(2).Client("agent")
	if err != nil {
		r.t.Fatal(err)
	}
	other, err := a.Client("agent")
	if err != nil {
		r.t.Fatal(err)
	}
	if foreign.TLS, err = pki.Config(other.Cert, other.Key, mine.Trust); err != nil {
		r.t.Fatal(err)
	}
	for name, c := range map[string]struct {
		client etcd.Client
		want   string
	}{
		"no TLS":                    {plain, etcd.WithTLS},
		"another cluster's client":  {foreign, etcd.NotTrusting},
		"a generation too far away": {r.client(4), etcd.AnotherAuthority},
	} {
		if _, err := c.client.Members(r.t.Context(), address(1)); etcd.HowUnlike(err) != c.want {
			r.t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestAttackAMachineThatWaits checks that a waiting machine also requires a certificate, and that an open
// connection without requests does not block other connections.
func TestAttackAMachineThatWaits(t *testing.T) {
	r := newReal(t)
	r.size = 1
	r.boot(0, 1)
	ctx, c := t.Context(), r.client(1)
	waits := func() error {
		w, err := c.Waiting(ctx, address(0))
		if err == nil && w.State != etcd.Blank {
			err = fmt.Errorf("it says %q", w.State)
		}
		return err
	}
	r.until("it waits", waits)
	for range 5 {
		conn, err := c.Machines.Dial(ctx, "tcp", address(0)+":2379")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	if err := waits(); err != nil {
		t.Error(err)
	}
	if err := r.client(0).Begin(ctx, address(0)); etcd.HowUnlike(err) != etcd.WithTLS {
		t.Error(err)
	}
	if err := waits(); err != nil {
		t.Errorf("somebody without a certificate had it begin: %v", err)
	}
}
