package plan

import "testing"

// Later rounds may carry out the steps of the first plan, the steps that follow from them, and other
// steps that were approved.
func TestWhatLaterRoundsMayDo(t *testing.T) {
	t.Parallel()
	approved := approvalOf("delete/m/1", "delete/m/2")
	stale := approved
	stale.Commit = "d"
	drift := deed("change/other")
	drift.Drift = true
	was := deed("change")
	was.Drift = true
	for name, c := range map[string]struct {
		plan func(*Plan)
		only bool
		step Step
		want bool
	}{
		"everything":                        {nil, false, deed("delete/m/9"), true},
		"of one plan, the same":             {nil, true, deed("delete/m/1"), true},
		"of one plan, another object":       {nil, true, deed("delete/m/9"), false},
		"by hand, the same":                 {func(p *Plan) { p.Manual = "f" }, false, deed("delete/m/1"), true},
		"by hand, another object":           {func(p *Plan) { p.Manual = "f" }, false, deed("delete/m/9"), false},
		"a spare that is unneeded":          {nil, true, deed("spare/m/9"), true},
		"a surplus copy that it showed":     {nil, true, deed("surplus/m/4"), true},
		"a surplus copy that is new":        {nil, true, deed("surplus/m/9"), false},
		"drift that is new":                 {func(p *Plan) { p.Steps = p.Steps[:1] }, true, was, false},
		"drift that it showed":              {nil, true, was, true},
		"drift that becomes something else": {nil, true, drift, false},
		"what else was approved":            {func(p *Plan) { p.Approved = &approved }, true, deed("delete/m/2"), true},
		"what was approved elsewhere":       {func(p *Plan) { p.Approved = &stale }, true, deed("delete/m/2"), false},
		"what was not approved":             {func(p *Plan) { p.Approved = &approved }, true, deed("delete/m/9"), false},
	} {
		p := planOf("delete/m/1", "change", "surplus/m/4")
		if c.plan != nil {
			c.plan(&p)
		}
		if got := p.Permission(c.only).Allows("s", c.step); got != c.want {
			t.Errorf("%s: allowed %t", name, got)
		}
	}
}
