package etcdcluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// stage is Python code that lets the script run without a real machine: it simulates the script's requests, its mounts
// and its start of etcd.
const stage = `
DATA = os.path.dirname(os.path.realpath(__file__)) + "/data"
HERE = os.path.realpath(__file__)
CLIENTS, PEERS, ANSWERS, CLUSTERS, BEHIND, DOUBT, KEYS = 0, 2380, {}, {}, set(), 2, DATA + "-keys"
os.makedirs(DATA, exist_ok=True)

ask_others = ask
def fetch(): pass
prepared_for_all = prepared
def prepared(port, prepare, tls=None): return prepare()
STARTED = DATA + "-started"
def find_data_here(): return DATA
def member(id, name, address): return {"ID": id, "name": name, "peerURLs": ["http://%s:2380" % address]}
def ask(peer, what, body=None):
    if what == "kv/range" and peer in BEHIND or peer not in ANSWERS:
        raise OSError("request timed out")
    return {"header": {"cluster_id": CLUSTERS.get(peer, "1")}, "members": ANSWERS[peer]}
def start(binary, args):
    print("starts", *args)
    raise SystemExit
def has(id):
    os.makedirs(DATA + "/member/wal", exist_ok=True)
    open(DATA + "/member/of", "w").write(id)
    if id: open(DATA + "/id", "w").write(id)
os.execv = start
find_data_on_disk, find_data = find_data, find_data_here
`

// scripted runs the script after the Python code in prepare, and returns its output.
func scripted(t *testing.T, address, prepare string) string {
	t.Helper()
	return scriptedBy(t, (&Spec{}).script("kv", "3.5.35", "", "", true), address, prepare)
}

func scriptedBy(t *testing.T, text, address, prepare string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the script is Python's, which is not here")
	}
	peers := []string{`"` + address + `"`, `"10.0.0.1"`, `"10.0.0.2"`}
	text = strings.NewReplacer("{{name}}", "kv-2", `"address": "{{address}}"`, `"address": "`+address+`"`,
		`{{#peers}}"{{address}}"{{^last}}, {{/last}}{{/peers}}`, strings.Join(peers, ", ")).Replace(text)
	file := filepath.Join(t.TempDir(), "etcd.py")
	if err := os.WriteFile(file, []byte(strings.TrimSuffix(text, "main()\n")+stage+prepare+"\nmain()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, file).CombinedOutput()
	if err != nil {
		out = append(out, err.Error()...)
	}
	return string(out)
}

// The script moves data aside only if the membership that the data belongs to has ended.
func TestWhoseDataItIs(t *testing.T) {
	testcost.Long(t) // Python runs the script of a machine for each case
	const waits = `
def both(those): ANSWERS["10.0.0.1"] = ANSWERS["10.0.0.2"] = those
def wait(data):
    print("waits with", sorted(os.listdir(data)))
    raise SystemExit
`
	for name, c := range map[string]struct{ prepare, want string }{
		"an unnamed learner":           {`has("77"); ANSWERS["10.0.0.1"] = [member("77", "", "127.0.0.1")]`, "starts"},
		"a peer that lags behind":      {`has("77"); ANSWERS["10.0.0.1"] = []; BEHIND.add("10.0.0.1"); ANSWERS["10.0.0.2"] = [member("77", "kv-2", "127.0.0.1")]`, "starts"},
		"another address":              {`has("77"); ANSWERS["10.0.0.1"] = [member("77", "kv-2", "10.9.9.9")]`, "starts"},
		"nobody has caught up":         {`has("77"); ANSWERS["10.0.0.1"] = []; BEHIND.add("10.0.0.1")`, "starts"},
		"a member again":               {`has("77"); both([member("78", "", "127.0.0.1")])`, "waits with ['ended']"},
		"no member":                    {`has("77"); both([])`, "waits with ['ended']"},
		"no member, says one":          {`has("77"); both([member("77", "kv-2", "127.0.0.1")]); ANSWERS["10.0.0.1"] = []`, "starts"},
		"no member, says one of three": {`has("77"); ANSWERS["10.0.0.1"] = [member("5", "kv-0", "10.0.0.1"), member("6", "kv-1", "10.0.0.2")]`, "starts"},
		"no member of another cluster": {`has("77"); open(DATA + "/cluster", "w").write("2"); both([])`, "starts"},
		"no member of its own cluster": {`has("77"); open(DATA + "/cluster", "w").write("1"); both([])`, "waits with ['ended']"},
		"no member, one other voter":   {`has("77"); ANSWERS["10.0.0.1"] = [member("5", "kv-0", "10.0.0.1")]`, "waits with ['ended']"},
		"the one that began":           {`has(""); both([member("77", "kv-2", "127.0.0.1")])`, "starts"},
		"a failed first start":         {`has("77"); os.rmdir(DATA + "/member/wal"); open(DATA + "/version", "w").write("3.6.16")`, "waits with ['unbegun']"},
		"a first start, again":         {`has("77"); os.rmdir(DATA + "/member/wal"); os.mkdir(DATA + "/unbegun"); ANSWERS["10.0.0.1"] = []`, "waits with ['unbegun']"},
		"the one that began, expelled": {`has(""); both([member("78", "", "127.0.0.1")])`, "waits with ['ended']"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scripted(t, "127.0.0.1", waits+c.prepare); !strings.Contains(got, c.want) {
				t.Errorf("it says %s\nwant %s", got, c.want)
			}
		})
	}
}

