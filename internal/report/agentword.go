package report

import (
	"fmt"
	"time"
)

// AgentWord is the report about a stack from the agent that serves it. The program that shows the report has not checked it.
type AgentWord struct {
	Server  string    `json:"server"`
	State   string    `json:"state,omitempty"`
	Message string    `json:"message,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	Looked  time.Time `json:"looked,omitzero"`
	Hash    string    `json:"hash,omitempty"`
	// Error is the reason why the agent does not answer. Then the other fields are empty.
	Error string `json:"error,omitempty"`
}

// String returns the report as text, with the name of the agent.
func (w AgentWord) String() string {
	if w.Error != "" {
		return Clean(fmt.Sprintf("no answer from %s: %s; everything else comes from this program's own check", w.Server, w.Error))
	}
	text := w.State
	if w.Commit != "" {
		text += " at " + Short(w.Commit)
	}
	if w.Message != "" {
		text += ": " + w.Message
	}
	text += "; says " + w.Server
	if !w.Looked.IsZero() {
		text += " about its check at " + w.Looked.UTC().Format("2006-01-02 15:04 UTC")
	}
	return Clean(text)
}
