"""Cinder's own backup service, for volumes without a disk: what it reads and writes is a file of a few KB for each
volume, in place of a device. Everything else, the metadata of the volume too, is backed up and restored by its own code."""
import os

from cinder.cmd import backup   # first: it prepares the threads
from cinder import objects

objects.register_all()
from cinder.backup import manager   # noqa: E402  it needs all objects
from cinder.volume import volume_utils  # noqa: E402

LENGTH = 4096


class Disk:
    """The connection to a volume; its only path is the volume's file."""

    def disconnect_volume(self, properties, device, force=False, ignore_errors=False):
        pass


def properties(multipath, enforce_multipath):
    return {'host': 'devcloud', 'ip': '127.0.0.1', 'initiator': 'iqn.devcloud', 'multipath': False}


class Manager(manager.BackupManager):
    def _attach_volume(self, context, volume, properties):
        conn = self.volume_rpcapi.initialize_connection(context, volume, properties)
        return {'conn': conn, 'device': {'path': content(volume.id)}, 'connector': Disk()}


def content(volume):
    """The file with a volume's content, which is made when it is asked for."""
    folder = os.path.join(os.environ['DEVCLOUD_STATE'], 'data', 'cinder', 'disks')
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, volume)
    if not os.path.exists(path):
        with open(path, 'wb') as f:
            f.write(volume.encode().ljust(LENGTH, b'\0'))
    return path


def main():
    volume_utils.brick_get_connector_properties = properties
    backup.main()