// etcd is not started with data that its version must not open. This also holds on a machine that was created while the
// other members still had the old version.
func TestDataOfAnotherVersion(t *testing.T) {
	testcost.Long(t) // Python runs the script of a machine for each case
	const refuses = `
def wait(data):
    print(refusal(data))
    raise SystemExit
has("77")
`
	for _, c := range [][3]string{
		{"3.5.16", "3.6.16", "3.5.26"},
		{"3.5.25", "3.6.16", "3.5.26"},
		{"3.5.26", "3.6.16", "starts"},
		{"3.6.0", "3.6.16", "starts"},
		{"3.5.16", "3.5.35", "starts"},
		{"3.4.23", "3.5.16", "starts"},
		{"3.5.35", "3.7.3", "etcd 3.5.35,"},
		{"3.6.16", "3.5.35", "etcd 3.6.16,"},
	} {
		prepare := refuses + `open(DATA + "/version", "w").write("` + c[0] + `"); WANTED["version"] = "` + c[1] + `"`
		if got := scripted(t, "127.0.0.1", prepare); !strings.Contains(got, c[2]) {
			t.Errorf("%s with data of %s says %s\nwant %s", c[1], c[0], got, c[2])
		}
	}
}

// The newest data of each ended membership is kept. Data that was moved aside before is not overwritten.
func TestDataThatWasPutAside(t *testing.T) {
	got := scripted(t, "127.0.0.1", `
def main():
    for id in "1", "2", "3", "4":
        has(id)
        put_aside(DATA)
    for name in sorted(os.listdir(DATA)):
        print(name, open(DATA + "/" + name + "/of").read())
`)
	if want := "ended 4\nended.1 3\nended.2 2\n"; !strings.HasSuffix(got, want) {
		t.Errorf("it says %s\nwant %s", got, want)
	}
}

// The data of a machine that began the cluster has no member ID beside it at first. The script stores the member ID and the cluster's ID once more than
// half of the other machines report the same ones.
func TestTheIDOfTheOneThatBegan(t *testing.T) {
	const notes = `
def start(binary, args): print("notes", read(DATA + "/id"), read(DATA + "/cluster"))
os.execv = start
has("")
ANSWERS["10.0.0.1"] = [member("77", "kv-2", "127.0.0.1")]
`
	if got := scripted(t, "127.0.0.1", notes); !strings.HasSuffix(got, "notes  \n") {
		t.Errorf("by the word of one it says %s", got)
	}
	if got := scripted(t, "127.0.0.1", notes+`ANSWERS["10.0.0.2"] = ANSWERS["10.0.0.1"]`); !strings.HasSuffix(got, "notes 77 1\n") {
		t.Errorf("by the word of both it says %s", got)
	}
}

