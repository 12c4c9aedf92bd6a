# shellcheck shell=bash
# What the configuration files of all OpenStack services have in common, and how their programs are run.

# For so long (s) a daemon that is not heard of counts as alive: when a virtual machine with all of this is paused, its clock jumps on, and
# schedulers would find no host until each daemon has reported again.
# shellcheck disable=SC2034  # used by the service files
PATIENCE=1800

# python PROGRAM MODULE:FUNCTION ARGUMENT... runs a console entry point: the python3-* packages have the code, but not
# the programs in /usr/bin.
python() { (cd / && exec /usr/bin/python3 -m devcloud.run "$@"); }

# start_python NAME PROGRAM MODULE:FUNCTION ARGUMENT... starts one as a daemon.
start_python() {
  local name=$1
  shift
  start "$name" /usr/bin/python3 -m devcloud.run "$@"
}

# start_wsgi NAME PORT MODULE PROCESSES THREADS serves a WSGI application.
start_wsgi() {
  start "$1" uwsgi --plugins python3 --http-socket "$HOST:$2" --module "$3" --master --processes "$4" --threads "$5" \
    --enable-threads --lazy-apps --die-on-term --no-orphans --need-app --buffer-size 65535 --listen 100 \
    --add-header "Connection: close" --procname "$1" --disable-logging --log-4xx --log-5xx
}

python_environment() {
  export PYTHONPATH=$STATE/lib PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
  export DEVCLOUD_STATE=$STATE XDG_CACHE_HOME=$STATE/cache
}

database_url() { echo "mysql+pymysql://root@localhost/$1?unix_socket=$STATE/run/mysqld.sock&charset=utf8"; }

message_bus() { echo "rabbit://devcloud:$SECRET@$HOST:${PORT[rabbitmq]}/"; }

# config_database NAME [SECTION]
config_database() {
  cat <<E
[${2:-database}]
connection = $(database_url "$1")
max_pool_size = 10
max_overflow = 20
connection_recycle_time = 600
E
}

# config_client SECTION USER is how a service logs in to call another one.
config_client() {
  cat <<E
[$1]
auth_type = password
auth_url = $(url keystone)
username = $2
password = $SECRET
project_name = service
user_domain_name = Default
project_domain_name = Default
region_name = $REGION
E
}

# config_tokens USER is how a service checks the tokens it is handed.
config_tokens() {
  config_client keystone_authtoken "$1"
  cat <<E
www_authenticate_uri = $(url keystone)
memcached_servers = $HOST:${PORT[memcached]}
service_token_roles = admin
service_token_roles_required = true
E
}

# config_common SERVICE: lock files, notifications as docs/events.md turns them on, policies as in the release.
config_common() {
  mkdir -p "$STATE/data/$1/lock"
  cat <<E
[oslo_concurrency]
lock_path = $STATE/data/$1/lock
[oslo_messaging_notifications]
driver = messagingv2
topics = notifications
transport_url = $(message_bus)
[oslo_messaging_rabbit]
heartbeat_timeout_threshold = 0
[oslo_policy]
enforce_scope = false
E
}
