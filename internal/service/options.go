package service

import (
	"log/slog"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/localfile"
)

// Options are the settings of an agent besides the configuration. Files are given by name; "" means none.
type Options struct {
	Log           *slog.Logger
	Approve       string // hash of the held plan to approve
	Listen        Listener
	WebhookSecret string
	ControlToken  string
	APIToken      string
	// AgentName and AgentAddress identify this agent among several. If they are "", the values of the configuration are used.
	AgentName, AgentAddress string
	// TracesURL is the address to which traces are sent. TracesHeaders is a file with additional headers. If they are "", the environment
	// is used.
	TracesURL, TracesHeaders string
}

// warnExposed warns of credential files that everybody on this machine may read or replace. It checks the files in the options, and those that
// OpenStack clients read. The files in the configuration are checked when it is read.
func (svc *service) warnExposed(f Options) {
	for _, file := range append(cloud.CredentialFiles(), f.ControlToken, f.APIToken, f.WebhookSecret, f.Listen.Key, f.TracesHeaders) {
		if localfile.Exposed(file) {
			svc.log.Warn("a file with credentials can be read by everybody on this machine; remove that permission with chmod o-rwx", "file", file)
		}
	}
}
