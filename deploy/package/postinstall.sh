#!/bin/sh
# After installing or upgrading: a service that runs goes on with the new binary.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart stackreeve.service
fi
