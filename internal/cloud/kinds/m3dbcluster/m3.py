#!/usr/bin/python3
# Runs M3DB on this machine, with the coordinator that is in it. What the machine is and where etcd is was written when it was created;
# which disk its data is on is part of what the others know it by, so a machine with another disk is never taken for the one before.
import base64, glob, hashlib, http.client, http.server, io, json, os, platform, re, shutil, socket, subprocess, sys, tarfile, threading, time, urllib.request

ME = json.loads("""{"name": "{{name}}", "address": "{{address}}", "etcd": [@ETCD@]}""")
WANTED = json.loads(r"""@WANTED@""")
GIVEN = "@GIVEN@"  # what is secret, in base64
HERE, UNIT, BINARY = "/usr/local/lib/stackreeve-m3", "/etc/systemd/system/stackreeve-m3.service", "/usr/local/bin/stackreeve-m3dbnode"
DATA, CACHE, CONFIG, IDENTITY = "/var/lib/m3db", "/var/lib/m3kv", "/etc/m3db/m3.yml", "/etc/m3db/pod-identity/identity"
KEYS = "/etc/m3db/etcd"
COORDINATOR, NODE, OWN, OWN_PORTS = 7201, 9000, 9100, 800
LABEL = "stackreeve-m3db"


@BOOT@

def write(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as f:
        f.write(data)
    os.chmod(path + ".new", mode)
    os.rename(path + ".new", path)


def install():
    """The script becomes a service, which is started again whenever it ends."""
    os.makedirs("/usr/local/lib", exist_ok=True)
    shutil.copyfile(os.path.realpath(__file__), HERE)
    os.chmod(HERE, 0o700)  # with what is secret
    write(UNIT, ("[Unit]\nDescription=M3DB, kept by stackreeve\nAfter=network.target\n[Service]\nExecStart=%s\nRestart=always\nRestartSec=5\n"
                 "LimitNOFILE=3000000\n[Install]\nWantedBy=multi-user.target\n" % HERE).encode())
    write("/etc/sysctl.d/60-stackreeve-m3.conf", b"vm.max_map_count=3000000\nvm.swappiness=1\nfs.file-max=3000000\nfs.nr_open=3000000\n")
    subprocess.run(("sysctl", "--system"), check=False, stdout=subprocess.DEVNULL)
    run("systemctl", "daemon-reload")
    run("systemctl", "enable", "--now", "--no-block", os.path.basename(UNIT))


def fetch():
    """M3DB itself: a binary or an archive at an address."""
    mark = BINARY + ".version"
    if os.path.exists(mark) and open(mark).read() == WANTED["version"]:
        return
    data = downloaded()
    if data[:2] == b"\x1f\x8b":
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            entry = next(e for e in archive if e.isfile() and os.path.basename(e.name) == "m3dbnode")
            data = archive.extractfile(entry).read()
    write(BINARY, data, 0o755)
    write(mark, WANTED["version"].encode())


# A volume shows its ID, or the first 20 characters of it, as its serial number. Other disks of a machine have none.
VOLUME = re.compile(r"/(?:virtio-|scsi-0QEMU_QEMU_HARDDISK_)([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]*$")


def data_disk(names="/dev/disk/by-id/*"):
    """The machine's only volume besides one that it has booted from, which has partitions, and how its ID begins."""
    found = {}
    for name in glob.glob(names):
        volume = VOLUME.search(name)
        if volume and not glob.glob(name + "-part*"):
            found[os.path.realpath(name)] = volume.group(1)
    if not found:
        raise RuntimeError("there is no data volume yet")
    if len(found) > 1:
        raise RuntimeError("there are several volumes, and it is not known which one is for data: " + ", ".join(sorted(found)))
    return next(iter(found.items()))


def find_data():
    """Mounts the data volume, which gets a file system when it is used for the first time; says where, and how its ID begins."""
    for place in sorted(glob.glob("/volumes/*")):  # where the platform mounts volumes itself, by their IDs
        return place, os.path.basename(place)[:8]
    run("udevadm", "settle")
    disk, volume = data_disk()
    os.makedirs(DATA, exist_ok=True)
    if not os.path.ismount(DATA):
        found = subprocess.run(("blkid", "-p", "-s", "LABEL", "-o", "value", disk), capture_output=True, text=True)
        if found.returncode == 2:  # nothing at all is on it
            run("mkfs.ext4", "-q", "-L", LABEL, disk)
        elif found.returncode or found.stdout.strip() != LABEL:
            raise RuntimeError("the volume %s holds something else than data of M3DB; empty it, or take another one" % disk)
        run("mount", disk, DATA)
    return DATA, volume


def own_port(identity):
    """Where others find this node: at another port with each disk, so that it never takes itself for the node whose disk is lost."""
    return OWN + int(hashlib.sha256(identity.encode()).hexdigest()[:8], 16) % OWN_PORTS


def keys():
    """The files with what etcd is shown and whom to trust, for nobody else to read; none without TLS."""
    if not WANTED["tls"]:
        return {}
    given, (name, *entries) = json.loads(base64.b64decode(GIVEN)), WANTED["tls"]
    files = {"crtPath": KEYS + "/client.crt", "keyPath": KEYS + "/client.key", "caCrtPath": KEYS + "/ca.crt"}
    for path, entry in zip(files.values(), entries):
        write(path, given[name][entry].encode(), 0o600)
    return {"tls": files}


def config(identity, data):
    """What m3dbnode reads. JSON is YAML."""
    shown = keys()
    if WANTED["config"]:
        return WANTED["config"]
    anywhere = "[::]:%d" if ":" in ME["address"] else "0.0.0.0:%d"
    members = WANTED["etcd"] or ["%s://%s:2379" % ("https" if shown else "http", "[%s]" % a if ":" in a else a) for a in ME["etcd"]]
    etcd = {"zone": WANTED["zone"], "endpoints": members, **shown}
    found = {"service": "m3db", "env": WANTED["env"], "zone": WANTED["zone"], "cacheDir": CACHE, "etcdClusters": [etcd]}
    return json.dumps({
        "coordinator": {"listenAddress": anywhere % COORDINATOR},
        "db": {
            "hostID": {"resolver": "config", "value": identity},
            "listenAddress": anywhere % own_port(identity), "clusterListenAddress": anywhere % (NODE + 1), "httpNodeListenAddress": anywhere % (NODE + 2),
            "httpClusterListenAddress": anywhere % (NODE + 3), "debugListenAddress": anywhere % (NODE + 4),
            "filesystem": {"filePathPrefix": data},
            "discovery": {"type": "config", "config": {"services": [{"service": found}]}},
        },
    }, indent=1)


def prepare():
    """M3DB, and its data."""
    fetch()
    return find_data()


def main():
    if os.path.realpath(__file__) != HERE:
        return install()
    data, volume = prepared(COORDINATOR, prepare)
    identity = "%s.%s@%s" % (ME["name"], volume, ME["address"])
    os.makedirs(CACHE, exist_ok=True)
    write(IDENTITY, identity.encode())
    write(CONFIG, config(identity, data).encode())
    os.execv(BINARY, [BINARY, "-f", CONFIG])


main()
