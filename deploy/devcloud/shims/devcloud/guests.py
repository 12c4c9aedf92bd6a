"""Small real machines: each is a container with its own systemd, cloud-init, network namespace and disk. They are shared by all
fake hosts, outlive the nova-compute that started them, and end with `down`: run/guest-ID.pid is like any daemon's."""
import base64
import json
import os
import shutil
import signal
import subprocess
import time

from oslo_concurrency import lockutils

STATE = os.environ['DEVCLOUD_STATE']
TREE = os.environ.get('DEVCLOUD_GUEST_TREE', '')
HOST_ADDRESS = '169.254.77.1'   # how machines see this one


def wanted(instance):
    """Whether a server is to be a real machine: its image says so."""
    return bool(TREE) and instance.system_metadata.get('image_devcloud_guest') == '1'


def ip(*arguments, check=True):
    done = subprocess.run(('ip',) + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and done.returncode:
        raise RuntimeError('ip %s: %s' % (' '.join(arguments), done.stdout.strip()))


# One at a time, on all hosts: bridges come with the first of their machines and go with the last.
alone = lockutils.synchronized('guests', external=True, lock_path=os.path.join(STATE, 'run'))


def start_time(pid):
    try:
        with open('/proc/%d/stat' % pid) as f:
            fields = f.read().rsplit(') ', 1)[1].split()
    except (OSError, IndexError):
        return None
    return None if fields[0] == 'Z' else fields[19]


def descendants(pid):
    """A process and all that it has begun, the last ones first."""
    children = {}
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/stat' % name) as f:
                parent = int(f.read().rsplit(') ', 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return reversed(found)


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Guest:
    """The machine of a server, by the server's ID."""

    def __init__(self, uuid):
        self.uuid = uuid
        self.folder = os.path.join(STATE, 'guests', uuid)
        self.pid_file = os.path.join(STATE, 'run', 'guest-%s.pid' % uuid)
        self.namespace = 'dcg-' + uuid

    def exists(self):
        return os.path.isdir(self.folder)

    def pid(self):
        """The process that runs it, or None: a machine may have powered itself off."""
        try:
            with open(self.pid_file) as f:
                pid, started = f.read().split()
        except (OSError, ValueError):
            return None
        return int(pid) if start_time(int(pid)) == started else None

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as f:
            f.write(text)

    def seed(self, instance):
        """What cloud-init reads instead of a metadata service."""
        meta = {'instance-id': instance.uuid, 'local-hostname': instance.hostname}
        if instance.key_data:
            meta['public-keys'] = [instance.key_data]
        seed = 'upper/var/lib/cloud/seed/nocloud/'
        self.write(seed + 'meta-data', json.dumps(meta))
        data = base64.b64decode(instance.user_data or '').decode('utf-8', 'surrogateescape')
        self.write(seed + 'user-data', data or '#cloud-config\n{}\n')

    @alone
    def plug(self, network_info):
        """A namespace with an interface for each port, on a bridge for each network, and a route to each address."""
        self.remove_network()
        # Written first: what is made in part can be removed.
        self.write('network.json', json.dumps([
            [fixed['address'], 'dcb' + vif['network']['id'][:11], 'dcv' + vif['id'][:11]]
            for vif in network_info or [] for subnet in vif['network']['subnets']
            if subnet['version'] == 4 for fixed in subnet['ips']]))
        self.write('addresses', ' '.join(fixed['address'] for vif in network_info or []
                                         for subnet in vif['network']['subnets'] for fixed in subnet['ips']))
        ip('netns', 'add', self.namespace)
        ip('-n', self.namespace, 'link', 'set', 'lo', 'up')
        for number, vif in enumerate(network_info or []):
            bridge, here, there = 'dcb' + vif['network']['id'][:11], 'dcv' + vif['id'][:11], 'eth%d' % number
            ip('link', 'add', bridge, 'type', 'bridge', check=False)     # it may be there
            ip('addr', 'add', HOST_ADDRESS + '/32', 'dev', bridge, check=False)
            ip('link', 'set', bridge, 'up')
            ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'address', vif['address'], 'netns', self.namespace)
            ip('link', 'set', here, 'master', bridge, 'up')
            ip('-n', self.namespace, 'link', 'set', there, 'up')
            for subnet in vif['network']['subnets']:
                if subnet['version'] != 4:
                    continue
                for fixed in subnet['ips']:
                    ip('-n', self.namespace, 'addr', 'add', '%s/%s' % (fixed['address'], subnet['cidr'].split('/')[1]), 'dev', there)
                    # Fails where another network has a machine of the same address.
                    ip('route', 'add', fixed['address'] + '/32', 'dev', bridge, 'src', HOST_ADDRESS)
            ip('-n', self.namespace, 'route', 'add', HOST_ADDRESS, 'dev', there, check=False)

    @alone
    def unplug(self):
        self.remove_network()

    def remove_network(self):
        try:
            with open(os.path.join(self.folder, 'network.json')) as f:
                plugged = json.load(f)
            os.remove(f.name)
        except (OSError, ValueError):
            plugged = []
        for address, bridge, here in plugged:
            ip('route', 'del', address + '/32', 'dev', bridge, check=False)
            ip('link', 'del', here, check=False)     # at once; a namespace ends when the kernel has time
            if not os.path.isdir(members := '/sys/class/net/%s/brif' % bridge) or not os.listdir(members):
                ip('link', 'del', bridge, check=False)
        ip('netns', 'del', self.namespace, check=False)

    def start(self, network_info):
        if self.pid():
            return
        self.plug(network_info)
        with open(os.path.join(self.folder, 'console.log'), 'ab') as log:
            run = subprocess.Popen(
                [os.path.join(os.path.dirname(__file__), 'guest'), TREE, self.folder, self.namespace, 'dcg-' + self.uuid[:8]],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        with open(self.pid_file, 'w') as f:
            f.write('%d %s\n' % (run.pid, start_time(run.pid)))

    def stop(self, orderly=True, patience=8):
        """Ends the machine: as its power button would, or as if its plug were pulled."""
        pid = self.pid()
        deadline = time.time() + patience
        if pid and orderly:
            os.kill(pid, signal.SIGTERM)
            while self.pid() and time.time() < deadline:
                time.sleep(0.1)
        if self.pid():
            kill(descendants(pid))  # the machine's first process is one of them, and all others end with it
            while self.pid():
                time.sleep(0.05)
        if os.path.exists(self.pid_file):
            os.remove(self.pid_file)
        self.unplug()

    def remove(self):
        self.stop(orderly=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def inside(self, *command):
        """Runs a command where this machine's directories are mounted."""
        pid = self.pid()
        if pid:
            subprocess.run(('nsenter', '-t', str(pid), '-m') + command, check=True)

    def attach(self, volume, device):
        """A volume is a directory, which the machine sees as /volumes/ID."""
        source = os.path.join(STATE, 'guests', 'volumes', volume)
        place = self.place(source)
        os.makedirs(place, exist_ok=True)
        os.makedirs(source, exist_ok=True)
        self.write('volumes.d/' + os.path.basename(device), source)
        self.inside('mount', '--bind', source, place)

    def detach(self, device):
        entry = os.path.join(self.folder, 'volumes.d', os.path.basename(device))
        if os.path.exists(entry):
            with open(entry) as f:
                place = self.place(f.read())
            os.remove(entry)
            self.inside('umount', '--lazy', place)
            try:
                os.rmdir(place)     # nothing is mounted there outside the machine
            except OSError:
                pass

    def place(self, source):
        return os.path.join(self.folder, 'volumes', os.path.basename(source))
