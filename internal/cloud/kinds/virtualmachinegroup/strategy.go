package virtualmachinegroup

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// drainSeconds is the default time in seconds for which a machine is drained before
// it is changed.
const drainSeconds = 30

// maxSpares is the maximal number of spare machines of a group.
const maxSpares = 1000

// validate reports parts of the strategy that cannot work with this number of
// machines.
func (s *Strategy) validate(machines int, r *kind.Report) {
	const field = "spec.strategy"
	if s == nil {
		return
	}
	readable := true
	for name, written := range map[string]*manifest.IntOrString{".maxUnavailable": s.MaxUnavailable, ".maxSurge": s.MaxSurge} {
		if _, err := amount(written); err != nil {
			r.Problem(field+name, fmt.Sprintf("is %q, neither a number nor a share", written), "write it like 1 or 25%")
			readable = false
		}
	}
	if !readable {
		return
	}
	if most := s.rollout().Surge(machines); most > maxSpares {
		r.Problem(field+".maxSurge", fmt.Sprintf("comes to %d machines", most), fmt.Sprintf("allow at most %d", maxSpares))
	}
	if s.rollout().Stuck(machines) {
		r.Problem(field+".maxUnavailable", "would never allow a change of a machine", "allow at least 1, or use type OnDelete")
	}
	if s.Canary != nil && s.Canary.Members > machines {
		r.Problem(field+".canary.members", fmt.Sprintf("is %d, and the group has %d machines", s.Canary.Members, machines), "use a smaller number")
	}
	if s.Type == "" || s.Type == string(rollout.Rolling) {
		return
	}
	for _, f := range []struct {
		name  string
		given bool
	}{{".maxSurge", s.MaxSurge != nil}, {".partition", s.Partition > 0}, {".pauseAfter", s.PauseAfter > 0}, {".canary", s.Canary != nil}, {".onFailure", s.OnFailure == "rollback"}} {
		if f.given {
			r.Problem(field+f.name, "has no effect with type "+s.Type, "remove one of them")
		}
	}
}

// rollout converts the strategy to the types of package rollout. A value that cannot
// be read counts as omitted.
func (s *Strategy) rollout() rollout.Strategy {
	said := s != nil
	if !said {
		s = &Strategy{}
	}
	unavailable, _ := amount(s.MaxUnavailable) // validate reports the error
	surge, _ := amount(s.MaxSurge)
	var canary rollout.Canary
	if s.Canary != nil {
		canary = rollout.Canary{Members: s.Canary.Members, For: time.Duration(s.Canary.DurationSeconds) * time.Second}
	}
	return rollout.Strategy{Type: rollout.Type(s.Type), Consents: said && s.Type != string(rollout.OnDelete), MaxUnavailable: unavailable, MaxSurge: surge, MinReady: time.Duration(s.MinReadySeconds) * time.Second,
		Drain: time.Duration(table.Or(s.DrainSeconds, drainSeconds)) * time.Second, From: s.Partition,
		Canary: canary, PauseAfter: s.PauseAfter, Deadline: time.Duration(s.ProgressDeadlineSeconds) * time.Second,
		Rollback: s.OnFailure == "rollback"}
}

func amount(written *manifest.IntOrString) (*rollout.Amount, error) {
	if written == nil {
		return nil, nil //nolint:nilnil // left out
	}
	a, err := rollout.ParseAmount(written.String())
	return &a, err
}
