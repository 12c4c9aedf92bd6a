package world

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Past is what is known beyond the lists of the cloud and the commit. The zero value is that of a process that has just begun.
type Past struct {
	// Lost are the IDs, by step, of objects that were seen in the cloud and that the
	// agent has not deleted since: one that is not there any more was deleted by
	// somebody else.
	Lost map[string]string
	// Made are the IDs, by step, of objects that this process has made and has not seen usable or in use since.
	Made map[string]string
	// Begun is what the agent itself has begun to change, or to have follow a change, and has not seen as wanted since: how that differs is
	// nobody else's doing.
	Begun map[manifest.Key]bool
	// Sick are the members of groups of which probes found that they do not serve, or perhaps do not.
	Sick map[manifest.Key]rollout.Finding
	// Patients are those that did not serve before, and what was done about them: see [Plan.Patients].
	Patients map[manifest.Key]rollout.Patient
	// Seen is what plans before have found: see [Plan.Seen].
	Seen plan.Seen
	// Fallbacks are the groups that are kept at something else than Want says.
	Fallbacks map[manifest.Key]plan.Fallback
}
