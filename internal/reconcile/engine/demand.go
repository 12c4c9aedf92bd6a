package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// When the cloud runs out of something (addresses of a subnet, quota for a flavor), one refusal is
// enough. Other objects with the same need are not tried. So if 4,747 machines need an address and
// none is free, one request is refused, not 4,747.
//
// The demand of an object consists of its kind, its entry, and the targets that other objects refer
// to as well. If the cloud refuses one object, all objects with the same demand wait until the pass
// has deleted something.

// noteRefusedDemand records a demand that the cloud cannot meet.
func (r *run) noteRefusedDemand(s plan.Step, err error) {
	if s.Action != plan.Create || !errors.Is(err, kind.ErrExhausted) {
		return
	}
	if r.demands == nil {
		r.demands = countReferences(r.rev.Want)
	}
	r.refused[r.demand(&s)] = err
}

// countReferences counts how many objects refer to a key.
func countReferences(want []kind.Desired) map[manifest.Key]int {
	counts := map[manifest.Key]int{}
	for i := range want {
		for _, ref := range want[i].Refs {
			counts[ref.Key]++
		}
	}
	return counts
}

// refusedDemand returns the error by which the cloud refused the demand of a
// creation; nil when no refusal is known.
func (r *run) refusedDemand(s *plan.Step) error {
	if len(r.refused) == 0 || s.Action != plan.Create {
		return nil
	}
	return r.refused[r.demand(s)]
}

// demand returns a text that is equal for objects with the same demand. It needs the reference
// counts in r.demands.
func (r *run) demand(s *plan.Step) string {
	shared := []string{s.Key.Kind + " " + s.Entry()}
	for _, ref := range s.Want.Refs {
		if r.demands[ref.Key] > 1 {
			shared = append(shared, ref.Field+"="+ref.Key.String())
		}
	}
	slices.Sort(shared[1:])
	return strings.Join(shared, "\n")
}
