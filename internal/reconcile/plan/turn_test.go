package plan_test

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// If other members wait for a step for several reasons, the earliest Until counts. Member, Patience and Failing of any reason
// are not lost.
func TestAwaitedForSeveralReasons(t *testing.T) {
	early, late, member := time.Unix(100, 0), time.Unix(200, 0), manifest.Key{Kind: "VirtualMachine", Name: "web-0"}
	patient := plan.Settling{Member: member, Until: late, Patience: time.Minute, Failing: early}
	for name, c := range map[string]struct {
		reasons []plan.Settling
		want    plan.Settling
	}{
		"one":                      {[]plan.Settling{patient}, patient},
		"a suspicion comes later":  {[]plan.Settling{patient, {}}, plan.Settling{Member: member, Patience: time.Minute, Failing: early}},
		"a suspicion comes before": {[]plan.Settling{{}, patient}, plan.Settling{Member: member, Patience: time.Minute, Failing: early}},
		"the later time last":      {[]plan.Settling{{Until: early}, {Until: late}}, plan.Settling{Until: early}},
		"the later time first":     {[]plan.Settling{{Until: late}, {Until: early}}, plan.Settling{Until: early}},
	} {
		t.Run(name, func(t *testing.T) {
			var s plan.Step
			for _, reason := range c.reasons {
				s.AwaitServing(reason)
			}
			if *s.Settles != c.want {
				t.Errorf("awaits %+v, want %+v", *s.Settles, c.want)
			}
		})
	}
}
