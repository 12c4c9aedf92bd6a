"""Octavia's API, with the configuration in the state folder."""
import os

from octavia.api.app import setup_app

config = os.path.join(os.environ['DEVCLOUD_STATE'], 'etc/octavia/octavia.conf')
application = setup_app(argv=['octavia-api', '--config-file', config])
