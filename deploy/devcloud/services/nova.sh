# shellcheck shell=bash
# Servers: the stock API, conductor and scheduler, and one nova-compute per fake host. A host is called
# cmp-<letter><number> and stands in the availability zone az-<letter>; az-a is the default.

PACKAGES+=(python3-nova)
SAMPLE_PACKAGES+=(nova-common)
COMPUTE_HOSTS=(cmp-a1 cmp-a2 cmp-b1)

nova_endpoint() { echo "nova compute $(url nova)/v2.1"; }

nova_configure() {
  mkdir -p "$STATE/etc/nova" "$STATE/data/nova/instances"
  paste_config nova-common api-paste.ini "$STATE/etc/nova/api-paste.ini"
  {
    nova_options
    config_database nova
    config_common nova
    config_tokens nova
    config_client placement placement
    config_client neutron neutron
    config_client cinder cinder
    config_client service_user nova
    echo "send_service_user_token = true"
  } >"$STATE/etc/nova/nova.conf"
  # A nova-compute must not be able to reach the API database.
  printf '[api_database]\nconnection = %s\n' "$(database_url nova_api)" >"$STATE/etc/nova/api-database.conf"
  local compute
  for compute in "${COMPUTE_HOSTS[@]}"; do
    mkdir -p "$STATE/data/$compute/instances" "$STATE/data/$compute/lock"
    printf '[DEFAULT]\nhost = %s\nstate_path = %s\ninstances_path = %s\n[oslo_concurrency]\nlock_path = %s\n' \
      "$compute" "$STATE/data/$compute" "$STATE/data/$compute/instances" "$STATE/data/$compute/lock" \
      >"$STATE/etc/nova/$compute.conf"
  done
}

nova_options() {
  cat <<E
[DEFAULT]
my_ip = $HOST
state_path = $STATE/data/nova
instances_path = $STATE/data/nova/instances
transport_url = $(message_bus)
enabled_apis = osapi_compute
osapi_compute_listen = $HOST
osapi_compute_listen_port = ${PORT[nova]}
osapi_compute_workers = 1
compute_driver = devcloud.Driver
allow_resize_to_same_host = true
default_availability_zone = az-a
default_schedule_zone = az-a
vif_plugging_is_fatal = false
vif_plugging_timeout = 0
reserved_host_memory_mb = 0
periodic_fuzzy_delay = 0
service_down_time = $PATIENCE
$(guests_nova_options)
report_interval = 20
[notifications]
notify_on_state_change = vm_and_task_state
[api]
auth_strategy = keystone
[wsgi]
api_paste_config = $STATE/etc/nova/api-paste.ini
[conductor]
workers = 1
[scheduler]
workers = 1
discover_hosts_in_cells_interval = 5
[filter_scheduler]
enabled_filters = ComputeFilter,ComputeCapabilitiesFilter,ImagePropertiesFilter,ServerGroupAntiAffinityFilter,ServerGroupAffinityFilter
[quota]
$(printf '%s = -1\n' instances cores ram key_pairs server_groups server_group_members metadata_items injected_files)
[glance]
api_servers = $(url glance)
[vnc]
enabled = true
novncproxy_base_url = http://$HOST:6080/vnc_auto.html
E
}

nova_manage() {
  python nova-manage nova.cmd.manage:main --config-file "$STATE/etc/nova/nova.conf" \
    --config-file "$STATE/etc/nova/api-database.conf" "$@"
}

nova_setup() {
  nova_manage api_db sync
  nova_manage cell_v2 map_cell0 --database_connection "$(database_url nova_cell0)"
  nova_manage cell_v2 list_cells | grep -w cell1 ||
    nova_manage cell_v2 create_cell --name cell1 --database_connection "$(database_url nova)" --transport-url "$(message_bus)"
  nova_manage db sync
}

nova_start() {
  local name
  for name in conductor scheduler api; do
    start_python "nova-$name" "nova-$name" "nova.cmd.$name:main" --config-file "$STATE/etc/nova/nova.conf" \
      --config-file "$STATE/etc/nova/api-database.conf"
  done
}

nova_ready() { wait_http nova-api "${PORT[nova]}"; }

# compute_start comes when placement and the API answer: a nova-compute registers itself with both.
compute_start() {
  local compute
  for compute in "${COMPUTE_HOSTS[@]}"; do
    start_python "nova-compute-$compute" nova-compute devcloud.nova_compute:main --config-file "$STATE/etc/nova/nova.conf" \
      --config-file "$STATE/etc/nova/$compute.conf"
  done
}
