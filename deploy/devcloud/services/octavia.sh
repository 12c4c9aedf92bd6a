# shellcheck shell=bash
# Load balancers: the stock API and the stock amphora provider with its worker, but amphorae without a VM. VIP ports
# are real Neutron ports. A heartbeat process says what amphorae would say about their members.

PACKAGES+=(python3-octavia python3-octaviaclient python3-barbicanclient)

octavia_endpoint() { echo "octavia load-balancer $(url octavia)"; }

# The local certificate generator insists on an encrypted key.
octavia_certificates() {
  local certs=$STATE/data/octavia/certs
  [ -s "$certs/client.pem" ] && return 0
  mkdir -p "$certs"
  openssl req -x509 -newkey rsa:2048 -passout "pass:$SECRET" -days 3650 -subj /CN=devcloud-octavia \
    -keyout "$certs/ca.key" -out "$certs/ca.pem" 2>/dev/null
  cat "$certs/ca.key" "$certs/ca.pem" >"$certs/client.pem"
}

octavia_configure() {
  mkdir -p "$STATE/etc/octavia" "$STATE/data/octavia/run"
  octavia_certificates
  {
    octavia_options
    config_database octavia
    config_common octavia
    config_tokens octavia
    config_client service_auth octavia
  } >"$STATE/etc/octavia/octavia.conf"
}

# Certificates of listeners are Barbican's, where it is there.
octavia_cert_manager() {
  case " ${SERVICES[*]} " in *" barbican "*) echo barbican_cert_manager ;; *) echo local_cert_manager ;; esac
}

octavia_options() {
  local data=$STATE/data/octavia
  cat <<E
[DEFAULT]
transport_url = $(message_bus)
use_stderr = true
[api_settings]
bind_host = $HOST
bind_port = ${PORT[octavia]}
api_base_uri = $(url octavia)
auth_strategy = keystone
default_provider_driver = amphora
enabled_provider_drivers = amphora:amphorae without a VM,octavia:another name for amphora
pagination_max_limit = 1000
[oslo_messaging]
topic = octavia_prov
[controller_worker]
workers = 1
event_notifications = True
amp_flavor_id = devcloud
amp_image_tag = amphora
amp_boot_network_list = 00000000-0000-0000-0000-000000000001
network_driver = devcloud_network_driver
compute_driver = compute_noop_driver
amphora_driver = amphora_noop_driver
image_driver = image_noop_driver
volume_driver = volume_noop_driver
distributor_driver = distributor_noop_driver
loadbalancer_topology = SINGLE
client_ca = $data/certs/ca.pem
[health_manager]
heartbeat_key = $SECRET
[driver_agent]
status_socket_path = $data/run/status.sock
stats_socket_path = $data/run/stats.sock
get_socket_path = $data/run/get.sock
[certificates]
cert_generator = local_cert_generator
cert_manager = $(octavia_cert_manager)
barbican_auth = barbican_acl_auth
region_name = $REGION
endpoint_type = internalURL
ca_certificate = $data/certs/ca.pem
ca_private_key = $data/certs/ca.key
ca_private_key_passphrase = $SECRET
server_certs_key_passphrase = insecure-key-do-not-use-this-key
[haproxy_amphora]
client_cert = $data/certs/client.pem
server_ca = $data/certs/ca.pem
[task_flow]
engine = parallel
max_workers = 3
[quotas]
$(printf 'default_%s_quota = -1\n' load_balancer listener member pool health_monitor l7policy l7rule)
[neutron]
region_name = $REGION
[nova]
region_name = $REGION
E
}

octavia_setup() {
  python octavia-db-manage octavia.db.migration.cli:main --config-file "$STATE/etc/octavia/octavia.conf" upgrade head
}

octavia_start() {
  local config=(--config-file "$STATE/etc/octavia/octavia.conf")
  octavia_stop_outdated
  start_wsgi octavia-api "${PORT[octavia]}" devcloud.wsgi.octavia 1 8
  octavia_start_worker "${config[@]}"
  start_python octavia-heartbeat octavia-heartbeat devcloud.octavia_heartbeat:main "${config[@]}"
}

# Processes that were started before there was a Barbican, or with one that is left out now, make way.
octavia_stop_outdated() {
  local file=$STATE/data/octavia/cert_manager
  [ "$(cat "$file" 2>/dev/null)" = "$(octavia_cert_manager)" ] || stop octavia-api octavia-worker octavia-heartbeat
  octavia_cert_manager >"$file"
}

# With STACKREEVE_DEVCLOUD_STOCK=1 the worker is the packaged one, without the fixes of shims/devcloud/octavia_worker.py.
# One of the other sort that runs makes way.
octavia_start_worker() {
  local module=devcloud.octavia_worker file=$STATE/data/octavia/worker
  [ "${STACKREEVE_DEVCLOUD_STOCK:-}" = 1 ] && module=octavia.cmd.octavia_worker
  [ "$(cat "$file" 2>/dev/null)" = "$module" ] || stop octavia-worker
  echo "$module" >"$file"
  start_python octavia-worker octavia-worker "$module:main" "$@"
}

octavia_ready() { wait_http octavia-api "${PORT[octavia]}"; }
