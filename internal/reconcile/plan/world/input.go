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

// Input is the complete input of a plan.
type Input struct {
	Stack  string
	Commit string
	Kinds  []*kind.Kind
	// Want comes from package resolve. Each object comes after the objects that it refers to, unless the reference is late.
	Want []kind.Desired
	Have kind.Snapshot
	Rules
	// Synced is true if the cloud was in sync with this very commit before. Then every difference is drift.
	Synced bool
	// PreviousSums has the checksums of the manifests of the previous commit, if no better record exists. A missing object whose manifest had the
	// same checksum in the previous commit was deleted by somebody. This conclusion is not drawn for a stack that owns nothing yet.
	PreviousSums map[manifest.Key]checksum.Sum
	Past
	// Now is the time; the zero time if the plan must not depend on the time.
	Now time.Time
	// Printer makes the fingerprints of secrets. If it is nil, the fingerprints have no key and are salted with the name of the stack.
	Printer *fingerprint.Printer
	// Index is the index of Want, so that several plans for the same objects share it. A plan makes its own index if this one is nil, or is
	// the index of other objects.
	Index *Wanted
}

// Rules limit what a plan may do.
type Rules struct {
	// Replace is true if objects may be deleted and recreated to apply a change, unless their annotations say otherwise.
	Replace bool
	// UseForeign is true if objects with the marks of other stacks may be used like objects without a mark.
	UseForeign bool
	// Healing is true if only the healing steps of the plan are carried out. Then members that wait for a change can be healed, too.
	Healing bool
	// Requested are the objects that a person wants to have recreated although nothing differs.
	Requested Requested
	// Approving is true if people have approved a plan. Then the marks of new machines record the target state of their group.
	Approving bool
}

// Requested are objects to recreate.
type Requested struct {
	Targets []plan.Target // nil if there is none
	// IDs limit the request to these objects of the cloud, so that a new object is not recreated again. Nil is no limit.
	IDs map[string]bool
}

// Past has facts that neither the lists of the cloud nor the commit show. In a process that has just started, it has only what
// package memory has restored. Package memory makes it, and says who has written each part.
type Past struct {
	// KnownIDs are the IDs, by step, of objects that were seen in the cloud, or whose creation was answered, and that the agent has not deleted
	// since. If such an object is missing, somebody else has deleted it.
	KnownIDs map[string]string
	// Made are the IDs, by step, of objects that this process has created and that have not been seen usable or in use since.
	Made map[string]string
	// Begun are the objects that the agent has started to change, or that must be changed as a consequence, and that it has not seen up to
	// date since. Their differences are not drift.
	Begun map[manifest.Key]bool
	// Sick are the members of groups that do not serve, or perhaps do not serve, according to probes. The engine sets it in planRound. It is
	// always empty in a preview, which probes nothing.
	Sick map[manifest.Key]rollout.Finding
	// Patients are the members that did not serve before, with the times at which they were healed (see [plan.Plan.Patients]).
	Patients map[manifest.Key]rollout.Patient
	// Seen has facts that earlier plans found (see [plan.Seen]).
	Seen plan.Seen
	// Fallbacks are the groups that have an earlier state than the present commit's.
	Fallbacks map[manifest.Key]plan.Fallback
	// Dropped are the present objects of the groups in Fallbacks that the earlier commit did not have. [Input.WithFallbacks] sets it.
	Dropped map[manifest.Key]bool
}
