# shellcheck shell=bash
# Debian packages: the python3-<service> libraries and the daemons under them. The packages with maintainer scripts
# (nova-api, keystone, ...) are never installed, so that nothing is configured, started or created outside STATE.

PACKAGES=(mariadb-server mariadb-client rabbitmq-server memcached uwsgi-core uwsgi-plugin-python3 openssl curl
  python3-pymysql python3-memcache python3-pymemcache python3-openstackclient)
# Only configuration samples are taken out of these; they are unpacked into STATE/samples, not installed.
SAMPLE_PACKAGES=()
POLICY=/usr/sbin/policy-rc.d
POLICY_IS_OURS=

install_packages() {
  local missing=() package
  for package in "${PACKAGES[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  if [ "${#missing[@]}" -gt 0 ]; then
    say "installing ${#missing[@]} packages"
    forbid_daemons
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=600 \
      -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "${missing[@]}"; } >"$STATE/log/apt.log" 2>&1 ||
      die_log "apt could not install: ${missing[*]}" "$STATE/log/apt.log"
    allow_daemons
  fi
  once "samples-$(IFS=-; echo "${SAMPLE_PACKAGES[*]}")" unpack_samples # again when there are others than before
}

# forbid_daemons keeps apt from starting what it installs; a policy that is there already is left alone.
forbid_daemons() {
  [ -e "$POLICY" ] && return 0
  POLICY_IS_OURS=yes
  trap allow_daemons EXIT
  printf '#!/bin/sh\nexit 101\n' >"$POLICY"
  chmod 755 "$POLICY"
}

allow_daemons() {
  [ -n "$POLICY_IS_OURS" ] && rm -f "$POLICY"
  POLICY_IS_OURS=
}

unpack_samples() {
  local package
  rm -rf "$STATE/samples" "$STATE/tmp"
  mkdir -p "$STATE/samples" "$STATE/tmp"
  cd "$STATE/tmp"
  apt-get download -qq "${SAMPLE_PACKAGES[@]}"
  for package in *.deb; do dpkg-deb -x "$package" "$STATE/samples"; done
  rm -rf "$STATE/tmp"
}

# paste_config PACKAGE FILE TARGET copies an api-paste.ini, without its look at a file under /etc.
paste_config() {
  sed 's#/etc/[a-z]*/healthcheck_disable#/nonexistent#' "$STATE/samples/usr/share/$1/$2" >"$3"
}

# once NAME COMMAND... runs a step of the setup once per state folder.
once() {
  local name=$1 log=$STATE/log/setup-$1.log
  shift
  [ -e "$STATE/done/$name" ] && return 0
  # Not `(...) || die`: that would switch errexit off inside.
  local status
  set +e
  (set -e && "$@") >>"$log" 2>&1
  status=$?
  set -e
  [ "$status" = 0 ] || die_log "setup of $name failed" "$log"
  touch "$STATE/done/$name"
}
