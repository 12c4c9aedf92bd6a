"""A log-in to devcloud and plain HTTP calls with its token: all that the scripts in this folder need of a client."""
import json
import urllib.error
import urllib.request


class Cloud:
    """One user's token for one project. Services are named by their catalog type."""

    def __init__(self, keystone, user, project):
        self.token, self.headers = None, {}
        body = {'auth': {
            'identity': {'methods': ['password'], 'password': {
                'user': {'name': user, 'domain': {'id': 'default'}, 'password': user}}},
            'scope': {'project': {'name': project, 'domain': {'id': 'default'}}}}}
        headers, answer = self._send('POST', keystone + '/auth/tokens', json.dumps(body).encode())
        self.token = answer['token']
        self.project_id = self.token['project']['id']
        self.user_id = self.token['user']['id']
        self.urls = {s['type']: s['endpoints'][0]['url'] for s in self.token['catalog'] if s['endpoints']}
        self.urls['identity'] = keystone
        self.headers = {'X-Auth-Token': headers['X-Subject-Token']}

    def call(self, method, service, path, body=None, missing=None):
        """The decoded answer; `missing` instead when the answer is 404."""
        data = None if body is None else json.dumps(body).encode()
        # Cinder refuses a version header that does not name it.
        version = {'OpenStack-API-Version': 'compute 2.79'} if service == 'compute' else {}
        return self._send(method, self.urls[service] + path, data, version, missing)[1]

    def get(self, service, path, missing=None):
        return self.call('GET', service, path, missing=missing)

    def post(self, service, path, body):
        return self.call('POST', service, path, body)

    def put(self, service, path, body=None):
        return self.call('PUT', service, path, body)

    def delete(self, service, path):
        return self.call('DELETE', service, path, missing={})

    def status(self, method, service, path, body=None):
        """The status code and the decoded answer, whatever they are."""
        request = urllib.request.Request(self.urls[service] + path, None if body is None else json.dumps(body).encode(),
                                         {'Content-Type': 'application/json', **self.headers}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return response.status, json.loads(response.read() or b'null')
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()[:600]

    def upload(self, service, path, data):
        self._send('PUT', self.urls[service] + path, data, {'Content-Type': 'application/octet-stream'})

    def _send(self, method, url, data, headers=None, missing=None):
        headers = {'Content-Type': 'application/json', **self.headers, **(headers or {})}
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                body = response.read()
                is_json = 'json' in response.headers.get('Content-Type', '')
                return response.headers, json.loads(body) if body and is_json else None
        except urllib.error.HTTPError as error:
            if error.code == 404 and missing is not None:
                return error.headers, missing
            raise SystemExit('%s %s: %s %s' % (method, url, error.code, error.read().decode()[:600]))
        except OSError as error:
            raise SystemExit('%s %s: no answer: %s' % (method, url, error))
