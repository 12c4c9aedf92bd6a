package virtualmachinegroup

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// drainSeconds is how long machines are drained for which that is not said.
const drainSeconds = 30

// validate says what of the strategy makes no sense for so many machines.
func (s *Strategy) validate(machines int, r *kind.Report) {
	const field = "spec.strategy"
	if s == nil {
		return
	}
	if _, err := amount(s.MaxUnavailable); err != nil {
		r.Problem(field+".maxUnavailable", fmt.Sprintf("is %q, neither a number nor a share", s.MaxUnavailable), "write it like 1 or 25%")
		return
	}
	if s.rollout().Stuck(machines) {
		r.Problem(field+".maxUnavailable", "would let no machine be changed", "allow at least 1, or use type OnDelete")
	}
	if s.Type != "" && s.Type != string(rollout.Rolling) && s.Partition > 0 {
		r.Problem(field+".partition", "means nothing with type "+s.Type, "remove one of them")
	}
	if s.Partition > machines {
		r.Note(field+".partition", fmt.Sprintf("is more than there are machines (%d): none of them is changed", machines))
	}
}

// rollout is the strategy as the core knows it. What cannot be read counts as left out.
func (s *Strategy) rollout() rollout.Strategy {
	if s == nil {
		s = &Strategy{}
	}
	unavailable, _ := amount(s.MaxUnavailable) // reported by validate
	return rollout.Strategy{Type: rollout.Type(s.Type), MaxUnavailable: unavailable, MinReady: time.Duration(s.MinReadySeconds) * time.Second,
		Drain: time.Duration(table.Or(s.DrainSeconds, drainSeconds)) * time.Second, Partition: s.Partition}
}

func amount(written *manifest.IntOrString) (*rollout.Amount, error) {
	if written == nil {
		return nil, nil //nolint:nilnil // left out
	}
	a, err := rollout.ParseAmount(written.String())
	return &a, err
}
