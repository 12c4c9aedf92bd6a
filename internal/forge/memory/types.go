// Package memory knows all data that Stackreeve stores on a forge: hidden markers in comments, descriptions of statuses,
// and the line that divides an outcome from the plan below it. In memory.go, the code that writes each of them is next to
// the code that reads it.
//
// Other people may edit our comments, and earlier versions wrote some of the stored texts. So a text that this version
// could not have written is read as unknown: never as an approval, and never as "in sync".
package memory

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Kind is the purpose of a comment of ours.
type Kind string

// These are the kinds.
const (
	PlanComment   Kind = "plan"
	DriftComment  Kind = "drift"
	AnswerComment Kind = "answer"
)

// Marker is the hidden first line of a comment of ours. With the marker, the agent finds the comment again, among any
// number of comments and after a restart on an empty disk. Anybody can copy a marker, so it counts only in a comment that
// is [forge.Comment.Mine].
type Marker struct {
	Kind  Kind   `json:"kind"`
	Stack string `json:"stack,omitempty"`
	// Run is greater in each later run, so that an older run never overwrites a newer one.
	Run int64 `json:"run,omitempty"`
	// Part is the number of this comment, from 1. Parts is the number of comments that the text takes.
	Part  int `json:"part,omitempty"`
	Parts int `json:"parts,omitempty"`
	// Head and Base are the commits that were planned or merged.
	Head string `json:"head,omitempty"`
	Base string `json:"base,omitempty"`
	// Hash is the plan's hash. Proof has the sums that the hash stands for: the plan's sum first, then those of its steps.
	// Tree is the hash of the folder that was planned.
	Hash  string `json:"hash,omitempty"`
	Proof Sums   `json:"proof,omitempty"`
	Tree  string `json:"tree,omitempty"`
	// Shown are the hashes that the comment has shown. After is the newest comment at the time when our comment first
	// showed the Head. The authors of later comments can have seen the Head. [Upsert] sets both fields.
	Shown []Shown `json:"shown,omitempty"`
	After int64   `json:"after,omitempty"`
	// Done is the state of the merged commit whose outcome is in the comment.
	Done forge.State `json:"done,omitempty"`
	// Reported are the pull requests to which the same drift was reported.
	Reported []int `json:"told,omitempty"`
	// To is the comment that this one answers.
	To int64 `json:"to,omitempty"`
}

// Shown is a hash, and the newest comment at the time when it was first shown.
type Shown struct {
	Hash  string `json:"hash"`
	After int64  `json:"after"`
}

// Condition is the meaning of a commit's status.
type Condition int

// These are the conditions. Each comment begins with the state that the status has on the forge.
const (
	Unknown   Condition = iota // error: the condition is unknown, or this version cannot read the status.
	Running                    // pending.
	InSync                     // success: the cloud equals the commit.
	WasInSync                  // success: the cloud was equal to the commit until another commit replaced it.
	NoDrift                    // success: there is no drift. Only the drift status has it.
	Drifted                    // failure: there is drift. Only the drift status has it.
	Held                       // failure: the plan waits for an approval.
	Suspended                  // failure: the cloud differs, and the stack is suspended.
	Failed                     // failure, for any other reason.
)

// Status is the meaning of a commit's status.
type Status struct {
	Is      Condition
	Objects int       // InSync: objects of the stack; Drifted and Suspended: objects that differ.
	Paused  bool      // InSync: the stack is suspended.
	Commit  string    // WasInSync: the commit that replaced it, short.
	Hash    string    // Held: the plan's hash.
	Command string    // Held: the command that approves the plan, if no pull request can.
	Unread  bool      // Held with a Command: the pull request has more comments than are read.
	Since   time.Time // Drifted: in whole minutes.
	Why     string    // Unknown, Running, Held, Suspended and Failed: free text.
}