// The ID of a membership is stored beside the data from its beginning on.
func TestAMachineKnowsItsMembership(t *testing.T) {
	testcost.Long(t) // Python runs the script of a machine for each case
	got := scripted(t, "127.0.0.1", `
ANSWERS["10.0.0.2"] = [member("5", "kv-0", "10.0.0.1"), member("77", "", "127.0.0.1")]
def start(binary, args): print("starts", *args, open(DATA + "/id").read(), open(DATA + "/cluster").read())
os.execv = start`)
	if !strings.Contains(got, "--initial-cluster kv-0=http://10.0.0.1:2380,kv-2=http://127.0.0.1:2380 --initial-cluster-state existing") || !strings.HasSuffix(got, " 77 1\n") {
		t.Errorf("it says %s", got)
	}
}

// IPv6 addresses are written in brackets.
func TestAddressesOfIPv6(t *testing.T) {
	testcost.Long(t) // Python runs the script of a machine for each case
	if got := scripted(t, "fd00::1", `has("")`); !strings.Contains(got, "--listen-peer-urls http://[fd00::1]:2380 ") {
		t.Errorf("it says %s", got)
	}
	got := scripted(t, "fd00::1", `
def asked(request, timeout, context):
    print(request.full_url)
    raise SystemExit
urllib.request.urlopen, ask, CLIENTS, ME["peers"] = asked, ask_others, 2379, ["fd00::2"]
has("77")`)
	if !strings.Contains(got, "http://[fd00::2]:2379/v3/") {
		t.Errorf("it says %s", got)
	}
}

// A data volume is recognised by its ID, and gets a file system only if it is empty.
func TestTheDataDisk(t *testing.T) {
	testcost.Long(t) // Python runs the script of a machine for each case
	const cinder, other = "/dev/disk/by-id/virtio-1d3a0c2e-5b6f-4f7a-8", "/dev/disk/by-id/virtio-9d3a0c2e-5b6f-4f7a-9"
	const disks = `
import types
BY_ID, PROBED = [], (2, "")
real_glob = glob.glob
def listed(names):
    if not names.startswith("/dev/"): return []
    return list(BY_ID) if names.endswith("/by-id/*") else [n for n in BY_ID if n.startswith(names[:-1])]
glob.glob = listed
os.path.ismount = lambda place: False
os.makedirs = lambda place, exist_ok: None
def command(args, **_):
    if args[0] == "lsblk":
        return types.SimpleNamespace(returncode=0, stdout=json.dumps({"blockdevices": [{"name": "/dev/vdb", "type": "disk", "fstype": None}]}))
    if args[0] == "blkid":
        return types.SimpleNamespace(returncode=PROBED[0], stdout=PROBED[1])
    print(*args)
subprocess.run = command
def main():
    print(find_data_on_disk())
`
	for name, c := range map[string]struct{ prepare, want string }{
		"a disk of the flavor":     {`BY_ID = ["/dev/disk/by-id/ata-QEMU_HARDDISK_QM00001"]`, "there is no data volume yet"},
		"new":                      {`BY_ID = ["` + cinder + `"]`, "udevadm settle\nmkfs.ext4 -q -L stackreeve-etcd " + cinder + "\nmount " + cinder},
		"used":                     {`BY_ID = ["` + cinder + `"]; PROBED = (0, "stackreeve-etcd\n")`, "udevadm settle\nmount " + cinder},
		"with something else":      {`BY_ID = ["` + cinder + `"]; PROBED = (0, "")`, "holds something else"},
		"that cannot be read":      {`BY_ID = ["` + cinder + `"]; PROBED = (8, "")`, "holds something else"},
		"several":                  {`BY_ID = ["` + cinder + `", "` + other + `"]`, "there are several volumes"},
		"besides what booted":      {`BY_ID = ["` + cinder + `", "` + other + `", "` + other + `-part1"]`, "mount " + cinder},
		"on SCSI, with a whole ID": {`BY_ID = ["/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_1d3a0c2e-5b6f-4f7a-8c11-000000000001"]`, "mount /dev/disk/by-id/scsi-0"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scripted(t, "127.0.0.1", disks+c.prepare); !strings.Contains(got, c.want) {
				t.Errorf("it says %s\nwant %s", got, c.want)
			}
		})
	}
}

