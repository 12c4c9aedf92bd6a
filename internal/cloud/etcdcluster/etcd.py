#!/usr/bin/python3
# Runs etcd on this machine. A machine without data waits, on the port for clients, until it is asked to begin a
# cluster, or until it was made a member of one; one with data only ever starts etcd on that. What it is and
# who its peers are was written when the machine was created.
import base64, glob, hashlib, http.server, io, json, os, platform, re, shutil, socket, ssl, subprocess, sys, tarfile, threading, urllib.request

ME = json.loads("""{"name": "{{name}}", "address": "{{address}}", "peers": [{{#peers}}"{{address}}"{{^last}}, {{/last}}{{/peers}}]}""")
WANTED = json.loads(r"""@WANTED@""")
GIVEN = "@GIVEN@"  # what is secret, in base64
HERE, UNIT, BINARY = "/usr/local/lib/stackreeve-etcd", "/etc/systemd/system/stackreeve-etcd.service", "/usr/local/bin/stackreeve-etcd"
CLIENTS, PEERS = 2379, 2380
TLS, KEYS = WANTED.get("tls"), "/var/lib/stackreeve-etcd-keys"


def at(address, port):
    return ("https" if TLS else "http") + "://%s:%d" % ("[%s]" % address if ":" in address else address, port)


MINE = at(ME["address"], PEERS)


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def install():
    """The script becomes a service, which is started again whenever it ends."""
    os.makedirs("/usr/local/lib", exist_ok=True)
    shutil.copyfile(os.path.realpath(__file__), HERE)
    os.chmod(HERE, 0o700)  # with what is secret
    with open(UNIT, "w") as f:
        f.write("[Unit]\nDescription=etcd, kept by stackreeve\nAfter=network.target\n[Service]\nExecStart=%s\nRestart=always\nRestartSec=1\n"
                "LimitNOFILE=65536\n[Install]\nWantedBy=multi-user.target\n" % HERE)
    run("systemctl", "daemon-reload")
    run("systemctl", "enable", "--now", "--no-block", os.path.basename(UNIT))


def files(use):
    """Where the certificate, the key and the authorities are, for peers or as a server; they are written there, for nobody else to read."""
    os.makedirs(KEYS, mode=0o700, exist_ok=True)
    given, (name, *entries) = json.loads(base64.b64decode(GIVEN)), TLS[use]
    paths = [os.path.join(KEYS, "%s.%s" % (use, what)) for what in ("crt", "key", "ca")]
    for path, entry in zip(paths, entries):
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
            f.write(given[name][entry])
    return paths


def context(purpose):
    """How this machine serves clients, or asks others: with its certificate, and nobody whose authority it does not trust."""
    if not TLS:
        return None
    crt, key, ca = files("server")
    made = ssl.SSLContext(purpose)
    made.load_cert_chain(crt, key)
    made.load_verify_locations(ca)
    made.verify_mode = ssl.CERT_REQUIRED
    return made


def settings():
    """What etcd is told of TLS."""
    told = []
    for use, prefix in (("peer", "peer-"), ("server", "")) if TLS else ():
        crt, key, ca = files(use)
        told += ["--%scert-file" % prefix, crt, "--%skey-file" % prefix, key, "--%strusted-ca-file" % prefix, ca, "--%sclient-cert-auth" % prefix]
    return told


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
    run("udevadm", "settle")
    disk = data_disk()
    found = subprocess.run(("blkid", "-p", "-s", "LABEL", "-o", "value", disk), capture_output=True, text=True)
    if found.returncode == 2:  # nothing at all is on it
        run("mkfs.ext4", "-q", "-L", LABEL, disk)
    elif found.returncode or found.stdout.strip() != LABEL:
        raise RuntimeError("the volume %s holds something else than data of etcd; empty it, or take another one" % disk)
    run("mount", disk, place)
    return place


LABEL = "stackreeve-etcd"
# A volume shows its ID, or the first 20 characters of it, as its serial number. Other disks of a machine have none.
VOLUME = re.compile(r"/(virtio-|scsi-0QEMU_QEMU_HARDDISK_)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]*$")


def data_disk(names="/dev/disk/by-id/*"):
    """The machine's only volume besides one that it has booted from, which has partitions."""
    volumes = sorted({os.path.realpath(n) for n in glob.glob(names) if VOLUME.search(n) and not glob.glob(n + "-part*")})
    if not volumes:
        raise RuntimeError("there is no data volume yet")
    if len(volumes) > 1:
        raise RuntimeError("there are several volumes, and it is not known which one is for data: " + ", ".join(volumes))
    return volumes[0]


