"""Keystone's public API; its configuration is named by OS_KEYSTONE_CONFIG_DIR."""
from keystone.server.wsgi import initialize_public_application

application = initialize_public_application()
