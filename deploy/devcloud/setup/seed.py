"""seed.py KEYSTONE COMPUTE_HOST...: what a tenant expects to find. Images, flavors, availability zones, the external
network, volume types, and in each tenant a network. Run again, it adds only what is missing."""
import os
import sys
import time

from api import Cloud

GUEST_IMAGE = 'debian-12-guest'     # its servers are real machines, where those can run
IMAGES = ('cirros', 'debian-12', 'ubuntu-24.04', 'centos79')
FLAVORS = {     # name: vCPUs, MB of RAM, GB of disk; the id is the name with dashes
    'm1.nano': (1, 64, 1), 'm1.tiny': (1, 512, 1), 'm1.small': (1, 2048, 20), 'm1.medium': (2, 4096, 40),
    'm1.large': (4, 8192, 80), 'm1.xlarge': (8, 16384, 160), 'c1.large': (8, 8192, 40), 'r1.large': (2, 16384, 40),
    'n3-1vcpu-2gb': (1, 2048, 20),
}
VOLUME_TYPES = ('fake', 'ssd')
TENANTS = ('demo', 'demo2', 'demo-b', 'demo2-b')


def names(items):
    return {item['name'] for item in items}


def images(cloud, wanted):
    there = {image['name']: image for image in cloud.get('image', '/v2/images?limit=1000')['images']}
    for name in (n for n in wanted if there.get(n, {}).get('status') != 'active'):
        image = there.get(name) or cloud.post('image', '/v2/images', dict(
            {'name': name, 'disk_format': 'raw', 'container_format': 'bare', 'visibility': 'public'},
            **({'devcloud_guest': '1'} if name == GUEST_IMAGE else {})))
        cloud.upload('image', '/v2/images/%s/file' % image['id'], name.encode().ljust(8192, b'\0'))


def flavors(cloud):
    there = names(cloud.get('compute', '/flavors?is_public=None&limit=1000')['flavors'])
    for name, (vcpus, ram, disk) in FLAVORS.items():
        if name not in there:
            cloud.post('compute', '/flavors', {'flavor': {
                'name': name, 'id': name.replace('.', '-'), 'vcpus': vcpus, 'ram': ram, 'disk': disk}})


def wait_for_hosts(cloud, hosts):
    deadline = time.time() + 120
    while True:
        services = cloud.get('compute', '/os-services?binary=nova-compute')['services']
        up = {s['host'] for s in services if s['state'] == 'up'}
        mapped = {h['hypervisor_hostname'] for h in cloud.get('compute', '/os-hypervisors')['hypervisors']}
        missing = set(hosts) - (up & mapped)
        if not missing:
            return
        if time.time() > deadline:
            raise SystemExit('compute hosts did not register: %s' % ', '.join(sorted(missing)))
        time.sleep(0.5)


def wait_for_stores(cloud):
    """No volume finds room before the scheduler has been told of a store."""
    deadline = time.time() + 120
    while not cloud.get('volumev3', '/scheduler-stats/get_pools')['pools']:
        if time.time() > deadline:
            raise SystemExit('no store of volumes is known to the scheduler')
        time.sleep(0.5)


def zones(cloud, hosts):
    groups = {g['name']: g for g in cloud.get('compute', '/os-aggregates')['aggregates']}
    for host in hosts:
        zone = 'az-' + host.split('-')[1][0]
        if zone not in groups:
            groups[zone] = cloud.post('compute', '/os-aggregates', {
                'aggregate': {'name': zone, 'availability_zone': zone}})['aggregate']
        members = groups[zone].setdefault('hosts', [])
        if host not in members:
            cloud.post('compute', '/os-aggregates/%s/action' % groups[zone]['id'], {'add_host': {'host': host}})
            members.append(host)


def network(cloud, name, subnet, **attributes):
    found = cloud.get('network', '/v2.0/networks?name=%s&project_id=%s' % (name, cloud.project_id))['networks']
    net = found[0] if found else cloud.post('network', '/v2.0/networks', {
        'network': dict(attributes, name=name)})['network']
    if not net['subnets']:
        cloud.post('network', '/v2.0/subnets', {'subnet': dict(subnet, network_id=net['id'], ip_version=4)})


def qos_policy(cloud):
    found = cloud.get('network', '/v2.0/qos/policies?name=standard')['policies']
    policy = found[0] if found else cloud.post('network', '/v2.0/qos/policies', {
        'policy': {'name': 'standard', 'shared': True}})['policy']
    if not policy['rules']:
        cloud.post('network', '/v2.0/qos/policies/%s/bandwidth_limit_rules' % policy['id'], {
            'bandwidth_limit_rule': {'max_kbps': 10000000, 'direction': 'egress'}})


def volume_types(cloud):
    there = names(cloud.get('volumev3', '/types?is_public=None')['volume_types'])
    for name in (n for n in VOLUME_TYPES if n not in there):
        cloud.post('volumev3', '/types', {'volume_type': {'name': name}})


def main():
    keystone, *hosts = sys.argv[1:]
    admin = Cloud(keystone, 'admin', 'admin')
    images(admin, IMAGES + ((GUEST_IMAGE,) if os.environ.get('DEVCLOUD_GUEST_TREE') else ()))
    flavors(admin)
    wait_for_hosts(admin, hosts)
    zones(admin, hosts)
    network(admin, 'public', {'name': 'public-v4', 'cidr': '203.0.112.0/20', 'gateway_ip': '203.0.112.1',
                              'enable_dhcp': False},
            **{'router:external': True, 'provider:network_type': 'flat', 'provider:physical_network': 'extnet'})
    for tenant in TENANTS:
        network(Cloud(keystone, tenant, tenant), 'private', {'name': 'private-subnet', 'cidr': '10.0.0.0/24'})
    qos_policy(admin)
    if 'volumev3' in admin.urls:
        volume_types(admin)
        wait_for_stores(admin)


main()
