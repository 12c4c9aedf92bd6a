package m3dbcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// stage is appended to the script, so that it can run without a machine: it replaces the commands and the start of
// M3DB.
const stage = `
import types
HERE = os.path.realpath(__file__)
ROOM = os.path.dirname(HERE)
DATA, CACHE, CONFIG, IDENTITY, KEYS = (ROOM + "/" + n for n in ("data", "cache", "etc/m3.yml", "etc/identity", "etc/etcd"))
BY_ID, PROBED = ["/dev/disk/by-id/virtio-1d3a0c2e-5b6f-4f7a-8"], (2, "")
def listed(names):
    return list(BY_ID) if names.endswith("/by-id/*") else [n for n in BY_ID if n.startswith(names[:-1])]
glob.glob = listed
os.path.ismount = lambda place: False
def fetch(): pass
def prepared(port, prepare, tls=None): return prepare()
def command(args, **_):
    if args[0] == "blkid":
        return types.SimpleNamespace(returncode=PROBED[0], stdout=PROBED[1])
    print(*args)
subprocess.run = command
def start(binary, args):
    print("starts", *args[1:2], open(IDENTITY).read())
    print(open(CONFIG).read())
    raise SystemExit
os.execv = start
`

// scripted runs the script with stage and prepare, which is further Python code, and returns its output.
func scripted(t *testing.T, found etcd, address, prepare string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the script is Python's, which is not here")
	}
	e := &kind.Expansion{}
	e.Key.Namespace, e.Key.Name = "default", "kv"
	text := (&Spec{}).script(e, "1.5.0", "https://mirror.example.org/{version}", "", found)
	text = strings.NewReplacer(`{{#peers}}"{{address}}"{{^last}}, {{/last}}{{/peers}}`, `"10.0.0.1", "fd00::2"`, "{{name}}", "kv-2", `{{address}}`, address, "{{'{{'}}", "{{").Replace(text)
	file := filepath.Join(t.TempDir(), "m3.py")
	if err := os.WriteFile(file, []byte(strings.TrimSuffix(text, "main()\n")+stage+prepare+"\nmain()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, file).CombinedOutput()
	if err != nil {
		out = append(out, err.Error()...)
	}
	return string(out)
}

// A node derives its identity from its name, its disk and its address. It finds etcd by the addresses of the machines
// of the etcd cluster.
func TestTheConfiguration(t *testing.T) {
	testcost.Long(t) // Python runs the script of a machine for each case
	at := func(listen, address string) string {
		return fmt.Sprintf(`"listenAddress": "%s:%d"`, listen, m3.PortOf("kv-2.1d3a0c2e@"+address))
	}
	got := scripted(t, etcd{cluster: "kv-etcd", numbers: "0-2"}, "10.0.0.9", "")
	for _, want := range []string{"mkfs.ext4 -q -L stackreeve-m3db", "starts -f kv-2.1d3a0c2e@10.0.0.9", `"value": "kv-2.1d3a0c2e@10.0.0.9"`, `"env": "default/kv"`, `"http://10.0.0.1:2379"`, `"http://[fd00::2]:2379"`, `"0.0.0.0:7201"`, at("0.0.0.0", "10.0.0.9")} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	if got := scripted(t, etcd{endpoints: []string{"http://192.0.2.7:2379"}}, "fd00::9", ""); !strings.Contains(got, `"http://192.0.2.7:2379"`) || !strings.Contains(got, at("[::]", "fd00::9")) || strings.Contains(got, "10.0.0.1") {
		t.Errorf("it says %s", got)
	}
	if got := scripted(t, etcd{config: "db: {a: '{{b}}'}\n"}, "10.0.0.9", ""); !strings.HasSuffix(got, "db: {a: '{{b}}'}\n\n") {
		t.Errorf("it says %s", got)
	}
}

// With TLS, the machine authenticates to etcd with the given files. Only root can read them.
func TestTheKeysForEtcd(t *testing.T) {
	testcost.Long(t) // Python runs the script of a machine for each case
	const shows = `
started = os.execv
def start(binary, args):
    for name in sorted(os.listdir(KEYS)):
        print(name, oct(os.stat(os.path.join(KEYS, name)).st_mode), open(os.path.join(KEYS, name)).read())
    started(binary, args)
os.execv = start
`
	given := map[string]string{
		"secrets":     machine.Encoded(map[string]any{"own": map[string]string{"etcd-client.crt": "a crt", "etcd-client.key": "a key", "etcd-client-ca.crt": "authorities"}}),
		"certificate": machine.Encoded(map[string]any{"certificate": map[string]string{"crt": "a crt", "key": "a key", "ca": "authorities"}}),
	}
	for name, c := range map[string]struct {
		found etcd
		text  string
		at    []string
	}{
		"from a Secret": {etcd{endpoints: []string{"https://192.0.2.7:2379"}, secret: "own"}, given["secrets"], []string{`"https://192.0.2.7:2379"`}},
		"derived":       {etcd{cluster: "kv-etcd", numbers: "0-2", generation: 7}, given["certificate"], []string{`"https://10.0.0.1:2379"`, `"https://[fd00::2]:2379"`}},
	} {
		got := scripted(t, c.found, "10.0.0.9", "GIVEN = "+strconv.Quote(c.text)+shows)
		for _, want := range append(c.at, "client.crt 0o100600 a crt", "client.key 0o100600 a key", "ca.crt 0o100600 authorities", `"keyPath": "`, `/etc/etcd/client.key"`) {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s is missing in\n%s", name, want, got)
			}
		}
	}
	if got := scripted(t, etcd{endpoints: []string{"http://192.0.2.7:2379"}}, "10.0.0.9", ""); strings.Contains(got, "crtPath") {
		t.Errorf("without TLS it says %s", got)
	}
}

// A data volume gets a file system only if the volume is empty.
func TestTheDataDisk(t *testing.T) {
	testcost.Long(t) // Python runs the script of a machine for each case
	for name, c := range map[string]struct{ prepare, want string }{
		"used":                {`PROBED = (0, "stackreeve-m3db\n")`, "udevadm settle\nmount /"},
		"with something else": {`PROBED = (0, "")`, "holds something else"},
		"that cannot be read": {`PROBED = (8, "")`, "holds something else"},
		"of the flavor":       {`BY_ID = ["/dev/disk/by-id/ata-QEMU_HARDDISK_QM00001"]`, "there is no data volume yet"},
		"several":             {`BY_ID.append("/dev/disk/by-id/virtio-9d3a0c2e-5b6f-4f7a-9")`, "there are several volumes"},
		"besides what booted": {`BY_ID += ["/dev/disk/by-id/virtio-9d3a0c2e-5b6f-4f7a-9", "/dev/disk/by-id/virtio-9d3a0c2e-5b6f-4f7a-9-part1"]`, "starts -f kv-2.1d3a0c2e@"},
		"on SCSI":             {`BY_ID = ["/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_2d3a0c2e-5b6f-4f7a-8c11-000000000001"]`, "starts -f kv-2.2d3a0c2e@"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scripted(t, etcd{}, "10.0.0.9", c.prepare); !strings.Contains(got, c.want) {
				t.Errorf("it says %s\nwant %s", got, c.want)
			}
		})
	}
}
