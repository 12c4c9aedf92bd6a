package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// When the cloud has no more of something (addresses of a subnet, quota for a
// flavor), it says so to one object and need not be asked for every other that
// needs the same: 4,747 machines that find no address cost one refusal, not 4,747.
//
// What an object needs of the cloud shows in what it shares with others: its
// kind and those of its references that several objects have. Objects with the
// same demand are refused together, and tried again when something was deleted.

// noteUsedUp records a demand that the cloud cannot meet.
func (r *run) noteUsedUp(s plan.Step, err error) {
	if s.Action != plan.Create || !errors.Is(err, kind.ErrUsedUp) {
		return
	}
	if r.demands == nil {
		r.demands = countReferences(r.rev.Want)
	}
	r.spent[r.demand(&s)] = err
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

// usedUp is why the cloud cannot meet the demand of a creation; nil when it is
// not known to be so.
func (r *run) usedUp(s *plan.Step) error {
	if len(r.spent) == 0 || s.Action != plan.Create {
		return nil
	}
	return r.spent[r.demand(s)]
}

// demand names what the object of a step shares with others, once they are counted.
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
