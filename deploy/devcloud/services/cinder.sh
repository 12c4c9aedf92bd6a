# shellcheck shell=bash
# Volumes: the stock API, scheduler and volume manager over Cinder's own fake driver. No bytes are stored. Backups are
# made by the stock backup service and its driver for folders, of a few KB each.

PACKAGES+=(python3-cinder)
SAMPLE_PACKAGES+=(cinder-common)

# Clients know the service by two types.
cinder_endpoint() {
  echo "cinderv3 volumev3 $(url cinder)/v3/\$(project_id)s"
  echo "cinder block-storage $(url cinder)/v3/\$(project_id)s"
}

cinder_configure() {
  mkdir -p "$STATE/etc/cinder" "$STATE/data/cinder/conversion"
  paste_config cinder-common api-paste.ini "$STATE/etc/cinder/api-paste.ini"
  cp "$STATE/samples/etc/cinder/resource_filters.json" "$STATE/etc/cinder/"
  {
    cinder_options
    config_database cinder
    config_common cinder
    config_tokens cinder
    config_client nova nova
    config_client service_user cinder
    echo "send_service_user_token = true"
  } >"$STATE/etc/cinder/cinder.conf"
}

cinder_options() {
  cat <<E
[DEFAULT]
transport_url = $(message_bus)
my_ip = $HOST
host = devcloud
state_path = $STATE/data/cinder
image_conversion_dir = $STATE/data/cinder/conversion
backup_driver = cinder.backup.drivers.posix.PosixBackupDriver
backup_manager = devcloud.cinder_backup.Manager
backup_posix_path = $STATE/data/cinder/backup
backup_file_size = 4194304
backup_enable_progress_timer = false
osapi_volume_listen = $HOST
osapi_volume_listen_port = ${PORT[cinder]}
osapi_volume_workers = 1
wsgi_default_pool_size = 1000
api_paste_config = $STATE/etc/cinder/api-paste.ini
resource_query_filters_file = $STATE/etc/cinder/resource_filters.json
auth_strategy = keystone
glance_api_servers = $(url glance)
enabled_backends = fake
default_volume_type = fake
storage_availability_zone = az-a
service_down_time = $PATIENCE
# How much room a store has is told every 10 s, from the start on: what is told before the scheduler listens is lost, and it
# finds no room for any volume until it is told again.
backend_stats_polling_interval = 10
periodic_interval = 10
periodic_fuzzy_delay = 0
allow_availability_zone_fallback = true
rootwrap_config = /nonexistent
per_volume_size_limit = -1
$(printf 'quota_%s = -1\n' volumes snapshots gigabytes backups backup_gigabytes groups)
[fake]
volume_driver = devcloud.cinder_driver.Driver
volume_backend_name = fake
volume_group = devcloud
E
}

cinder_setup() { python cinder-manage cinder.cmd.manage:main --config-file "$STATE/etc/cinder/cinder.conf" db sync; }

cinder_start() {
  local name
  for name in api scheduler volume; do
    start_python "cinder-$name" "cinder-$name" "cinder.cmd.$name:main" --config-file "$STATE/etc/cinder/cinder.conf"
  done
  start_python cinder-backup cinder-backup devcloud.cinder_backup:main --config-file "$STATE/etc/cinder/cinder.conf"
}

cinder_ready() { wait_http cinder-api "${PORT[cinder]}"; }
