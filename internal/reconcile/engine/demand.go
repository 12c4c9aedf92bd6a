package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// When the cloud runs out of something (addresses of a subnet, quota for a
// flavor), one refusal is enough. Other objects with the same need are not tried:
// 4,747 machines that find no address cost one refusal, not 4,747.
//
// The demand of an object is its kind, and those of its references that several
// objects have. Objects with the same demand are refused together, and tried
// again after something was deleted.

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

// demand names what the object of a step shares with others. The references must have been counted
// before.
func (r *run) demand(s *plan.Step) string {
	shared := []string{s.Key.Kind + " " + s.Through()}
	for _, ref := range s.Want.Refs {
		if r.demands[ref.Key] > 1 {
			shared = append(shared, ref.Field+"="+ref.Key.String())
		}
	}
	slices.Sort(shared[1:])
	return strings.Join(shared, "\n")
}
