#!/usr/bin/python3
# Runs etcd on this machine. A machine without data waits, on the port for clients, until it is asked to begin a
# cluster, or until it was made a member of one; one with data only ever starts etcd on that. What it is and
# who its peers are was written when the machine was created.
import glob, hashlib, http.server, io, json, os, platform, shutil, subprocess, sys, tarfile, threading, urllib.request

ME = json.loads("""{"name": "{{name}}", "address": "{{address}}", "peers": [{{#peers}}"{{address}}"{{^last}}, {{/last}}{{/peers}}]}""")
WANTED = json.loads(r"""@WANTED@""")
HERE, UNIT, BINARY = "/usr/local/lib/stackreeve-etcd", "/etc/systemd/system/stackreeve-etcd.service", "/usr/local/bin/stackreeve-etcd"
CLIENTS, PEERS = 2379, 2380


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def install():
    """The script becomes a service, which is started again whenever it ends."""
    os.makedirs("/usr/local/lib", exist_ok=True)
    shutil.copyfile(os.path.realpath(__file__), HERE)
    os.chmod(HERE, 0o755)
    with open(UNIT, "w") as f:
        f.write("[Unit]\nDescription=etcd, kept by stackreeve\nAfter=network.target\n[Service]\nExecStart=%s\nRestart=always\nRestartSec=1\n"
                "LimitNOFILE=65536\n[Install]\nWantedBy=multi-user.target\n" % HERE)
    run("systemctl", "daemon-reload")
    run("systemctl", "enable", "--now", "--no-block", os.path.basename(UNIT))


def fetch():
    """etcd itself: a binary or an archive at an address, or Debian's package."""
    mark = BINARY + ".version"
    if os.path.exists(mark) and open(mark).read() == WANTED["version"]:
        return
    if not WANTED["from"]:
        run("apt-get", "update")
        run("apt-get", "install", "-y", "--no-install-recommends", "etcd-server")
        subprocess.run(("systemctl", "disable", "--now", "etcd"), check=False)
        data = open(shutil.which("etcd"), "rb").read()
    else:
        machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
        address = WANTED["from"].replace("{version}", WANTED["version"]).replace("{arch}", machine)
        with urllib.request.urlopen(address, timeout=300) as answer:
            data = answer.read()
        digest = hashlib.sha256(data).hexdigest()
        if WANTED["sha256"] and digest != WANTED["sha256"]:
            raise RuntimeError("%s has the SHA-256 digest %s, not %s" % (address, digest, WANTED["sha256"]))
        if data[:2] == b"\x1f\x8b":
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                entry = next(e for e in archive if e.isfile() and os.path.basename(e.name) == "etcd")
                data = archive.extractfile(entry).read()
    with open(BINARY + ".new", "wb") as f:
        f.write(data)
    os.chmod(BINARY + ".new", 0o755)
    os.rename(BINARY + ".new", BINARY)
    got = subprocess.run((BINARY, "--version"), capture_output=True, text=True).stdout.splitlines()[0].split()[-1]
    if got != WANTED["version"]:
        raise RuntimeError("etcd is of version %s, and %s is wanted" % (got, WANTED["version"]))
    with open(mark, "w") as f:
        f.write(got)


def find_data():
    """Where the data is: on the data volume, which gets a file system when it is used for the first time; on the root disk without one."""
    if not WANTED["volume"]:
        return "/var/lib/stackreeve-etcd"
    for place in sorted(glob.glob("/volumes/*")):  # where the platform mounts volumes itself
        return place
    place = "/var/lib/stackreeve-etcd"
    os.makedirs(place, exist_ok=True)
    if os.path.ismount(place):
        return place
    label = "stackreeve-etcd"
    found = subprocess.run(("blkid", "-L", label), capture_output=True, text=True).stdout.strip()
    if not found:
        disks = json.loads(subprocess.run(("lsblk", "--json", "--paths", "-o", "NAME,TYPE,FSTYPE"), capture_output=True, text=True, check=True).stdout)
        blank = [d["name"] for d in disks["blockdevices"] if d["type"] == "disk" and not d["fstype"] and not d.get("children")]
        if not blank:
            raise RuntimeError("there is no data volume yet")
        run("mkfs.ext4", "-q", "-L", label, blank[0])
        found = blank[0]
    run("mount", found, place)
    return place


