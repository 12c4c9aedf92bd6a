#!/usr/bin/python3
# Runs etcd on this machine. A machine without data waits, on the port for clients, until it is asked to begin a
# cluster, or until it was made a member of one; one with data only ever starts etcd on that. What it is and
# who its peers are was written when the machine was created.
import base64, glob, hashlib, http.client, http.server, io, json, os, platform, re, shutil, socket, ssl, subprocess, sys, tarfile, threading, time, urllib.parse, urllib.request

ME = json.loads("""{"name": "{{name}}", "address": "{{address}}", "peers": [{{#peers}}"{{address}}"{{^last}}, {{/last}}{{/peers}}]}""")
WANTED = json.loads(r"""@WANTED@""")
GIVEN = "@GIVEN@"  # what is secret, in base64
HERE, UNIT, BINARY = "/usr/local/lib/stackreeve-etcd", "/etc/systemd/system/stackreeve-etcd.service", "/usr/local/bin/stackreeve-etcd"
CLIENTS, PEERS = 2379, 2380
TLS, KEYS = WANTED.get("tls"), "/var/lib/stackreeve-etcd-keys"


def at(address, port):
    return ("https" if TLS else "http") + "://%s:%d" % ("[%s]" % address if ":" in address else address, port)


MINE = at(ME["address"], PEERS)


@BOOT@

