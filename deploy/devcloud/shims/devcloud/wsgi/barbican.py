"""Barbican's API, with the configuration and the pipeline in the state folder."""
import os

from paste import deploy

config = os.path.join(os.environ['DEVCLOUD_STATE'], 'etc/barbican/barbican-api-paste.ini')
application = deploy.loadapp('config:' + config)
