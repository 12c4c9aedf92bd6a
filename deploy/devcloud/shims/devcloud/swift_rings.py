"""python3 -m devcloud.swift_rings FOLDER HOST PORT: the rings of Swift, as swift-ring-builder makes them, in one process
instead of nine. Each server has one disk, a folder that is called like it."""
import os
import sys

from swift.common.ring import RingBuilder

folder, host, port = sys.argv[1:]
for ring, disk in (('account', 'account'), ('container', 'container'), ('object', 'object'), ('object-1', 'object')):
    builder = RingBuilder(4, 1, 0)      # 16 partitions, 1 copy, which may be moved at any time
    builder.add_dev({'region': 1, 'zone': 1, 'ip': host, 'port': int(port), 'replication_ip': host, 'replication_port': int(port),
                     'device': disk, 'weight': 1.0, 'meta': ''})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, ring + '.ring.gz'))