def refusal(data):
    """Why this version must not open the data; "" when it may. etcd goes up one minor version at a time, and never down."""
    was = read(os.path.join(data, "version"))
    if not was:
        return ""
    before, now = ([int(n) for n in v.split(".")[:2]] for v in (was, WANTED["version"]))
    if before[0] == now[0] and now[1] - before[1] in (0, 1):
        return ""
    return "its data is of etcd %s, which %s must not open: etcd goes up one minor version at a time, and never down" % (was, WANTED["version"])


class Room(http.server.BaseHTTPRequestHandler):
    """What is said while etcd does not run."""
    state, message, asked, timeout = "blank", "", threading.Event(), 10

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


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    address_family = socket.AF_INET6 if ":" in ME["address"] else socket.AF_INET

    def handle_error(self, *_):
        """Whoever has no certificate gets no answer, and no line in the log."""


def ask(peer, what, body):
    request = urllib.request.Request("%s/v3/%s" % (at(peer, CLIENTS), what), json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=3, context=context(ssl.PROTOCOL_TLS_CLIENT)) as answer:
        return json.load(answer)


def members():
    """The members as each peer knows them that has asked the others just now: what a majority has decided before is in it."""
    for peer in ME["peers"]:
        if peer == ME["address"]:
            continue
        try:
            ask(peer, "kv/range", {"key": "AA=="})  # is answered by those only that have caught up with the majority
            yield ask(peer, "cluster/member/list", {"linearizable": True})["members"]
        except Exception:
            continue


def write(path, text):
    with open(path + ".new", "w") as f:
        f.write(text)
        f.flush()
        os.fsync(f.fileno())
    os.rename(path + ".new", path)


def read(path):
    try:
        return open(path).read().strip()
    except FileNotFoundError:
        return ""


def invited():
    """The members of the cluster that this machine was made a member of, by their peer addresses, and the ID of the membership; None
    while there is no such."""
    for those in members():
        for me in those:
            if MINE in me["peerURLs"] and not me.get("name"):
                return {url: m.get("name") or ME["name"] for m in those for url in m["peerURLs"]}, me["ID"]
    return None


def expelled(data):
    """Whether a cluster that works says that the membership that the data is of has ended. Its ID is beside the data; data without one
    is of a machine that began the cluster, and has published its name before there were others."""
    mark = os.path.join(data, "id")
    known = read(mark)
    for those in members():
        if known:
            return all(m["ID"] != known for m in those)
        for me in those:
            if MINE in me["peerURLs"] and me.get("name"):
                write(mark, me["ID"])
                return False
        return True
    return False


def put_aside(data):
    say("this machine is no member any more; its data is put aside")
    aside = os.path.join(data, "ended")
    shutil.rmtree(aside, ignore_errors=True)
    os.rename(os.path.join(data, "member"), aside)
    for name in ("version", "id"):
        if os.path.exists(os.path.join(data, name)):
            os.remove(os.path.join(data, name))


def wait(data):
    """Ends when there is something to begin or to join: the members, the ID of the membership where it is known, and etcd's word for the
    state of the cluster."""
    room = Server((ME["address"], CLIENTS), Room)
    if TLS:  # each connection begins to talk in a thread of its own
        room.socket = context(ssl.PROTOCOL_TLS_SERVER).wrap_socket(room.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=room.serve_forever, daemon=True).start()
    try:
        Room.message = refusal(data)
        if Room.message:
            Room.state = "refuses"
            say(Room.message)
            threading.Event().wait()
        while True:
            if Room.asked.wait(1):
                return {MINE: ME["name"]}, "", "new"
            invitation = invited()
            if invitation:
                return *invitation, "existing"
    finally:
        room.shutdown()
        room.server_close()


def main():
    if os.path.realpath(__file__) != HERE:
        return install()
    fetch()
    data = find_data()
    there, state = {}, "existing"
    if os.path.isdir(os.path.join(data, "member")) and expelled(data):
        put_aside(data)
    if refusal(data) or not os.path.isdir(os.path.join(data, "member")):
        there, known, state = wait(data)
        write(os.path.join(data, "id"), known)
    write(os.path.join(data, "version"), WANTED["version"])
    os.environ.update(WANTED["env"])
    os.execv(BINARY, [BINARY, "--name", ME["name"], "--data-dir", data,
                      "--listen-peer-urls", MINE, "--initial-advertise-peer-urls", MINE,
                      "--listen-client-urls", at(ME["address"], CLIENTS) + "," + at("127.0.0.1", CLIENTS), "--advertise-client-urls", at(ME["address"], CLIENTS),
                      "--initial-cluster", ",".join("%s=%s" % (name, url) for url, name in sorted(there.items())),
                      "--initial-cluster-state", state, "--initial-cluster-token", WANTED["cluster"], *settings()])


main()
