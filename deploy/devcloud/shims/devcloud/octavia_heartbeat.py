"""The heartbeats that amphorae would send: once a second each ACTIVE load balancer's message goes to Octavia's own
UpdateHealthDb, which sets operating_status. A member whose address is in inject/members-down is reported DOWN, and so is one that is a
real machine and does not answer its monitor (octavia_checks.py)."""
import sys
import time

from devcloud import inject
from devcloud.octavia_checks import Checks

AMPHORAE = """SELECT a.id FROM amphora a JOIN load_balancer l ON a.load_balancer_id = l.id
    WHERE a.status = 'ALLOCATED' AND l.provisioning_status = 'ACTIVE'"""
STATS = {'tx': 0, 'rx': 0, 'conns': 0, 'totconns': 0, 'ereq': 0}


def main():
    from octavia.common import service
    service.prepare_service(sys.argv)
    from octavia.amphorae.drivers.health import heartbeat_udp
    from octavia.db import api
    health, checks = heartbeat_udp.UpdateHealthDb(), Checks()
    while True:
        began = time.time()
        try:
            beat(health, checks, api.get_session())
        except Exception as error:      # a database that restarts must not end the heartbeats
            print('heartbeat: %r' % error, flush=True)
        time.sleep(max(0.2, 1 - (time.time() - began)))


def beat(health, checks, session):
    def rows(query):
        return [tuple(row) for row in session.execute(query).fetchall()]

    facts = {
        'down': inject.words('members-down'),
        'silent': checks.down(rows),
        'monitored': {pool for pool, in rows('SELECT pool_id FROM health_monitor WHERE enabled = 1')},
        'members': {i: rest for i, *rest in rows('SELECT id, ip_address, enabled, weight FROM member')},
    }
    for amphora, in rows(AMPHORAE):
        lb = health.amphora_repo.get_lb_for_health_update(session, amphora)
        if lb:
            health.update_health(message(amphora, lb, facts), '127.0.0.1')


def message(amphora, lb, facts):
    listeners = {i: {'status': 'OPEN', 'stats': STATS} for i, listener in lb.get('listeners', {}).items()
                 if listener['enabled']}
    pools = {}
    if listeners:       # haproxy runs only then
        first = next(iter(listeners))
        for pool, content in lb.get('pools', {}).items():
            members = {m: member_status(m, pool, facts) for m in content['members']}
            up = not members or any(status != 'DOWN' for status in members.values())
            pools['%s:%s' % (pool, first)] = {'status': 'UP' if up else 'DOWN', 'members': members}
    return {'id': amphora, 'seq': 1, 'ver': 3, 'listeners': listeners, 'pools': pools, 'recv_time': time.time()}


def member_status(member, pool, facts):
    address, enabled, weight = facts['members'].get(member, ('', 1, 1))
    if not enabled:
        return 'MAINT'
    if pool not in facts['monitored']:
        return 'no check'
    if address in facts['down'] or member in facts['silent']:
        return 'DOWN'
    return 'DRAIN' if weight == 0 else 'UP'
