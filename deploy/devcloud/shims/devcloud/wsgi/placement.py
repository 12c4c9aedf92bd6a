"""Placement's API; its configuration is named by OS_PLACEMENT_CONFIG_DIR."""
from placement.wsgi import init_application

application = init_application()
