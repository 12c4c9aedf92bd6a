# shellcheck shell=bash
# Images, kept as files.

PACKAGES+=(python3-glance)
SAMPLE_PACKAGES+=(glance-common)

glance_endpoint() { echo "glance image $(url glance)"; }

glance_configure() {
  local data=$STATE/data/glance
  mkdir -p "$STATE/etc/glance" "$data/images" "$data/staging" "$data/tasks"
  paste_config glance-common glance-api-paste.ini "$STATE/etc/glance/api-paste.ini"
  {
    cat <<E
[DEFAULT]
bind_host = $HOST
bind_port = ${PORT[glance]}
workers = 1
enabled_backends = file:file
enabled_import_methods = [glance-direct,web-download]
[glance_store]
default_backend = file
[file]
filesystem_store_datadir = $data/images
[os_glance_staging_store]
filesystem_store_datadir = $data/staging
[os_glance_tasks_store]
filesystem_store_datadir = $data/tasks
[paste_deploy]
flavor = keystone
config_file = $STATE/etc/glance/api-paste.ini
E
    config_database glance
    config_common glance
    config_tokens glance
  } >"$STATE/etc/glance/glance-api.conf"
}

glance_setup() { python glance-manage glance.cmd.manage:main --config-file "$STATE/etc/glance/glance-api.conf" db_sync; }

glance_start() { start_python glance-api glance-api glance.cmd.api:main --config-file "$STATE/etc/glance/glance-api.conf"; }

glance_ready() { wait_http glance-api "${PORT[glance]}" /healthcheck; }