// Without a data volume, the data is on the root disk, in a folder that the script creates.
func TestTheDataOnTheRootDisk(t *testing.T) {
	got := scriptedBy(t, (&Spec{}).script("kv", "3.5.35", "", "", false), "127.0.0.1", `
OWN = DATA + "/var/lib/etcd"
def main():
    data = find_data_on_disk()
    write(data + "/id", "77")
    print(data == OWN, read(data + "/id"))
`)
	if got != "True 77\n" {
		t.Errorf("it says %s", got)
	}
}

// A machine that cannot start etcd answers every request on the port for clients with the reason, until etcd starts.
func TestAMachineSaysWhyItCannotBegin(t *testing.T) {
	testcost.Long(t) // Python runs the script of a machine for each case
	const asks = `
import types
tries, SHOWN = [], 0.2
time.sleep = lambda seconds: ask_all()
def ask_all():
    try:
        urllib.request.urlopen("http://127.0.0.1:%d/stackreeve/waiting" % ports[0], timeout=5)
    except urllib.error.HTTPError as answer:
        print(answer.code, answer.read().decode())
ports, served = [], serve
def serve(*args):
    server = served(*args)
    ports.append(server.server_address[1])
    return server
def prepare():
    tries.append(1)
    if len(tries) < 3:
        fail()
    return "there"
def main():
    print(prepared_for_all(0, prepare))
`
	for name, c := range map[string]struct{ fails, want string }{
		"its program is not there": {`
def urlopen(address, timeout):
    if isinstance(address, str) and "mirror" in address:
        raise urllib.error.HTTPError(address, 404, "Not Found", {}, None)
    return opened(address, timeout=timeout)
opened, urllib.request.urlopen = urllib.request.urlopen, urlopen
WANTED["from"] = "http://me:secret@mirror.example.org/{version}/etcd?token=secret"
fail = downloaded`,
			`503 {"state": "fails", "message": "http://mirror.example.org/3.5.35/etcd cannot be downloaded: HTTP Error 404: Not Found"}`},
		"a command fails": {`def fail(): run("sh", "-c", "echo first >&2; echo no such package >&2; exit 3")`, `no such package"}`},
		"ended soon": {`
def journal(command, **_):
    return types.SimpleNamespace(returncode=0, stdout='one\nFileNotFoundError: no id.new\n  at last\n')
subprocess.run = journal
ended_soon()
def fail(): raise OSError("no room")`, `503 {"state": "fails", "message": "FileNotFoundError: no id.new"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scripted(t, "127.0.0.1", asks+c.fails); !strings.Contains(got, c.want) || !strings.HasSuffix(got, "there\n") {
				t.Errorf("it says %s\nwant %s", got, c.want)
			}
		})
	}
}

// systemd restarts the script's service however often it exits. If the disk is full, that continues until there is
// space.
func TestTheServiceIsNeverGivenUp(t *testing.T) {
	unit := scripted(t, "10.0.0.3", "UNIT, HERE = DATA + \"-unit\", DATA + \"-service\"\ndef run(*command): pass\ninstall()\nprint(open(UNIT).read())\nraise SystemExit")
	for _, line := range []string{"StartLimitIntervalSec=0\n", "Restart=always\n"} {
		if !strings.Contains(unit, line) {
			t.Errorf("no %q in\n%s", line, unit)
		}
	}
}
