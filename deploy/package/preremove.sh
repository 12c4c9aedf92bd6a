#!/bin/sh
# Before removing. Debian says "remove", RPM "0"; an upgrade stops nothing. What
# the agent made in the cloud stays there.
set -e
if [ -d /run/systemd/system ] && { [ "$1" = remove ] || [ "$1" = 0 ]; }; then
	systemctl disable --now stackreeve.service stackreeve-once.timer
fi
