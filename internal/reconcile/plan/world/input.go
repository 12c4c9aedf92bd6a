package world

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Input is everything a plan is made from.
type Input struct {
	Stack  string
	Commit string
	Kinds  []*kind.Kind
	// Want comes from package resolve: nothing stands before what it refers to, unless
	// the reference is late.
	Want []kind.Desired
	Have kind.Snapshot
	Rules
	// Synced is true when this very commit was in sync before: then every
	// difference is drift.
	Synced bool
	// Before holds the sums of the manifests of the commit before, if nothing remembers more. An object that is missing, and that the commit before wanted
	// in the same form, was deleted by somebody. That conclusion is not drawn for a stack that owns nothing yet.
	Before map[manifest.Key]checksum.Sum
	Past
	// Now is the time; the zero time where nothing depends on it.
	Now time.Time
	// Printer makes the fingerprints of secrets; nil for unkeyed ones, salted with
	// the name of the stack.
	Printer *fingerprint.Printer

	// Dropped is what the groups of Fallbacks would have and do not have. [Input.FallenBack] sets it.
	Dropped map[manifest.Key]bool
}

// Rules say what a plan may do.
type Rules struct {
	// Replace is whether objects may be deleted and recreated to apply a change
	// when their annotations do not say.
	Replace bool
	// Others is whether what other stacks have marked may be used as if it were nobody's.
	Others bool
	// Healing is true where nothing else is carried out of the plan: what is to be changed, and is not, can be healed.
	Healing bool
	// Approving is true where people have approved of a plan: machines that are made bear what their group is to become then.
	Approving bool
}

// Past is what is known beyond the lists of the cloud and the commit. The zero value is that of a process that has just begun.
type Past struct {
	// KnownIDs are the IDs, by step, of objects that were seen in the cloud and that the agent has not deleted since. If such an object is missing,
	// somebody else has deleted it.
	KnownIDs map[string]string
	// Made are the IDs, by step, of objects that this process has made and has not seen usable or in use since.
	Made map[string]string
	// Begun are the objects that the agent has begun to change, or that follow such a change, and that it has not seen up to date since. Their
	// differences are not drift.
	Begun map[manifest.Key]bool
	// Sick are the members of groups of which probes found that they do not serve, or perhaps do not.
	Sick map[manifest.Key]rollout.Finding
	// Patients are those that did not serve before, and what was done about them: see [plan.Plan.Patients].
	Patients map[manifest.Key]rollout.Patient
	// Seen is what plans before have found: see [plan.Seen].
	Seen plan.Seen
	// Fallbacks are the groups that are kept at something else than Want says.
	Fallbacks map[manifest.Key]plan.Fallback
}