def refusal(data):
    """Why this version must not open the data; "" when it may. etcd goes up one minor version at a time, and never down."""
    try:
        was = open(os.path.join(data, "version")).read().strip()
    except FileNotFoundError:
        return ""
    before, now = ([int(n) for n in v.split(".")[:2]] for v in (was, WANTED["version"]))
    if before[0] == now[0] and now[1] - before[1] in (0, 1):
        return ""
    return "its data is of etcd %s, which %s must not open: etcd goes up one minor version at a time, and never down" % (was, WANTED["version"])


class Room(http.server.BaseHTTPRequestHandler):
    """What is said while etcd does not run."""
    state, message, asked = "blank", "", threading.Event()

    def do_GET(self):
        self.answer()

    def do_POST(self):
        if self.path == "/stackreeve/waiting" and self.state == "blank":
            Room.state = "begins"
            self.asked.set()
        self.answer()

    def answer(self):
        body = json.dumps({"state": self.state, "message": self.message}).encode()
        self.send_response(200 if self.path == "/stackreeve/waiting" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def ask(peer, what):
    request = urllib.request.Request("http://%s:%d/v3/%s" % (peer, CLIENTS, what), b"{}", {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=3) as answer:
        return json.load(answer)


def invited():
    """The members of the cluster that this machine was made a member of, by their peer addresses; None while there is no such."""
    mine = "http://%s:%d" % (ME["address"], PEERS)
    for peer in ME["peers"]:
        if peer == ME["address"]:
            continue
        try:
            members = ask(peer, "cluster/member/list")["members"]
        except Exception:
            continue
        if any(mine in m["peerURLs"] and not m.get("name") for m in members):
            return {url: m.get("name") or ME["name"] for m in members for url in m["peerURLs"]}
    return None


def expelled():
    """Whether a cluster that works says that this machine is no member, or is one again and has not started yet: then data that is
    here is of a membership that has ended."""
    mine = "http://%s:%d" % (ME["address"], PEERS)
    for peer in ME["peers"]:
        if peer == ME["address"]:
            continue
        try:
            if int(ask(peer, "maintenance/status").get("leader", 0)) == 0:
                continue
            members = ask(peer, "cluster/member/list")["members"]
        except Exception:
            continue
        return not any(mine in m["peerURLs"] and m.get("name") for m in members)
    return False


def wait(data):
    """Ends when there is something to begin or to join: the members, and etcd's word for the state of the cluster."""
    room = http.server.ThreadingHTTPServer((ME["address"], CLIENTS), Room)
    threading.Thread(target=room.serve_forever, daemon=True).start()
    try:
        Room.message = refusal(data)
        if Room.message:
            Room.state = "refuses"
            say(Room.message)
            threading.Event().wait()
        while True:
            if Room.asked.wait(1):
                return {"http://%s:%d" % (ME["address"], PEERS): ME["name"]}, "new"
            members = invited()
            if members:
                return members, "existing"
    finally:
        room.shutdown()
        room.server_close()


def main():
    if os.path.realpath(__file__) != HERE:
        return install()
    fetch()
    data = find_data()
    members, state = {}, "existing"
    if os.path.isdir(os.path.join(data, "member")) and expelled():
        say("this machine is no member any more; its data is put aside")
        aside = os.path.join(data, "ended")
        shutil.rmtree(aside, ignore_errors=True)
        os.rename(os.path.join(data, "member"), aside)
        if os.path.exists(os.path.join(data, "version")):
            os.remove(os.path.join(data, "version"))
    if refusal(data) or not os.path.isdir(os.path.join(data, "member")):
        members, state = wait(data)
    with open(os.path.join(data, "version.new"), "w") as f:
        f.write(WANTED["version"])
    os.rename(os.path.join(data, "version.new"), os.path.join(data, "version"))
    address = "http://%s:" % ME["address"]
    os.environ.update(WANTED["env"])
    os.execv(BINARY, [BINARY, "--name", ME["name"], "--data-dir", data,
                      "--listen-peer-urls", address + str(PEERS), "--initial-advertise-peer-urls", address + str(PEERS),
                      "--listen-client-urls", address + str(CLIENTS) + ",http://127.0.0.1:" + str(CLIENTS), "--advertise-client-urls", address + str(CLIENTS),
                      "--initial-cluster", ",".join("%s=%s" % (name, url) for url, name in sorted(members.items())),
                      "--initial-cluster-state", state, "--initial-cluster-token", WANTED["cluster"]])


main()
