package member

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Host is the server that a member runs on.
type Host struct {
	ID    string // "" while there is none
	Boots bool   // it has not been running for long
	Down  string // why it does not run: "is SHUTOFF"; "" where it may
}

// hostOf describes a server, nil for none. patience is how long it may take until its member answers.
func hostOf(server *kind.Live, patience time.Duration) Host {
	if server == nil {
		return Host{}
	}
	h := Host{ID: server.ID, Boots: time.Since(server.Since) < patience}
	if server.Down != "" {
		h.Down = server.Message
	}
	return h
}

// Failure says why a machine cannot begin: why is the machine's own reason; without one, the message is otherwise.
func Failure(machine, why, otherwise string) string {
	if why == "" {
		return otherwise
	}
	return machine + " cannot begin: " + why
}

// Silent is what a member is that does not answer, by what its machine has to do with that: see [kind.Live].
func (h Host) Silent() (phase kind.Phase, down, message string) {
	switch {
	case h.Down != "":
		return kind.Degraded, "away", "its machine " + h.Down
	case h.Boots:
		return kind.Pending, "", "its machine boots"
	case h.ID == "":
		return kind.Degraded, "away", "its machine is away"
	}
	return kind.Degraded, "silent", "does not answer"
}
