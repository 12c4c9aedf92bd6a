# shellcheck shell=bash
# Placement: which compute host has room.

PACKAGES+=(python3-placement)

placement_endpoint() { echo "placement placement $(url placement)"; }

placement_configure() {
  mkdir -p "$STATE/etc/placement"
  {
    printf '[DEFAULT]\nuse_stderr = true\n[api]\nauth_strategy = keystone\n'
    config_database placement placement_database
    config_common placement
    config_tokens placement
  } >"$STATE/etc/placement/placement.conf"
}

placement_setup() {
  python placement-manage placement.cmd.manage:main --config-file "$STATE/etc/placement/placement.conf" db sync
}

placement_start() {
  OS_PLACEMENT_CONFIG_DIR=$STATE/etc/placement start_wsgi placement "${PORT[placement]}" devcloud.wsgi.placement 1 4
}

placement_ready() { wait_http placement "${PORT[placement]}"; }
