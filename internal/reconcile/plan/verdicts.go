package plan

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// verdicts are what can be known only once everything is decided, and changes what is
// decided then.
type verdicts struct {
	spares        map[manifest.Key]int          // how many spares a group has
	sizes         map[manifest.Key]size         // how many members a group has that can have more or fewer
	settledSpares map[manifest.Key]bool         // the groups of which that is decided
	locked        map[*kind.Live]cause.Cause    // why what has to go cannot
	holding       map[*kind.Live]cause.Cause    // what has to go and cannot, for what would be detached and uses it
	spared        map[*kind.Live]cause.Cause    // why what has to go is kept for what uses it
	traffic       map[manifest.Key]kind.Traffic // what may be sent to a member of a group
	drains        map[manifest.Key]bool         // what sends less than its manifest says, to members that are interrupted
	left          map[manifest.Key]leaving      // the members of groups that stay as they are
	standing      map[*kind.Live]bool           // what former members consist of that stand in for others
	healing       healing
}

func newVerdicts() verdicts {
	return verdicts{
		settledSpares: map[manifest.Key]bool{},
		locked:        map[*kind.Live]cause.Cause{}, holding: map[*kind.Live]cause.Cause{}, spared: map[*kind.Live]cause.Cause{},
		left: map[manifest.Key]leaving{}, standing: map[*kind.Live]bool{}, traffic: map[manifest.Key]kind.Traffic{}, drains: map[manifest.Key]bool{},
		healing: healing{cures: map[manifest.Key]cure{}, treated: map[manifest.Key]string{}},
	}
}

func (v verdicts) clone() verdicts {
	return verdicts{
		spares: maps.Clone(v.spares), sizes: v.sizes, settledSpares: maps.Clone(v.settledSpares),
		locked: maps.Clone(v.locked), holding: maps.Clone(v.holding), spared: maps.Clone(v.spared),
		traffic: maps.Clone(v.traffic), drains: maps.Clone(v.drains), left: maps.Clone(v.left), standing: maps.Clone(v.standing),
		healing: healing{cures: maps.Clone(v.healing.cures), treated: maps.Clone(v.healing.treated)},
	}
}
