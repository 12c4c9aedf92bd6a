package world

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Input is everything a plan is made from.
type Input struct {
	Stack  string
	Commit string
	Kinds  []*kind.Kind
	// Want comes from [Resolve]: nothing stands before what it refers to, unless
	// the reference is late.
	Want []kind.Desired
	Have kind.Snapshot
	// Replace is whether objects may be deleted and recreated to apply a change
	// when their annotations do not say.
	Replace bool
	// Others is whether what other stacks have marked may be used as if it were nobody's.
	Others bool
	// Synced is true when this very commit was in sync before: then every
	// difference is drift.
	Synced bool
	// Before is what the commit before wanted, by sums of the manifests, where nothing remembers more: what it wanted just as it is
	// wanted now, and is not there, was deleted by somebody. Of a stack that owns nothing yet that says nothing.
	Before map[manifest.Key]kind.Sum
	Past
	// Healing is true where nothing else is carried out of the plan: what is to be changed, and is not, can be healed.
	Healing bool
	// Approving is true where people have approved of a plan: machines that are made bear what their group is to become then.
	Approving bool
	// Now is the time; the zero time where nothing depends on it.
	Now time.Time
	// Printer makes the fingerprints of secrets; nil for unkeyed ones, salted with
	// the name of the stack.
	Printer *fingerprint.Printer

	Dropped map[manifest.Key]bool // what those groups would have and do not have
}
