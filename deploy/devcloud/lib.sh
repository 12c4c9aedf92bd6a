# shellcheck shell=bash
# What every part of devcloud shares: where it lives, which ports it takes, how a process is started, found and
# stopped. It knows no OpenStack service.

# The folder is shared by all commands; a process of ours is one whose pid and start time stand in STATE/run.
STATE=${STACKREEVE_DEVCLOUD_DIR:-${XDG_STATE_HOME:-/var/lib}/stackreeve-devcloud}
HOST=127.0.0.1
# shellcheck disable=SC2034  # used by the service files
REGION=RegionOne
# shellcheck disable=SC2034
SECRET=devcloud        # every internal password: the cloud listens on loopback and is disposable
declare -A PORT
START_TIME=$SECONDS

say() { printf '[%4ds] %s\n' $((SECONDS - START_TIME)) "$*"; }

die() {
  printf 'devcloud: %s\n' "$*" >&2
  exit 1
}

# die_log MESSAGE FILE shows the end of a log before the message.
die_log() {
  tail -n 25 "$2" >&2 || true
  die "$1; see $2"
}

check_host() {
  [ "$(id -u)" = 0 ] || die "needs root: it installs Debian packages and starts their daemons; use sudo or a container"
  local id=unknown release=unknown
  # shellcheck disable=SC1091
  [ -r /etc/os-release ] && { id=$(. /etc/os-release && echo "${ID:-}"); release=$(. /etc/os-release && echo "${VERSION_ID:-}"); }
  [ "$id $release" = "debian 12" ] ||
    die "needs Debian 12 (this is $id $release): it uses the OpenStack packages of that release; run it in a debian:12 container or VM"
}

# clean_environment keeps another Python, a proxy or OS_* credentials from reaching the daemons and clients.
clean_environment() {
  local name
  for name in $(compgen -e); do
    case $name in OS_* | PYTHON* | VIRTUAL_ENV | [hH][tT][tT][pP]_* | [hH][tT][tT][pP][sS]_* | [aA][lL][lL]_[pP]*) unset "$name" ;; esac
  done
  export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
  export no_proxy=$HOST,localhost NO_PROXY=$HOST,localhost
}

# set_ports takes one port after the other from the base that the folder was made with.
set_ports() {
  local base=${STACKREEVE_DEVCLOUD_PORT:-} made=
  [ -s "$STATE/port" ] && made=$(<"$STATE/port")
  [ -z "$base" ] || [ -z "$made" ] || [ "$base" = "$made" ] ||
    die "$STATE was made with ports from $made on; unset STACKREEVE_DEVCLOUD_PORT, or take another STACKREEVE_DEVCLOUD_DIR, or 'down --wipe' first"
  base=${made:-${base:-23000}}
  local name
  for name in keystone glance placement nova neutron octavia cinder designate mdns dns rndc rabbitmq rabbitdist epmd memcached barbican swift manila; do
    PORT[$name]=$((base++))
  done
}

port_open() { (exec 3<>"/dev/tcp/$HOST/$1") 2>/dev/null; }

url() { echo "http://$HOST:${PORT[$1]}"; }

# --- processes: STATE/run/NAME.pid holds "PID STARTTIME", so that a reused pid is never taken for ours

start_time() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

process_state() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -c1; }

# is_process PID STARTTIME
is_process() { [ -n "${2:-}" ] && [ "$(start_time "$1")" = "$2" ] && [ "$(process_state "$1")" != Z ]; }

alive() {
  local pid time
  [ -s "$STATE/run/$1.pid" ] || return 1
  read -r pid time <"$STATE/run/$1.pid"
  is_process "$pid" "$time"
}

# start NAME COMMAND... runs it in its own session with its log in STATE/log/NAME.log, unless it runs already.
start() {
  local name=$1 pid time=
  shift
  alive "$name" && return 0
  : >"$STATE/log/$name.log"
  (cd / && exec setsid nohup "$@" >>"$STATE/log/$name.log" 2>&1 </dev/null 9>&-) &
  pid=$!
  disown "$pid" 2>/dev/null || true
  until time=$(start_time "$pid") && [ -n "$time" ]; do
    kill -0 "$pid" 2>/dev/null || die_log "$name did not start" "$STATE/log/$name.log"
    sleep 0.02
  done
  echo "$pid $time" >"$STATE/run/$name.pid"
}

# wait_port NAME PORT waits until the process NAME listens.
wait_port() {
  local i
  for ((i = 0; i < 400; i++)); do
    port_open "$2" && return 0
    alive "$1" || die_log "$1 died" "$STATE/log/$1.log"
    sleep 0.25
  done
  die_log "$1 does not listen on port $2" "$STATE/log/$1.log"
}

# wait_http NAME PORT [PATH] waits until the process NAME answers a GET.
wait_http() {
  local i code=
  for ((i = 0; i < 400; i++)); do
    code=$(http_status "$2" "${3:-/}")
    case $code in 2?? | 3?? | 401) return 0 ;; esac
    alive "$1" || die_log "$1 died" "$STATE/log/$1.log"
    sleep 0.25
  done
  die_log "$1 answers '$code' on port $2" "$STATE/log/$1.log"
}

http_status() {
  (
    exec 3<>"/dev/tcp/$HOST/$1" || exit 0
    printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$2" "$HOST" >&3
    read -r -t 10 _ code _ <&3
    echo "${code:-}"
  ) 2>/dev/null || true
}

# descendants PID prints "PID STARTTIME" of every process below it.
descendants() {
  local child children
  mapfile -t -d ' ' children < <(cat "/proc/$1"/task/*/children 2>/dev/null)
  for child in "${children[@]}"; do
    echo "$child $(start_time "$child")"
    descendants "$child"
  done
}

# stop NAME... ends these processes and what they forked: TERM, TERM to stragglers after 4 s, KILL after 8 s.
stop() {
  local name pid time i family=()
  for name in "$@"; do
    [ -s "$STATE/run/$name.pid" ] || continue
    read -r pid time <"$STATE/run/$name.pid"
    if is_process "$pid" "$time"; then
      mapfile -t -O "${#family[@]}" family < <(echo "$pid $time" && descendants "$pid")
      kill -TERM "$pid" 2>/dev/null || true
    fi
    rm -f "$STATE/run/$name.pid"
  done
  for ((i = 0; i < 80; i++)); do
    any_left "${family[@]}" || return 0
    [ "$i" = 40 ] && signal TERM "${family[@]}"
    sleep 0.1
  done
  signal KILL "${family[@]}"
}

any_left() {
  local entry
  for entry in "$@"; do
    # shellcheck disable=SC2086
    is_process $entry && return 0
  done
  return 1
}

signal() {
  local entry name=$1
  shift
  for entry in "$@"; do
    # shellcheck disable=SC2086
    is_process $entry && kill "-$name" "${entry% *}" 2>/dev/null
  done
  return 0
}
