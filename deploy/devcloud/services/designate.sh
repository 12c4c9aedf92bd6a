# shellcheck shell=bash
# DNS: the stock services and a real BIND on a port of ours, which gets its zones by rndc and transfer, so that
# `dig -p PORT @127.0.0.1` answers.

PACKAGES+=(python3-designate python3-designateclient bind9 bind9-utils)
SAMPLE_PACKAGES+=(designate-common)

designate_endpoint() { echo "designate dns $(url designate)"; }

designate_configure() {
  mkdir -p "$STATE/etc/designate" "$STATE/data/designate"
  paste_config designate-common api-paste.ini "$STATE/etc/designate/api-paste.ini"
  {
    designate_options
    config_database designate storage:sqlalchemy
    config_common designate
    config_tokens designate
  } >"$STATE/etc/designate/designate.conf"
  # For a call that may come before its listener: give up soon, try again.
  printf '[DEFAULT]\nrpc_response_timeout = 3\n' >"$STATE/etc/designate/impatient.conf"
  designate_pool >"$STATE/etc/designate/pools.yaml"
  named_configure
}

designate_options() {
  cat <<E
[DEFAULT]
transport_url = $(message_bus)
state_path = $STATE/data/designate
root_helper = env
$(printf 'quota_%s = 1000000\n' zones zone_recordsets zone_records)
quota_recordset_records = 1000
supported_record_type = A, AAAA, CNAME, MX, SRV, TXT, SPF, NS, PTR, SSHFP, SOA, NAPTR, CAA, CERT
[service:api]
listen = $HOST:${PORT[designate]}
api_base_uri = $(url designate)
api_paste_config = $STATE/etc/designate/api-paste.ini
auth_strategy = keystone
enable_api_v2 = true
enabled_extensions_v2 = quotas, reports
enable_api_admin = false
workers = 1
[service:central]
workers = 1
managed_resource_email = hostmaster@example.com
managed_resource_tenant_id = 00000000-0000-0000-0000-000000000000
[service:mdns]
listen = $HOST:${PORT[mdns]}
workers = 1
[service:producer]
workers = 1
[service:worker]
workers = 1
poll_timeout = 5
poll_retry_interval = 1
poll_max_retries = 10
poll_delay = 0
serial_max_retries = 5
serial_retry_delay = 1
serial_timeout = 2
[producer_task:worker_periodic_recovery]
interval = 60
E
}

designate_pool() {
  cat <<E
- name: default
  description: BIND on loopback
  attributes: {}
  ns_records: [{hostname: ns1.devcloud.example., priority: 1}]
  nameservers: [{host: $HOST, port: ${PORT[dns]}}]
  targets:
    - type: bind9
      description: BIND on loopback
      masters: [{host: $HOST, port: ${PORT[mdns]}}]
      options:
        {host: $HOST, port: ${PORT[dns]}, rndc_host: $HOST, rndc_port: ${PORT[rndc]},
         rndc_key_file: $STATE/etc/designate/rndc.key, clean_zonefile: true}
E
}

named_configure() {
  local data=$STATE/data/named
  mkdir -p "$data"
  [ -s "$STATE/etc/designate/rndc.key" ] || rndc-confgen -a -k devcloud -c "$STATE/etc/designate/rndc.key" >/dev/null 2>&1
  cat >"$STATE/etc/designate/named.conf" <<E
include "$STATE/etc/designate/rndc.key";
controls { inet $HOST port ${PORT[rndc]} allow { $HOST; } keys { "devcloud"; }; };
options {
  directory "$data"; pid-file "$data/named.pid"; session-keyfile "$data/session.key";
  listen-on port ${PORT[dns]} { $HOST; }; listen-on-v6 { none; };
  recursion no; allow-new-zones yes; dnssec-validation no; empty-zones-enable no; notify no; allow-notify { $HOST; };
  minimal-responses yes; request-ixfr no; max-cache-size 16m; serial-query-rate 200; transfers-in 100; transfers-per-ns 100;
};
logging { channel log { stderr; severity info; }; category default { log; }; };
E
}

designate_manage() { python designate-manage designate.cmd.manage:main --config-file "$STATE/etc/designate/designate.conf" "$@"; }

designate_setup() { designate_manage database sync; }

designate_start() {
  start named named -g -n 1 -c "$STATE/etc/designate/named.conf"
  local name
  for name in central mdns worker producer api; do
    start_python "designate-$name" "designate-$name" "designate.cmd.$name:main" --config-file "$STATE/etc/designate/designate.conf"
  done
}

designate_ready() {
  wait_http designate-api "${PORT[designate]}"
  once designate-pool designate_pool_update
}

# A call is lost, not queued, until designate-central listens on the bus.
designate_pool_update() {
  local i
  for ((i = 0; i < 20; i++)); do
    designate_manage --config-file "$STATE/etc/designate/impatient.conf" pool update --file "$STATE/etc/designate/pools.yaml" && return 0
    sleep 0.5
  done
  return 1
}
