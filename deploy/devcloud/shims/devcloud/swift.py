"""python3 -m devcloud.swift HOST PORT: all servers of Swift in one process, behind one port.

The proxy asks account, container and object servers over HTTP, here by way of the port that it listens on itself. Such a
path begins with the name of a disk, and each of the three has a disk of its own, so the name says who is asked.
"""
import logging
import os
import sys

from swift.common import storage_policy, utils, wsgi

utils.eventlet_monkey_patch()

import eventlet  # noqa: E402
from eventlet import wsgi as server  # noqa: E402
from paste import deploy  # noqa: E402

CONFIG = os.path.join(os.environ['DEVCLOUD_STATE'], 'etc/swift')
DISKS = ('account', 'container', 'object')


def log_to_stderr():
    """Swift would log to the syslog of the machine."""
    utils.get_logger.console_handler4logger = {}
    utils.ThreadSafeSysLogHandler = lambda **_: logging.NullHandler()


class Servers:
    """The application."""

    def __init__(self):
        self.proxy = wsgi.loadapp(os.path.join(CONFIG, 'proxy.conf'), {'log_name': 'proxy'})
        disk = 'config:' + os.path.join(CONFIG, 'disk.conf')
        self.disks = {name: deploy.loadapp(disk, name=name, global_conf={'log_name': name}) for name in DISKS}

    def __call__(self, environ, start_response):
        first = environ['PATH_INFO'].split('/', 2)[1]
        return self.disks.get(first, self.proxy)(environ, start_response)


def main():
    host, port = sys.argv[1:]
    os.umask(0o22)
    log_to_stderr()
    utils.set_swift_dir(CONFIG)
    storage_policy.reload_storage_policies()
    eventlet.hubs.use_hub(utils.get_hub())
    server.server(eventlet.listen((host, int(port)), backlog=100), Servers(), utils.NullLogger(), protocol=wsgi.SwiftHttpProtocol,
                  custom_pool=wsgi.RestrictedGreenPool(size=1024), socket_timeout=60)


main()