def install():
    """The script becomes a service, which is started again whenever it ends, however often, as on a disk that is full."""
    os.makedirs("/usr/local/lib", exist_ok=True)
    shutil.copyfile(os.path.realpath(__file__), HERE)
    os.chmod(HERE, 0o700)  # with what is secret
    with open(UNIT, "w") as f:
        f.write("[Unit]\nDescription=etcd, kept by stackreeve\nAfter=network.target\nStartLimitIntervalSec=0\n[Service]\nExecStart=%s\nRestart=always\nRestartSec=1\n"
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
        data = downloaded()
        data = unpacked(data, "etcd") or data
    put(BINARY, data)
    got = subprocess.run((BINARY, "--version"), capture_output=True, text=True).stdout.splitlines()[0].split()[-1]
    if got != WANTED["version"]:
        raise RuntimeError("etcd is of version %s, and %s is wanted" % (got, WANTED["version"]))
    with open(mark, "w") as f:
        f.write(got)


def put(path, data):
    """A program."""
    with open(path + ".new", "wb") as f:
        f.write(data)
    os.chmod(path + ".new", 0o755)
    os.rename(path + ".new", path)


def unpacked(data, name):
    """A program in an archive; None where there is none such, or no archive."""
    if data[:2] != b"\x1f\x8b":
        return None
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        entry = next((e for e in archive if e.isfile() and os.path.basename(e.name) == name), None)
        return archive.extractfile(entry).read() if entry else None


def tool():
    """The program of etcd that restores snapshots: etcdutl, or etcdctl before there was that."""
    if WANTED["from"]:
        data = downloaded()
        for name in "etcdutl", "etcdctl":
            program = unpacked(data, name)
            if program:
                put(BINARY + "-" + name, program)
                return BINARY + "-" + name
    elif not shutil.which("etcdutl") and not shutil.which("etcdctl"):
        run("apt-get", "install", "-y", "--no-install-recommends", "etcd-client")
    found = shutil.which("etcdutl") or shutil.which("etcdctl")
    if not found:
        raise RuntimeError("there is no etcdutl and no etcdctl, which restore snapshots: name an archive with one of them as the repository")
    return found


def options(program, environment):
    """What a program says that it takes for restoring, wherever it says so."""
    said = subprocess.run((program, "snapshot", "restore", "--help"), capture_output=True, text=True, env=environment)
    return said.stdout + said.stderr


def find_data():
    """Where the data is: on the data volume, which gets a file system when it is used for the first time; on the root disk without one."""
    for mounted in sorted(glob.glob("/volumes/*")) if WANTED["volume"] else ():  # where the platform mounts volumes itself
        return mounted
    place = OWN
    os.makedirs(place, exist_ok=True)
    if not WANTED["volume"] or os.path.ismount(place):
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


LABEL, OWN = "stackreeve-etcd", "/var/lib/stackreeve-etcd"
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
    """Why this version must not open the data; "" when it may. etcd goes up one minor version at a time, and never down, and to 3.6 from
    3.5.26 or newer only, before which what is stored of members can be wrong for it."""
    was = read(os.path.join(data, "version"))
    if not was:
        return ""
    before, now = ([int(n) for n in v.split(".")[:3]] for v in (was, WANTED["version"]))
    if [3, 5] <= before < [3, 5, 26] and now[:2] == [3, 6]:
        return "its data is of etcd %s, which %s must not open: 3.6 follows 3.5.26 or newer" % (was, WANTED["version"])
    if before[0] == now[0] and now[1] - before[1] in (0, 1):
        return ""
    return "its data is of etcd %s, which %s must not open: etcd goes up one minor version at a time, and never down" % (was, WANTED["version"])


SUM, PART, LARGEST = re.compile("[0-9a-f]{64}"), 8 << 20, 5 << 30


class Snapshot:
    """What the agent sends, part by part, for a cluster to begin with. It is in a folder beside the data, which there is from the first part on:
    a machine with it never begins a cluster without a snapshot, whenever it was interrupted."""

    def __init__(self, data):
        self.data, self.folder, self.lock, self.trouble = data, os.path.join(data, "restore"), threading.Lock(), ""

    def at(self, name):
        return os.path.join(self.folder, name)

    def there(self):
        return os.path.isdir(self.folder)

    def unfit(self):
        return read(self.at("unfit"))

    def received(self):
        return os.path.getsize(self.at("data")) if os.path.exists(self.at("data")) else 0

    def whole(self, wanted):
        return read(self.at("sum")) == wanted and read(self.at("size")) == str(self.received()) and not self.unfit()

    def take(self, wanted, size, start, part):
        """Another snapshot is begun from its beginning; what does not follow what is there is left out."""
        if not SUM.fullmatch(wanted) or not 0 < size <= LARGEST:
            return
        os.makedirs(self.folder, exist_ok=True)
        if read(self.at("sum")) != wanted or read(self.at("size")) != str(size):
            for name in "sum", "unfit", "data":
                if os.path.exists(self.at(name)):
                    os.remove(self.at(name))
            write(self.at("size"), str(size))
            write(self.at("sum"), wanted)
        if start == self.received() and start + len(part) <= size:
            with open(self.at("data"), "ab") as f:
                f.write(part)
                f.flush()
                os.fsync(f.fileno())

    def restore(self):
        """Makes data of it, which is there at once or not at all; whether it is."""
        digest = hashlib.sha256()
        with open(self.at("data"), "rb") as f:
            for part in iter(lambda: f.read(1 << 20), b""):
                digest.update(part)
        if digest.hexdigest() != read(self.at("sum")):
            write(self.at("unfit"), "what came has the SHA-256 digest %s" % digest.hexdigest())
            return False
        program, made = tool(), self.at("made")
        shutil.rmtree(made, ignore_errors=True)
        environment = dict(os.environ, ETCDCTL_API="3")
        command = [program, "snapshot", "restore", self.at("data"), "--data-dir", made, "--name", ME["name"], "--initial-cluster", "%s=%s" % (ME["name"], MINE),
                   "--initial-advertise-peer-urls", MINE, "--initial-cluster-token", WANTED["cluster"]]
        if "--bump-revision" in options(program, environment):
            command += ["--bump-revision", "1000000000", "--mark-compacted"]  # to clients that watch revisions never go back
        else:
            say("%s cannot raise revisions: restart clients that watch" % os.path.basename(program))
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
            write(self.at("unfit"), "%s cannot restore it: %s" % (os.path.basename(program), said[:300]))
            return False
        write(os.path.join(self.data, "version"), WANTED["version"])
        os.rename(os.path.join(made, "member"), os.path.join(self.data, "member"))
        return True


class Room(http.server.BaseHTTPRequestHandler):
    """What is said while etcd does not run, and done for who asks."""
    state, message, asked, timeout, snapshot = "blank", "", threading.Event(), 10, None

    def do_GET(self):
        self.answer()

    def do_POST(self):
        wanted = json.loads(self.body() or b"{}").get("snapshot", "")
        with Room.snapshot.lock:
            if self.path == "/stackreeve/waiting" and not self.asked.is_set() and (
                    Room.snapshot.whole(wanted) if wanted else self.now() == "blank"):
                Room.state = "restores" if wanted else "begins"
                self.asked.set()
        self.answer()

    def do_PUT(self):
        path, _, query = self.path.partition("?")
        asked, part = dict(urllib.parse.parse_qsl(query)), self.body()
        with Room.snapshot.lock:
            if path == "/stackreeve/waiting" and self.now() in ("blank", "receives", "unfit"):
                Room.snapshot.take(asked["sum"], int(asked["size"]), int(asked["from"]), part)
        self.answer()

    def body(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > PART:
            raise ValueError("a part of a snapshot is too large")
        return self.rfile.read(length)

    def now(self):
        if Room.state == "blank" and Room.snapshot.there():
            return "unfit" if Room.snapshot.unfit() else "receives"
        return Room.state

    def answer(self):
        s = Room.snapshot
        says = {"state": self.now(), "message": self.message or s.unfit() or s.trouble, "sum": read(s.at("sum")), "received": s.received()}
        body = json.dumps(says).encode()
        self.send_response(200 if self.path.partition("?")[0] == "/stackreeve/waiting" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def ask(peer, what, body):
    request = urllib.request.Request("%s/v3/%s" % (at(peer, CLIENTS), what), json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=3, context=context(ssl.PROTOCOL_TLS_CLIENT)) as answer:
        return json.load(answer)


def members():
    """The cluster's ID and its members as each peer knows them that has asked the others just now: what a majority has decided before is in it."""
    for peer in others():
        try:
            ask(peer, "kv/range", {"key": "AA=="})  # is answered by those only that have caught up with the majority
            said = ask(peer, "cluster/member/list", {"linearizable": True})
            yield said.get("header", {}).get("cluster_id", ""), said["members"]
        except Exception:
            continue


def others():
    return [peer for peer in ME["peers"] if peer != ME["address"]]


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
    """The members of the cluster that this machine was made a member of, by their peer addresses, the ID of the membership and that of the
    cluster; None while there is no such."""
    for cluster, those in members():
        for me in those:
            if MINE in me["peerURLs"] and not me.get("name"):
                return {url: m.get("name") or ME["name"] for m in those for url in m["peerURLs"]}, me["ID"], cluster
    return None


DOUBT = 180  # seconds for the others to come back that may know better


def expelled(data):
    """Whether the cluster says that the membership that the data is of has ended. One peer may lie, so more than half of the others have to
    say so; fewer are believed after a while if nobody contradicts and they are most of the members that there are, as where a cluster of one
    grows again. The ID is beside the data; data without one is of a machine that began the cluster, and has published its name before there
    were others."""
    known, until = read(os.path.join(data, "id")), time.monotonic() + DOUBT
    while True:
        there, ended = [], []
        for cluster, those in members():
            if cluster and read(os.path.join(data, "cluster")) not in ("", cluster):
                continue  # that is another one
            mine = [m["ID"] for m in those if (m["ID"] == known if known else MINE in m["peerURLs"] and m.get("name"))]
            if mine:
                there.append((mine[0], cluster))
            else:
                ended.append((cluster, sorted(m["ID"] for m in those if not m.get("isLearner"))))
        if 2 * len(ended) > len(others()):
            return True
        if there and 2 * len(there) > len(others()) and len(set(there)) == 1:
            for name, what in zip(("id", "cluster"), there[0]):
                if what and not read(os.path.join(data, name)):
                    write(os.path.join(data, name), what)
        if there or not ended:
            return False
        if time.monotonic() > until:
            return all(e == ended[0] for e in ended) and 2 * len(ended) > len(ended[0][1])
        time.sleep(1)


def begun(data):
    """Whether there is data. etcd makes a folder and an empty database before it asks others, and its log, all at once, when it goes on from there:
    a first start that did not get so far has promised nothing to anybody."""
    return os.path.isdir(os.path.join(data, "member", "wal"))


def forget(data):
    """Takes away what is noted beside data."""
    for name in ("version", "id", "cluster"):
        if os.path.exists(os.path.join(data, name)):
            os.remove(os.path.join(data, name))


def clear(data):
    """Has a machine without data wait as one whose disk is empty. The first of such leftovers stays, for people: it may be what is left of data."""
    member, aside = os.path.join(data, "member"), os.path.join(data, "unbegun")
    if os.path.isdir(member) and not os.path.exists(aside):
        os.rename(member, aside)
    shutil.rmtree(member, ignore_errors=True)
    forget(data)


ENDED = 3  # folders with data of memberships that have ended, of which the oldest goes


def put_aside(data):
    say("this machine is no member any more; its data is put aside")
    aside = [os.path.join(data, "ended" + (".%d" % n if n else "")) for n in range(ENDED)]
    free = next((n for n, folder in enumerate(aside) if not os.path.exists(folder)), ENDED - 1)
    shutil.rmtree(aside[free], ignore_errors=True)
    for n in range(free, 0, -1):
        os.rename(aside[n - 1], aside[n])
    os.rename(os.path.join(data, "member"), aside[0])
    forget(data)


def restored(snapshot):
    """Whether there is data of a snapshot now; else what is in the way is said to who asks."""
    try:
        snapshot.trouble = ""
        return snapshot.restore()
    except Exception as failed:
        snapshot.trouble = str(failed)
        say(snapshot.trouble)
        return False


def wait(data):
    """Ends when there is something to begin or to join: the members, the IDs of the membership and of the cluster where they are known, and
    etcd's word for the state of the cluster."""
    Room.snapshot = Snapshot(data)
    room = serve(CLIENTS, Room, context(ssl.PROTOCOL_TLS_SERVER))
    try:
        Room.message = refusal(data)
        if Room.message:
            Room.state = "refuses"
            say(Room.message)
            threading.Event().wait()
        while True:
            if Room.asked.wait(1):
                if Room.state == "begins" or restored(Room.snapshot):
                    return {MINE: ME["name"]}, "", "", "new"
                Room.state = "blank"
                Room.asked.clear()
            invitation = invited()
            if invitation:
                return *invitation, "existing"
    finally:
        close(room)


def prepare():
    """etcd, and its data: where that is."""
    fetch()
    data = find_data()
    if begun(data) and expelled(data):
        put_aside(data)
    if not begun(data):
        clear(data)
    return data


def main():
    if os.path.realpath(__file__) != HERE:
        return install()
    data = prepared(CLIENTS, prepare, context(ssl.PROTOCOL_TLS_SERVER))
    there, state = {}, "existing"
    if refusal(data) or not begun(data):
        there, known, cluster, state = wait(data)
        write(os.path.join(data, "id"), known)
        write(os.path.join(data, "cluster"), cluster)
    write(os.path.join(data, "version"), WANTED["version"])
    shutil.rmtree(os.path.join(data, "restore"), ignore_errors=True)
    os.environ.update(WANTED["env"])
    os.execv(BINARY, [BINARY, "--name", ME["name"], "--data-dir", data,
                      "--listen-peer-urls", MINE, "--initial-advertise-peer-urls", MINE,
                      "--listen-client-urls", at(ME["address"], CLIENTS) + "," + at("127.0.0.1", CLIENTS), "--advertise-client-urls", at(ME["address"], CLIENTS),
                      "--initial-cluster", ",".join("%s=%s" % (name, url) for url, name in sorted(there.items())),
                      "--initial-cluster-state", state, "--initial-cluster-token", WANTED["cluster"], *settings()])


main()
