# shellcheck shell=bash
# Networks: stock ML2 and L3 with a mechanism driver that binds every port at once and reports what agents would.

PACKAGES+=(python3-neutron)
SAMPLE_PACKAGES+=(neutron-common)

neutron_endpoint() { echo "neutron network $(url neutron)"; }

neutron_configure() {
  mkdir -p "$STATE/etc/neutron"
  paste_config neutron-common api-paste.ini "$STATE/etc/neutron/api-paste.ini"
  {
    neutron_options
    config_database neutron
    config_common neutron
    config_tokens neutron
    config_client nova nova
    config_client placement placement
  } >"$STATE/etc/neutron/neutron.conf"
}

# An idle kept-alive connection holds a thread of the pool for 15 minutes; the default pool of 100 is soon held by a
# few test programs, and then Neutron seems to crawl.
neutron_options() {
  cat <<E
[DEFAULT]
bind_host = $HOST
bind_port = ${PORT[neutron]}
state_path = $STATE/data/neutron
api_paste_config = $STATE/etc/neutron/api-paste.ini
api_workers = 2
rpc_workers = 0
rpc_state_report_workers = 0
wsgi_default_pool_size = 1000
transport_url = $(message_bus)
auth_strategy = keystone
core_plugin = ml2
service_plugins = router,qos,trunk,network_ip_availability,port_forwarding
notify_nova_on_port_status_changes = true
notify_nova_on_port_data_changes = true
network_auto_schedule = false
router_auto_schedule = false
max_fixed_ips_per_port = 20
[quotas]
$(printf 'quota_%s = -1\n' network subnet port router floatingip security_group security_group_rule rbac_policy)
[ml2]
type_drivers = flat,vlan,vxlan,local
tenant_network_types = vxlan
mechanism_drivers = devcloud
extension_drivers = port_security,qos${STACKREEVE_DEVCLOUD_PORT_TAGS:+,tag_ports_during_bulk_creation}
[ml2_type_flat]
flat_networks = *
[ml2_type_vlan]
network_vlan_ranges = physnet1:100:199
[ml2_type_vxlan]
vni_ranges = 1:4000
[securitygroup]
enable_security_group = true
[agent]
root_helper = env
E
}

neutron_setup() {
  python neutron-db-manage neutron.db.migration.cli:main --config-file "$STATE/etc/neutron/neutron.conf" upgrade heads
}

neutron_start() {
  start_python neutron-server neutron-server neutron.cmd.eventlet.server:main --config-file "$STATE/etc/neutron/neutron.conf"
}

neutron_ready() { wait_http neutron-server "${PORT[neutron]}"; }
