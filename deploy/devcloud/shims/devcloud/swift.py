"""python3 -m devcloud.swift HOST PORT: all servers of Swift in one process, behind one port.

The proxy asks account, container and object servers over HTTP for /DISK/PARTITION/ACCOUNT[/CONTAINER[/OBJECT]], here by way
of the port that it listens on itself: paths that begin with the disk are theirs.
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
DISK = '/disk/'


def log_to_stderr():
    """Swift would log to the syslog of the machine."""
    utils.get_logger.console_handler4logger = {}
    utils.ThreadSafeSysLogHandler = lambda **_: logging.NullHandler()


class Servers:
    """The application: the proxy, and below /disk/ the server that the path is long enough for."""

    def __init__(self):
        self.proxy = wsgi.loadapp(os.path.join(CONFIG, 'proxy.conf'), {'log_name': 'proxy'})
        disk = 'config:' + os.path.join(CONFIG, 'disk.conf')
        self.disk = [deploy.loadapp(disk, name=name, global_conf={'log_name': name}) for name in ('account', 'container', 'object')]

    def __call__(self, environ, start_response):
        path = environ['PATH_INFO']
        if not path.startswith(DISK):
            return self.proxy(environ, start_response)
        depth = path[len(DISK):].count('/', 0) - 1      # of ACCOUNT, which comes behind the partition
        return self.disk[min(max(depth, 0), 2)](environ, start_response)


def main():
    host, port = sys.argv[1:]
    os.umask(0o22)
    log_to_stderr()
    utils.set_swift_dir(CONFIG)
    storage_policy.reload_storage_policies()
    eventlet.hubs.use_hub(utils.get_hub())
    server.server(eventlet.listen((host, int(port)), backlog=100), Servers(), utils.NullLogger(), protocol=wsgi.SwiftHttpProtocol,
                  custom_pool=wsgi.RestrictedGreenPool(size=1024), capitalize_response_headers=False, socket_timeout=60)


main()
