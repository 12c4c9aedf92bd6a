# shellcheck shell=bash
# The object store: proxy, account, container and object server in one process, on one port, over folders. Swift's
# other daemons (replicators, updaters, auditors) have nothing to do where there is one copy of everything.

PACKAGES+=(python3-swift)

swift_endpoint() { echo "swift object-store $(url swift)/v1/AUTH_%(project_id)s"; }

swift_configure() {
  mkdir -p "$STATE/etc/swift" "$STATE"/data/swift/{account,container,object}
  cat >"$STATE/etc/swift/swift.conf" <<E
[swift-hash]
swift_hash_path_suffix = $SECRET
[storage-policy:0]
name = gold
default = yes
[storage-policy:1]
name = silver
E
  swift_proxy >"$STATE/etc/swift/proxy.conf"
  swift_disk >"$STATE/etc/swift/disk.conf"
}

# swift_proxy is the pipeline of the release with Keystone's tokens, and with versions of objects and the S3 protocol, which are off in the
# release and on in most clouds.
swift_proxy() {
  cat <<E
[DEFAULT]
swift_dir = $STATE/etc/swift
log_level = WARNING
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck proxy-logging cache listing_formats container_sync bulk tempurl ratelimit authtoken s3api s3token keystoneauth copy container-quotas account-quotas slo dlo versioned_writes symlink proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:keystoneauth]
use = egg:swift#keystoneauth
operator_roles = admin, member
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
allow_object_versioning = true
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:cache]
use = egg:swift#memcache
memcache_servers = $HOST:${PORT[memcached]}
E
  local name
  for name in catch_errors gatekeeper healthcheck listing_formats container_sync bulk tempurl ratelimit copy slo dlo symlink; do
    printf '[filter:%s]\nuse = egg:swift#%s\n' "$name" "$name"
  done
  for name in proxy-logging container-quotas account-quotas; do
    printf '[filter:%s]\nuse = egg:swift#%s\n' "$name" "${name//-/_}"
  done
  config_client filter:s3token swift
  printf 'use = egg:swift#s3token\nauth_uri = %s/v3\n' "$(url keystone)"
  config_client filter:authtoken swift
  cat <<E
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
www_authenticate_uri = $(url keystone)
delay_auth_decision = true
cache = swift.cache
service_token_roles = admin
service_token_roles_required = true
include_service_catalog = false
E
}

# swift_disk is what has the databases and files. It would refuse to write when a hundredth of the file system is left.
swift_disk() {
  cat <<E
[DEFAULT]
swift_dir = $STATE/etc/swift
devices = $STATE/data/swift
mount_check = false
fallocate_reserve = 0
log_level = WARNING
E
  local name
  for name in account container object; do
    printf '[app:%s]\nuse = egg:swift#%s\n' "$name" "$name"
  done
}

# A ring for each server; both storage policies keep their objects on the same disk.
swift_setup() { (cd / && /usr/bin/python3 -m devcloud.swift_rings "$STATE/etc/swift" "$HOST" "${PORT[swift]}"); }

swift_start() { start swift /usr/bin/python3 -m devcloud.swift "$HOST" "${PORT[swift]}"; }

swift_ready() { wait_http swift "${PORT[swift]}" /healthcheck; }
