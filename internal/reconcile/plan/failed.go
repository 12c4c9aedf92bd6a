package plan

import "github.com/stackreeve/stackreeve/internal/manifest"

// FailedAt is [Plan.Failed] by the keys as people write them.
func (p Plan) FailedAt(why map[string]Fault) Plan {
	keys := map[manifest.Key]Fault{}
	for i := range p.Steps {
		if f := why[p.Steps[i].Key.String()]; f.Text != "" && p.Steps[i].Action != Keep {
			keys[p.Steps[i].Key] = f
		}
	}
	return p.Failed(keys)
}

// Failed is the plan of which a pass has tried some steps, by the keys of their objects, and why they failed: that is the state of these objects then.
// It changes no decision, count or hash.
func (p Plan) Failed(why map[manifest.Key]Fault) Plan {
	if len(why) == 0 {
		return p
	}
	return p.mapSteps(func(s Step) Step {
		if !s.surplus {
			s.failed = why[s.Key]
		}
		return s
	})
}
