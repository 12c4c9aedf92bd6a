"""catalog.py KEYSTONE SERVICE_PASSWORD REGION: users, projects, roles, and the service catalog, which it makes equal to
the lines "NAME TYPE URL" on standard input. Run again, it changes only what differs."""
import sys

from api import Cloud

USERS = {name: name for name in ('demo', 'demo2', 'demo-b', 'demo2-b')}      # user (and password): project
USER_ROLES = ('member', 'reader', 'load-balancer_member', 'creator', 'observer')
SERVICE_USERS = ('glance', 'nova', 'placement', 'neutron', 'octavia', 'designate', 'cinder', 'barbican', 'manila', 'swift')
ROLES = ('admin', 'service', 'load-balancer_admin') + USER_ROLES


class Catalog:
    def __init__(self, cloud, region):
        self.cloud, self.region = cloud, region

    def ensure(self, kind, plural, name, **body):
        for found in self.cloud.get('identity', '/%s?name=%s' % (plural, name))[plural]:
            if found.get('type') == body.get('type'):
                return found['id']
        return self.cloud.post('identity', '/' + plural, {kind: dict(body, name=name)})[kind]['id']

    def user(self, name, password):
        return self.ensure('user', 'users', name, domain_id='default', password=password)

    def grant(self, project, user, role):
        self.cloud.put('identity', '/projects/%s/users/%s/roles/%s' % (project, user, role))

    def people(self, service_password):
        roles = {name: self.ensure('role', 'roles', name) for name in ROLES}
        projects = {name: self.ensure('project', 'projects', name, domain_id='default')
                    for name in ('service', *USERS.values())}
        for name in SERVICE_USERS:
            user = self.user(name, service_password)
            for role in ('admin', 'service'):
                self.grant(projects['service'], user, roles[role])
        for name, project in USERS.items():
            user = self.user(name, name)
            for role in USER_ROLES:
                self.grant(projects[project], user, roles[role])
            self.grant(projects[project], self.cloud.user_id, roles['admin'])
        self.grant(self.cloud.project_id, self.cloud.user_id, roles['load-balancer_admin'])

    def services(self, wanted):
        for found in self.cloud.get('identity', '/services')['services']:
            if found['type'] != 'identity' and (found['name'], found['type']) not in {w[:2] for w in wanted}:
                self.cloud.delete('identity', '/services/' + found['id'])
        for name, kind, url in wanted:
            self.endpoints(self.ensure('service', 'services', name, type=kind), url)

    def endpoints(self, service, url):
        found = self.cloud.get('identity', '/endpoints?service_id=' + service)['endpoints']
        have = {endpoint['interface'] for endpoint in found}
        for interface in {'public', 'internal', 'admin'} - have:
            self.cloud.post('identity', '/endpoints', {'endpoint': {
                'service_id': service, 'interface': interface, 'region_id': self.region, 'url': url}})


def main():
    keystone, service_password, region = sys.argv[1:]
    catalog = Catalog(Cloud(keystone, 'admin', 'admin'), region)
    catalog.people(service_password)
    catalog.services([tuple(line.split()) for line in sys.stdin if line.strip()])


main()
