package service

import (
	"log/slog"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/localfile"
)

// Options are what a person asks of an agent besides the configuration. Files are named; "" is for none.
type Options struct {
	Log           *slog.Logger
	Approve       string // hash of a plan that is let through when it is held
	Listen        Listener
	WebhookSecret string
	ControlToken  string
	APIToken      string
	// AgentName and AgentAddress say who this one of several agents is; "" for what the configuration says.
	AgentName, AgentAddress string
	// TracesURL is where traces go, and TracesHeaders a file with what is sent beside them; "" for what the environment says.
	TracesURL, TracesHeaders string
}

// warnExposed warns of the files with credentials that options name, or that clients of OpenStack look for, and everybody on this machine
// may read or replace. Those that the configuration names are warned of when that is read.
func (svc *service) warnExposed(f Options) {
	for _, file := range append(cloud.CredentialFiles(), f.ControlToken, f.APIToken, f.WebhookSecret, f.Listen.Key, f.TracesHeaders) {
		if localfile.Exposed(file) {
			svc.log.Warn("a file with credentials can be read by everybody on this machine; take the right from others with chmod o-rwx", "file", file)
		}
	}
}
