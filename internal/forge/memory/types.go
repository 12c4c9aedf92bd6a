// Package memory is all that Stackreeve remembers on a forge: hidden markers of
// comments, descriptions of statuses, and the line that divides an outcome from
// the plan below it. memory.go writes each of them and, beside it, reads it.
//
// Others may edit a comment of ours, and earlier versions wrote some of what is
// read. So what this version could not have written is read as unknown: never as
// an approval, and never as "in sync".
package memory

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Kind is what a comment of ours is for.
type Kind string

// The kinds.
const (
	PlanComment   Kind = "plan"
	DriftComment  Kind = "drift"
	AnswerComment Kind = "answer"
)

// Marker is the hidden first line of a comment of ours: it finds the comment
// again, among any number of others and after a restart on an empty disk.
// Anybody can copy it: it counts only in a comment that is [forge.Comment.Mine].
type Marker struct {
	Kind  Kind   `json:"kind"`
	Stack string `json:"stack,omitempty"`
	// Run grows with every visit: an older one never overwrites a newer.
	Run int64 `json:"run,omitempty"`
	// Part counts from 1: a long text takes several comments.
	Part  int `json:"part,omitempty"`
	Parts int `json:"parts,omitempty"`
	// Head and Base are the commits that were planned, or merged.
	Head string `json:"head,omitempty"`
	Base string `json:"base,omitempty"`
	// Hash is the plan's; Proof is what it stands for, the sum of the plan first, then those of its steps, and Tree is the
	// hash of the folder that was planned.
	Hash  string `json:"hash,omitempty"`
	Proof Sums   `json:"proof,omitempty"`
	Tree  string `json:"tree,omitempty"`
	// Shown are the hashes that the comment has shown, and After the newest comment
	// there was when it first showed the Head. Anyone who wrote later can have seen
	// it. [Upsert] keeps them.
	Shown []Shown `json:"shown,omitempty"`
	After int64   `json:"after,omitempty"`
	// Done is the state of the merged commit whose outcome the comment gives.
	Done forge.State `json:"done,omitempty"`
	// Reported are the pull requests to which the same drift was reported.
	Reported []int `json:"told,omitempty"`
	// To is the comment that an answer answers.
	To int64 `json:"to,omitempty"`
}

// Shown is a hash, and the newest comment there was when it was first shown.
type Shown struct {
	Hash  string `json:"hash"`
	After int64  `json:"after"`
}

// Condition is what a status says of a commit.
type Condition int

// The conditions, and the state of the status that says so.
const (
	Unknown   Condition = iota // error: nobody knows; or a status that this version does not read
	Running                    // pending
	InSync                     // success: the cloud equals the commit
	WasInSync                  // success: it did, until another commit took its place
	NoDrift                    // success, of the drift status
	Drifted                    // failure, of the drift status
	Held                       // failure: the plan waits for an approval
	Suspended                  // failure: the cloud differs, and the stack is suspended
	Failed                     // failure, for any other reason
)

// Status is the meaning of a commit's status.
type Status struct {
	Is      Condition
	Objects int       // of InSync: of the stack; of Drifted and Suspended: that differ
	Paused  bool      // of InSync: the stack is suspended
	Commit  string    // of WasInSync: the one that took its place, short
	Hash    string    // of Held: the plan's
	Command string    // of Held: what approves of it, where no pull request does
	Unread  bool      // of Held with a Command: since the pull request has more comments than are read
	Since   time.Time // of Drifted, in whole minutes
	Why     string    // of Unknown, Running, Held, Suspended and Failed; no meaning is read from it
}
