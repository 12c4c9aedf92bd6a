"""What health monitors find out of members that are real machines (guests.py): they are asked as their monitor says, and counted as
haproxy counts. Every other member is up."""
import concurrent.futures
import glob
import http.client
import os
import socket
import time

KEPT = 60   # for so many seconds the address of a machine that went is asked: another one may be about to have it

MONITORED = """SELECT m.id, COALESCE(m.monitor_address, m.ip_address), COALESCE(m.monitor_port, m.protocol_port), h.type, h.url_path,
    h.delay, h.timeout, h.rise_threshold, h.fall_threshold
    FROM member m JOIN health_monitor h ON h.pool_id = m.pool_id WHERE h.enabled = 1 AND m.enabled = 1"""


def answers(address, port, kind, path, timeout):
    """Whether a member accepts a connection, and answers a GET with 200 where its monitor speaks HTTP."""
    try:
        if kind != 'HTTP':
            socket.create_connection((address, port), timeout).close()
            return True
        connection = http.client.HTTPConnection(address, port, timeout=timeout)
        try:
            connection.request('GET', path or '/')
            return connection.getresponse().status == 200
        finally:
            connection.close()
    except (OSError, http.client.HTTPException):
        return False


class Checks:
    def __init__(self):
        self.machines = {}      # address: when a machine was last seen to have it
        self.members = {}       # ID: [health, when to ask again, the question that is asked now]
        self.threads = concurrent.futures.ThreadPoolExecutor(32)

    def down(self, rows):
        """The IDs of those members that do not answer; rows asks the database."""
        now = time.time()
        for name in glob.glob(os.path.join(os.environ['DEVCLOUD_STATE'], 'guests', '*', 'addresses')):
            try:
                with open(name) as f:
                    self.machines.update(dict.fromkeys(f.read().split(), now))
            except OSError:     # it went just now
                pass
        self.machines = {address: seen for address, seen in self.machines.items() if now - seen < KEPT}
        if not self.machines:
            return set()
        members = {i: rest for i, *rest in rows(MONITORED) if rest[0] in self.machines}
        self.members = {i: self.members.get(i) or [rest[-2], 0, None] for i, rest in members.items()}
        return {i for i, rest in members.items() if not self.up(i, now, *rest)}

    def up(self, member, now, address, port, kind, path, delay, timeout, rise, fall):
        """As in haproxy, health is from 0 to rise+fall-1, and up from rise on; a new member is up, and down after one bad answer."""
        state = self.members[member]
        health, due, question = state
        if question and question.done():
            if question.result():
                health = health + 1 if health + 1 < rise else rise + fall - 1
            else:
                health = health - 1 if health > rise else 0
            question = None
        if not question and now >= due:
            question, due = self.threads.submit(answers, address, port, kind, path, timeout), now + delay
        state[:] = health, due, question
        return health >= rise
