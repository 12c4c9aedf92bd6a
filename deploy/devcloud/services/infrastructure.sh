# shellcheck shell=bash
# What stands under OpenStack: MariaDB (socket only), RabbitMQ with its epmd, memcached. They run as root, because
# the state folder may lie where the daemons' own users cannot reach it.

mariadb_configure() {
  [ -e "$STATE/done/mariadb" ] || rm -rf "$STATE/data/mariadb"
  once mariadb mariadb-install-db --no-defaults --user=root --datadir="$STATE/data/mariadb" --skip-test-db \
    --auth-root-authentication-method=normal
}

# Durability is switched off where it can be: the databases live as long as the cloud.
mariadb_start() {
  start mariadb mariadbd --no-defaults --user=root --datadir="$STATE/data/mariadb" --socket="$STATE/run/mysqld.sock" \
    --pid-file="$STATE/data/mariadb/pid" --skip-networking --skip-log-bin --skip-name-resolve --max-connections=1000 \
    --innodb-buffer-pool-size=256M --innodb-log-file-size=96M --innodb-flush-log-at-trx-commit=0 \
    --innodb-doublewrite=0 --innodb-flush-method=nosync --performance-schema=OFF --lc-messages-dir=/usr/share/mysql \
    --character-set-server=utf8mb3 --collation-server=utf8mb3_general_ci --transaction-isolation=READ-COMMITTED
}

sql() { mariadb --no-defaults --user=root --socket="$STATE/run/mysqld.sock" "$@"; }

mariadb_ready() {
  local i
  for ((i = 0; i < 240; i++)); do
    sql -e 'select 1' >/dev/null 2>&1 && return 0
    alive mariadb || die_log "mariadb died" "$STATE/log/mariadb.log"
    sleep 0.25
  done
  die_log "mariadb does not answer" "$STATE/log/mariadb.log"
}

# create_databases NAME...
create_databases() {
  local name
  for name in "$@"; do echo "CREATE DATABASE IF NOT EXISTS $name CHARACTER SET utf8mb3;"; done | sql
}

memcached_start() { start memcached memcached -u root -l "$HOST" -p "${PORT[memcached]}" -U 0 -m 64 -t 1; }

rabbitmq_configure() {
  local home=$STATE/data/rabbitmq
  mkdir -p "$home/mnesia" "$home/log"
  echo '[].' >"$STATE/etc/rabbitmq_plugins"
  cat >"$STATE/etc/rabbitmq.conf" <<E
listeners.tcp.default = $HOST:${PORT[rabbitmq]}
default_user = devcloud
default_pass = $SECRET
vm_memory_high_watermark.absolute = 1GB
disk_free_limit.absolute = 50MB
log.file.level = warning
E
  RABBITMQ_ENVIRONMENT=(HOME="$home" RABBITMQ_NODENAME="devcloud-${PORT[rabbitmq]}@localhost"
    RABBITMQ_CONFIG_FILE="$STATE/etc/rabbitmq" RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_MNESIA_BASE="$home/mnesia"
    RABBITMQ_LOG_BASE="$home/log" RABBITMQ_ENABLED_PLUGINS_FILE="$STATE/etc/rabbitmq_plugins"
    RABBITMQ_DIST_PORT="${PORT[rabbitdist]}" ERL_EPMD_PORT="${PORT[epmd]}" ERL_EPMD_ADDRESS="$HOST"
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none")
}

# epmd is started here, on its own port, so that `down` can stop it by pid.
rabbitmq_start() {
  start epmd env "${RABBITMQ_ENVIRONMENT[@]}" epmd -address "$HOST" -port "${PORT[epmd]}"
  wait_port epmd "${PORT[epmd]}"
  start rabbitmq env "${RABBITMQ_ENVIRONMENT[@]}" /usr/lib/rabbitmq/bin/rabbitmq-server
}

rabbitmq_control() { env "${RABBITMQ_ENVIRONMENT[@]}" /usr/lib/rabbitmq/bin/rabbitmqctl -q "$@"; }

# Services also put their notifications into queues of their own, which nobody reads here.
rabbitmq_ready() {
  wait_port rabbitmq "${PORT[rabbitmq]}"
  once notification-queues rabbitmq_control set_policy --apply-to queues \
    notifications '^notifications\.' '{"max-length":1000,"overflow":"drop-head"}'
  once notification-users rabbitmq_users
}

# rabbitmq_users makes the user that docs/events.md describes, and the file with its address. Each other user lacks one of the rights.
rabbitmq_users() {
  local own='^stackreeve\.' services='nova|neutron|keystone|glance|octavia|designate|openstack' exchange
  rabbitmq_user stackreeve "$own" "$own" "^(stackreeve\..*|$services)\$"
  rabbitmq_user stackreeve-unbound "$own" "$own" "$own"
  rabbitmq_user stackreeve-unwritten "$own" '^$' "^(stackreeve\..*|$services)\$"
  rabbitmq_user stackreeve-unmade '^$' "$own" "^(stackreeve\..*|$services)\$"
  for exchange in ${services//|/ }; do
    rabbitmq_control set_topic_permissions stackreeve "$exchange" '^$' '^(versioned_)?notifications\.'
  done
  (umask 077 && echo "amqp://stackreeve:stackreeve@$HOST:${PORT[rabbitmq]}/" >"$STATE/amqp-url")
}

# rabbitmq_user NAME CONFIGURE WRITE READ; the password is the name
rabbitmq_user() {
  rabbitmq_control add_user "$1" "$1" || true # of an interrupted up
  rabbitmq_control set_permissions "$1" "$2" "$3" "$4"
}
