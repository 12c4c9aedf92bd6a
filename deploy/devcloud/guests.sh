# shellcheck shell=bash
# Real machines (STACKREEVE_DEVCLOUD_GUESTS=1): what they need, and the tree of files that they share. How one is run:
# shims/devcloud/guests.py.

# The tree outlives `down --wipe`: it takes minutes to make. Its name has a number, to be raised when it is made in another way.
GUEST_TREE=${XDG_CACHE_HOME:-/var/cache}/stackreeve-devcloud/guest-1

# choose_guests: once chosen, a folder has them until it is wiped, since its machines need them.
choose_guests() {
  [ -z "${STACKREEVE_DEVCLOUD_GUESTS:-}" ] || touch "$STATE/done/guests-chosen"
  [ -e "$STATE/done/guests-chosen" ] || return 0
  PACKAGES+=(systemd-container mmdebstrap iproute2)
  grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null ||
    die "STACKREEVE_DEVCLOUD_GUESTS: this kernel has no overlay file systems; real machines cannot run here"
  # These run before anything is installed: a refusal should not come after minutes.
  local probe=dcgprobe$$
  command -v ip >/dev/null || return 0
  { ip netns add "$probe" && ip link add "$probe" type bridge; } 2>/dev/null ||
    { ip netns del "$probe" 2>/dev/null; die "STACKREEVE_DEVCLOUD_GUESTS: this machine allows no network namespaces or bridges; real machines cannot run here"; }
  ip link del "$probe"
  ip netns del "$probe"
}

# debian_mirror is where this machine has its own packages from.
# shellcheck disable=SC2016 # apt-get replaces it
debian_mirror() { apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1; }

make_guest_tree() {
  [ -e "$STATE/done/guests-chosen" ] || return 0
  export DEVCLOUD_GUEST_TREE=$GUEST_TREE
  [ ! -d "$GUEST_TREE" ] || return 0
  say "making the files of real machines, once; it takes minutes"
  mkdir -p "$(dirname "$GUEST_TREE")"
  rm -rf "$GUEST_TREE.new"
  mmdebstrap --mode=root --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Check-Date "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --include=systemd,systemd-sysv,dbus,cloud-init,iproute2 bookworm "$GUEST_TREE.new" "$(debian_mirror)" \
    >"$STATE/log/guest-tree.log" 2>&1 || die_log "the files of real machines could not be made" "$STATE/log/guest-tree.log"
  guest_settings "$GUEST_TREE.new"
  mv "$GUEST_TREE.new" "$GUEST_TREE"
}

# The network is made outside, and there is one source of user data.
guest_settings() {
  printf 'datasource_list: [NoCloud]\nnetwork: {config: disabled}\nlocale: false\npreserve_hostname: false\n' \
    >"$1/etc/cloud/cloud.cfg.d/90-devcloud.cfg"
  : >"$1/etc/machine-id"
}

# A machine may power itself off: Nova looks more often than every ten minutes.
guests_nova_options() {
  [ ! -e "$STATE/done/guests-chosen" ] || echo "sync_power_state_interval = 10"
}

# unplug_guests removes what is left of networks when the machines have ended.
unplug_guests() {
  local folder name
  for folder in "$STATE"/guests/*/network.json; do
    [ -e "$folder" ] || continue
    ip netns del "dcg-$(basename "$(dirname "$folder")")" 2>/dev/null || true
    grep -o 'dcb[0-9a-f-]*' "$folder" || true
    rm -f "$folder"
  done | sort -u | while read -r name; do ip link del "$name" 2>/dev/null || true; done
}
