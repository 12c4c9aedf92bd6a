"""smoke.py KEYSTONE: as the tenant demo, makes one of everything, waits until the cloud says that it works, deletes it
all and checks that nothing is left."""
import sys
import time

import smoke_dns
from api import Cloud

NAME = 'smoke-%d' % time.time()
BEGAN = time.time()


def say(what):
    print('[%5.1fs] %s' % (time.time() - BEGAN, what), flush=True)


def wait(what, read, wanted, seconds=90):
    """Polls until read() is wanted."""
    deadline = time.time() + seconds
    while True:
        got = read()
        if got == wanted:
            say('%s: %s' % (what, wanted))
            return
        if time.time() > deadline or got in ('ERROR', 'error'):
            raise SystemExit('%s is %r after %.0f s, wanted %r' % (what, got, time.time() - BEGAN, wanted))
        time.sleep(0.2)


class Smoke:
    def __init__(self, cloud):
        self.cloud = cloud
        self.undo = []      # (service, path), in the order of making

    def make(self, service, path, kind, body, item=None):
        made = self.cloud.post(service, path, {kind: body} if kind else body)
        made = made[kind] if kind else made
        self.undo.append((service, (item or path + '/%s') % made['id']))
        return made

    def field(self, service, path, kind, name):
        return lambda: self.cloud.get(service, path, missing={kind: {}})[kind].get(name)

    def network(self):
        net = self.make('network', '/v2.0/networks', 'network', {'name': NAME})
        self.subnet = self.make('network', '/v2.0/subnets', 'subnet', {
            'name': NAME, 'network_id': net['id'], 'ip_version': 4, 'cidr': '10.77.0.0/24'})
        public = self.cloud.get('network', '/v2.0/networks?name=public')['networks'][0]
        router = self.make('network', '/v2.0/routers', 'router', {
            'name': NAME, 'external_gateway_info': {'network_id': public['id']}})
        router_path = '/v2.0/routers/%s' % router['id']
        self.cloud.put('network', router_path + '/add_router_interface', {'subnet_id': self.subnet['id']})
        self.undo.append(('network', router_path + '/remove_router_interface'))
        wait('router', self.field('network', router_path, 'router', 'status'), 'ACTIVE')
        group = self.make('network', '/v2.0/security-groups', 'security_group', {'name': NAME})
        self.make('network', '/v2.0/security-group-rules', 'security_group_rule', {
            'security_group_id': group['id'], 'direction': 'ingress', 'protocol': 'tcp',
            'port_range_min': 22, 'port_range_max': 22})
        self.port = self.make('network', '/v2.0/ports', 'port', {
            'name': NAME, 'network_id': net['id'], 'security_groups': [group['id']]})
        self.public, self.net = public, net

    def server(self):
        image = self.cloud.get('image', '/v2/images?name=centos79')['images'][0]
        server = self.make('compute', '/servers', 'server', {
            'name': NAME, 'imageRef': image['id'], 'flavorRef': 'n3-1vcpu-2gb', 'networks': [{'port': self.port['id']}]})
        self.server_path = '/servers/%s' % server['id']
        wait('server', self.field('compute', self.server_path, 'server', 'status'), 'ACTIVE')
        wait('port', self.field('network', '/v2.0/ports/%s' % self.port['id'], 'port', 'status'), 'ACTIVE')
        fip = self.make('network', '/v2.0/floatingips', 'floatingip', {
            'floating_network_id': self.public['id'], 'port_id': self.port['id']})
        wait('floating ip', self.field('network', '/v2.0/floatingips/%s' % fip['id'], 'floatingip', 'status'), 'ACTIVE')

    def volume(self):
        volume = self.make('volumev3', '/volumes', 'volume', {'name': NAME, 'size': 1})
        status = self.field('volumev3', '/volumes/%s' % volume['id'], 'volume', 'status')
        wait('volume', status, 'available')
        attachment = {'volumeAttachment': {'volumeId': volume['id']}}
        self.cloud.post('compute', self.server_path + '/os-volume_attachments', attachment)
        wait('volume', status, 'in-use')
        self.cloud.delete('compute', self.server_path + '/os-volume_attachments/' + volume['id'])
        wait('volume', status, 'available')

    def load_balancer(self):
        pool = {'name': NAME, 'protocol': 'HTTP', 'lb_algorithm': 'ROUND_ROBIN',
                'members': [{'address': self.port['fixed_ips'][0]['ip_address'], 'protocol_port': 8080}],
                'healthmonitor': {'type': 'HTTP', 'delay': 5, 'timeout': 3, 'max_retries': 3}}
        lb = self.make('load-balancer', '/v2/lbaas/loadbalancers', 'loadbalancer', {
            'name': NAME, 'vip_subnet_id': self.subnet['id'],
            'listeners': [{'protocol': 'HTTP', 'protocol_port': 80, 'default_pool': pool}]},
            '/v2/lbaas/loadbalancers/%s?cascade=true')
        path = '/v2/lbaas/loadbalancers/%s' % lb['id']
        wait('load balancer', self.field('load-balancer', path, 'loadbalancer', 'provisioning_status'), 'ACTIVE')
        members = '/v2/lbaas/pools/%s/members' % lb['pools'][0]['id']
        member = lambda name: lambda: self.cloud.get('load-balancer', members)['members'][0][name]  # noqa: E731
        wait('member', member('provisioning_status'), 'ACTIVE')
        wait('member', member('operating_status'), 'ONLINE')

    def share_network(self):
        self.make('sharev2', '/share-networks', 'share_network', {
            'name': NAME, 'neutron_net_id': self.net['id'], 'neutron_subnet_id': self.subnet['id']})

    def zone(self):
        zone = self.make('dns', '/v2/zones', None, {'name': NAME + '.example.', 'email': 'ops@example.com'})
        path = '/v2/zones/%s' % zone['id']
        wait('zone', lambda: self.cloud.get('dns', path)['status'], 'ACTIVE')
        smoke_dns.check(self.cloud, Cloud(sys.argv[1], 'demo2', 'demo2'), zone, wait)

    def container(self):
        for path in ('/' + NAME, '/%s/one' % NAME):
            self.cloud.upload('object-store', path, b'')
            self.undo.append(('object-store', path))
        wait('container', lambda: [o['name'] for o in self.cloud.get('object-store', '/%s?format=json' % NAME)], ['one'])
        wait('account', lambda: [c['name'] for c in self.cloud.get('object-store', '?format=json&prefix=' + NAME)], [NAME])

    def clean(self):
        for service, path in reversed(self.undo):
            if path.endswith('/remove_router_interface'):
                self.cloud.put(service, path, {'subnet_id': self.subnet['id']})
                continue
            self.cloud.delete(service, path)
            if service != 'network':
                wait(service + ' ' + path, lambda: self.cloud.get(service, path.split('?')[0], missing='gone') or '', 'gone')


def main():
    smoke = Smoke(Cloud(sys.argv[1], 'demo', 'demo'))
    try:
        smoke.network()
        smoke.server()
        for service, step in (('volumev3', smoke.volume), ('load-balancer', smoke.load_balancer), ('dns', smoke.zone),
                              ('sharev2', smoke.share_network), ('object-store', smoke.container)):
            if service in smoke.cloud.urls:
                step()
    finally:
        smoke.clean()
    say('ok')


main()
