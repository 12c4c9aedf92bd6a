# shellcheck shell=bash
# Share networks: the API alone. Nothing is scheduled and there is no share manager, so a share that is created waits for
# ever; share networks are rows of a database that the API writes itself.

PACKAGES+=(python3-manila)
SAMPLE_PACKAGES+=(manila-common)

# Clients know the service by two types, and its first version by a third one.
manila_endpoint() {
  echo "manilav1 share $(url manila)/v1/\$(project_id)s"
  echo "manilav2 sharev2 $(url manila)/v2"
  echo "manila shared-file-system $(url manila)/v2"
}

manila_configure() {
  mkdir -p "$STATE/etc/manila" "$STATE/data/manila"
  paste_config manila-common api-paste.ini "$STATE/etc/manila/api-paste.ini"
  {
    cat <<E
[DEFAULT]
service_down_time = $PATIENCE
transport_url = $(message_bus)
my_ip = $HOST
host = devcloud
state_path = $STATE/data/manila
osapi_share_listen = $HOST
osapi_share_listen_port = ${PORT[manila]}
osapi_share_workers = 1
api_paste_config = $STATE/etc/manila/api-paste.ini
auth_strategy = keystone
storage_availability_zone = az-a
rootwrap_config = /nonexistent
[quota]
share_networks = -1
E
    config_database manila
    config_common manila
    config_tokens manila
  } >"$STATE/etc/manila/manila.conf"
}

manila_setup() { python manila-manage manila.cmd.manage:main --config-file "$STATE/etc/manila/manila.conf" db sync; }

manila_start() { start_python manila-api manila-api manila.cmd.api:main --config-file "$STATE/etc/manila/manila.conf"; }

manila_ready() { wait_http manila-api "${PORT[manila]}"; }
