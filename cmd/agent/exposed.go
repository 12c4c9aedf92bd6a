package main

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/localfile"
)

// warnExposed warns of the files with credentials that flags name, or that clients of OpenStack look for, and everybody on this machine
// may read or replace. Those that the configuration names are warned of when that is read.
func (svc *service) warnExposed(f runFlags) {
	for _, file := range append(cloud.CredentialFiles(), f.controlToken, f.apiToken, f.webhookSecret, f.door.key, f.tracesHeaders) {
		if localfile.Exposed(file) {
			svc.log.Warn("a file with credentials can be read by everybody on this machine; take the right from others with chmod o-rwx", "file", file)
		}
	}
}
