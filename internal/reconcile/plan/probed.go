package plan

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Probed is a member of a group that probes can check.
type Probed struct {
	Member manifest.Key
	Probes []rollout.Probe
	// Address is the address at which the member is reached. Of identifies the object that does its work.
	// Since is when that object began to run.
	Address string
	Of      string
	Since   time.Time
}

// Probed returns the members that probes can check, because the object that does their work is usable and
// has an address.
func (p Plan) Probed() (list []Probed) {
	groups := map[manifest.Key][]rollout.Probe{}
	for _, w := range p.Workloads {
		if w.Want != nil && len(w.Want.Probes) > 0 {
			groups[w.Key] = w.Want.Probes
		}
	}
	if len(groups) == 0 {
		return nil
	}
	for _, s := range p.Steps {
		if s.Part == nil || !s.IsWorker || groups[s.Part.Group] == nil || s.Have == nil || !s.Have.Phase.Usable() || s.Have.Facts.Address == "" {
			continue
		}
		list = append(list, Probed{Member: s.Part.Member, Probes: groups[s.Part.Group], Address: s.Have.Facts.Address,
			Of: s.Have.ID + " " + s.Have.Since.String(), Since: s.Have.Since})
	}
	return list
}
