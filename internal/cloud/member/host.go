package member

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Host is the server that a member runs on.
type Host struct {
	ID    string // "" while there is none
	Boots bool   // whether it is being built, or was started only recently
	Down  string // why it does not run: "is SHUTOFF"; "" if it may run
}

// hostOf describes a server. The argument server is nil if there is no server. patience is how long a member may take to answer after
// the start of its server.
func hostOf(server *kind.Live, patience time.Duration) Host {
	if server == nil {
		return Host{}
	}
	h := Host{ID: server.ID, Boots: server.Since.IsZero() && server.Phase == kind.Pending || time.Since(server.Since) < patience}
	if server.Down != "" {
		h.Down = server.Message
	}
	return h
}

// Failure returns the message that a machine cannot begin. The argument why is the machine's own reason. If why is "", Failure
// returns the text in otherwise.
func Failure(machine, why, otherwise string) string {
	if why == "" {
		return otherwise
	}
	return machine + " cannot start the program: " + why
}

// Silent returns Phase, Down and Message of [kind.Live] for a member that does not answer. They depend on the state
// of its machine.
func (h Host) Silent() (phase kind.Phase, down, message string) {
	switch {
	case h.Down != "":
		return kind.Degraded, "away", "its machine " + h.Down
	case h.Boots:
		return kind.Pending, "", "its machine boots"
	case h.ID == "":
		return kind.Degraded, "away", "its machine does not exist"
	}
	return kind.Degraded, "silent", "does not answer"
}
