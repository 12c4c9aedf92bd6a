"""What Designate answers where one would not think so: each line of DIFFERENCES.md under Designate, asked of the zone
that smoke.py made."""


def check(cloud, stranger, zone, wait):
    """Raises SystemExit at the first answer that is another one than DIFFERENCES.md says."""
    path, name = '/v2/zones/' + zone['id'], zone['name']
    sets = path + '/recordsets'

    def expect(code, what, method, at, body=None, by=cloud):
        got, answer = by.status(method, 'dns', at, body)
        if got != code:
            raise SystemExit('%s: %s, not %s: %s' % (what, got, code, answer))
        return answer

    def record(label, kind, *records):
        return {'name': label + name, 'type': kind, 'records': list(records)}

    def active(what, at):
        wait(what, lambda: cloud.get('dns', at)['status'], 'ACTIVE')

    # Names keep their case, and what is below a zone is compared with case.
    expect(400, 'another case than the zone', 'POST', sets, record('case.', 'A', '10.0.0.1') | {'name': 'case.' + name.upper()})
    expect(400, 'no final dot', 'POST', sets, record('dot.', 'A', '10.0.0.1') | {'name': 'dot.' + name[:-1]})
    expect(400, 'CNAME at the apex', 'POST', sets, record('', 'CNAME', 'a.example.'))
    expect(400, 'TXT with spaces in quotes, twice', 'POST', sets, record('txt.', 'TXT', '"a b" "c"'))
    expect(400, 'TXT of 300 characters in one', 'POST', sets, record('txt.', 'TXT', '"%s"' % ('x' * 300)))
    expect(202, 'TXT of 300 characters in two', 'POST', sets, record('txt.', 'TXT', '"%s" "%s"' % ('x' * 150, 'y' * 150)))
    expect(400, 'tags', 'PATCH', path, {'tags': ['a']})
    expect(400, 'a rename', 'PATCH', path, {'name': 'x.' + name})
    expect(400, 'a filter that is not known', 'GET', '/v2/zones?nonsense=1')
    expect(400, 'a description of 161 characters', 'PATCH', path, {'description': 'd' * 161})
    again = {'name': name.upper(), 'email': 'ops@example.com'}
    expect(409, 'the zone again, in another case', 'POST', '/v2/zones', again)
    expect(409, 'the zone, by another tenant', 'POST', '/v2/zones', again | {'name': name}, stranger)
    expect(403, 'a zone below, by another tenant', 'POST', '/v2/zones', again | {'name': 'x.' + name}, stranger)
    expect(404, 'the zone, read by another tenant', 'GET', path, None, stranger)
    managed = [r for r in cloud.get('dns', sets)['recordsets'] if r['type'] in ('NS', 'SOA')]
    for found in managed:
        expect(400, 'deleting ' + found['type'], 'DELETE', sets + '/' + found['id'])

    # Nothing is locked while it is worked on; equal records are one, two spellings of an address are two.
    made = expect(202, 'a record set', 'POST', sets, record('www.', 'A', '10.0.0.1', '10.0.0.1'))
    one = sets + '/' + made['id']
    expect(409, 'the same again', 'POST', sets, record('www.', 'A', '10.0.0.2'))
    expect(400, 'CNAME beside it', 'POST', sets, record('www.', 'CNAME', 'a.example.'))
    expect(202, 'an update while it is PENDING', 'PUT', one, {'records': ['10.0.0.2']})
    active('record set', one)
    before = cloud.get('dns', one)['version']
    after = expect(202, 'an update that changes nothing', 'PUT', one, {})
    if after['version'] != before + 1:
        raise SystemExit('an update that changes nothing: version %s after %s' % (after['version'], before))
    spelt = expect(202, 'two spellings', 'POST', sets, record('six.', 'AAAA', '2001:db8::1', '2001:DB8:0::1'))
    if len(spelt['records']) != 2 or made['records'] != ['10.0.0.1']:
        raise SystemExit('records are %s and %s' % (made['records'], spelt['records']))
    expect(201, 'no records at all', 'POST', sets, record('none.', 'A'))

    # Gone from the API at once, before the servers know.
    expect(202, 'a deletion', 'DELETE', one)
    expect(404, 'what was deleted', 'GET', one)
    expect(202, 'the same name again, at once', 'POST', sets, record('www.', 'A', '10.0.0.3'))

    # A zone goes with its record sets, but not with the zones below it.
    below = expect(202, 'a zone below', 'POST', '/v2/zones', {'name': 'sub.' + name, 'email': 'ops@example.com'})
    expect(400, 'a name in the zone below', 'POST', sets, record('a.sub.', 'A', '10.0.0.1'))
    expect(400, 'deleting the upper zone first', 'DELETE', path)
    expect(202, 'deleting the lower zone', 'DELETE', '/v2/zones/' + below['id'])
    wait('zone below', lambda: cloud.get('dns', '/v2/zones/' + below['id'], missing={'status': 'gone'})['status'], 'gone')
