# shellcheck shell=bash
# Secrets, encrypted in the database with a key of the configuration (simple_crypto). Only the API: there is no worker,
# since nothing is ordered.

PACKAGES+=(python3-barbican)

barbican_endpoint() { echo "barbican key-manager $(url barbican)"; }

barbican_configure() {
  mkdir -p "$STATE/etc/barbican"
  barbican_pipeline >"$STATE/etc/barbican/barbican-api-paste.ini"
  {
    cat <<E
[DEFAULT]
use_stderr = true
host_href = $(url barbican)
sql_connection = $(database_url barbican)
sql_pool_size = 10
sql_pool_max_overflow = 20
sql_idle_timeout = 600
[secretstore]
enabled_secretstore_plugins = store_crypto
[crypto]
enabled_crypto_plugins = simple_crypto
[simple_crypto_plugin]
kek = $(printf 'devcloud%.0s' 1 2 3 4 | base64 -w 0)
E
    config_common barbican
    config_tokens barbican
  } >"$STATE/etc/barbican/barbican.conf"
}

# barbican_pipeline is the pipeline of the release with a token check, and without files under /etc.
barbican_pipeline() {
  cat <<E
[composite:main]
use = egg:Paste#urlmap
/: versions
/v1: api
[pipeline:versions]
pipeline = microversion versionapp
[pipeline:api]
pipeline = authtoken context microversion apiapp
[app:apiapp]
paste.app_factory = barbican.api.app:create_main_app
[app:versionapp]
paste.app_factory = barbican.api.app:create_version_app
[filter:context]
paste.filter_factory = barbican.api.middleware.context:ContextMiddleware.factory
[filter:microversion]
paste.filter_factory = barbican.api.middleware.microversion:MicroversionMiddleware.factory
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
E
}

# Barbican looks for its configuration where oslo.config does, and has no option that names another folder: in
# $SNAP/etc/barbican, among others.
barbican_setup() {
  SNAP=$STATE python barbican-db-manage barbican.cmd.db_manage:main --dburl "$(database_url barbican)" upgrade
}

barbican_start() { SNAP=$STATE start_wsgi barbican-api "${PORT[barbican]}" devcloud.wsgi.barbican 1 8; }

barbican_ready() { wait_http barbican-api "${PORT[barbican]}"; }
