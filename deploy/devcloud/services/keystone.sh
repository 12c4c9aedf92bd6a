# shellcheck shell=bash
# Identity: fernet tokens that live four hours, two uwsgi processes.

PACKAGES+=(python3-keystone)

keystone_endpoint() { echo "keystone identity $(url keystone)/v3"; }

keystone_configure() {
  mkdir -p "$STATE/etc/keystone" "$STATE/data/keystone/fernet" "$STATE/data/keystone/credential"
  {
    cat <<E
[DEFAULT]
use_stderr = true
[token]
provider = fernet
expiration = 14400
[fernet_tokens]
key_repository = $STATE/data/keystone/fernet
[credential]
key_repository = $STATE/data/keystone/credential
[cache]
enabled = true
backend = dogpile.cache.memcached
memcache_servers = $HOST:${PORT[memcached]}
[identity]
password_hash_rounds = 4
E
    config_database keystone
    config_common keystone
  } >"$STATE/etc/keystone/keystone.conf"
}

keystone_manage() {
  python keystone-manage keystone.cmd.manage:main --config-file "$STATE/etc/keystone/keystone.conf" "$@"
}

keystone_setup() {
  local address
  address=$(url keystone)/v3
  keystone_manage fernet_setup --keystone-user root --keystone-group root
  keystone_manage credential_setup --keystone-user root --keystone-group root
  keystone_manage db_sync
  keystone_manage bootstrap --bootstrap-username admin --bootstrap-password admin --bootstrap-project-name admin \
    --bootstrap-role-name admin --bootstrap-service-name keystone --bootstrap-region-id "$REGION" \
    --bootstrap-admin-url "$address" --bootstrap-internal-url "$address" --bootstrap-public-url "$address"
}

keystone_start() {
  OS_KEYSTONE_CONFIG_DIR=$STATE/etc/keystone start_wsgi keystone "${PORT[keystone]}" devcloud.wsgi.keystone 2 2
}

keystone_ready() { wait_http keystone "${PORT[keystone]}" /v3; }
