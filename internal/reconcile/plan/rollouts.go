package plan

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Rollout is the progress of a change to the members of a group.
type Rollout struct {
	Group manifest.Key
	// Done is the number of members that are up to date, Of the number of all members.
	Done, Of int
}

// String is "VirtualMachineGroup/web: 4 of 6 up to date".
func (r Rollout) String() string {
	return r.Group.String() + ": " + r.Progress()
}

// Progress is "4 of 6 up to date".
func (r Rollout) Progress() string {
	return fmt.Sprintf("%d of %d up to date", r.Done, r.Of)
}

// Rollouts returns the progress of the groups whose members are being created or interrupted, in the order of the steps. It returns none
// while the plan is held or suspended.
func (p Plan) Rollouts() (list []Rollout) {
	if p.Stopped() {
		return nil
	}
	type progress struct{ members, open map[manifest.Key]bool }
	at, rolling := map[manifest.Key]*progress{}, map[manifest.Key]bool{}
	var order []manifest.Key
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Part == nil || s.Unmanaged() {
			continue
		}
		g := at[s.Part.Group]
		if g == nil {
			g = &progress{map[manifest.Key]bool{}, map[manifest.Key]bool{}}
			at[s.Part.Group], order = g, append(order, s.Part.Group)
		}
		g.members[s.Part.Member] = true
		if s.Action.Writes() || s.Action == Wait || s.Sick != "" {
			g.open[s.Part.Member] = true
		}
		if s.Action == Create || s.Action == Wait || s.Action.Writes() && s.Disruption() >= kind.Reboot {
			rolling[s.Part.Group] = true
		}
	}
	order = slices.DeleteFunc(order, func(key manifest.Key) bool { return !rolling[key] })
	for _, key := range order {
		list = append(list, Rollout{key, len(at[key].members) - len(at[key].open), len(at[key].members)})
	}
	return list
}
