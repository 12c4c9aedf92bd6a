package virtualmachinegroup

import (
	"cmp"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// These are the defaults for machines that do not work.
const (
	healAfter   = 120
	healPerHour = 3
	healMaxSick = "50%"
)

func (h *Heal) validate(probed bool, r *kind.Report) {
	if h == nil {
		return
	}
	most, err := amount(h.MaxSick)
	if err != nil {
		r.Problem("spec.heal.maxSick", fmt.Sprintf("is %q, neither a number nor a share", h.MaxSick), "write it like 2 or 50%")
	} else if most != nil && !most.Share && most.Count == 0 {
		r.Problem("spec.heal.maxSick", "would never allow the repair of a machine", "allow at least 1, or remove heal")
	}
	if h.Unresponsive != "" && h.Unresponsive != leave && !probed {
		r.Problem("spec.heal.unresponsive", "has no effect without probes", "add probes, or remove it")
	}
}

const leave = "leave"

// rollout converts the policy to the types of package rollout. If the group heals
// nothing, the result is the zero value.
func (h *Heal) rollout() rollout.Heal {
	if h == nil {
		return rollout.Heal{}
	}
	cure := func(given, otherwise string) rollout.Cure {
		if given = cmp.Or(given, otherwise); given == leave {
			return ""
		}
		return rollout.Cure(given)
	}
	most, err := amount(h.MaxSick)
	if most == nil || err != nil { // validate reports the error
		parsed, _ := rollout.ParseAmount(healMaxSick)
		most = &parsed
	}
	return rollout.Heal{
		Down:   map[string]rollout.Cure{"stopped": cure(h.Stopped, "restart"), "failed": cure(h.Failed, string(rollout.Replace))},
		Silent: cure(h.Unresponsive, "restart"), After: time.Duration(table.Or(h.AfterSeconds, healAfter)) * time.Second,
		PerHour: table.Or(h.PerHour, healPerHour), MaxSick: *most,
	}
}
