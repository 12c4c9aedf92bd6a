package preflight

import (
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// ZonesOf returns the availability zones in which a plan creates objects, by catalog type and name, with the objects that require them.
func ZonesOf(p plan.Plan, kinds []*kind.Kind) map[string]map[string][]manifest.Key {
	asked := map[string]map[string][]manifest.Key{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if !creates(s) {
			continue
		}
		for _, k := range kinds {
			if k.Zone == nil || k.Info.Kind != s.Key.Kind {
				continue
			}
			zone, service := k.Zone(s.View()), k.Info.Service
			if zone == "" {
				continue
			}
			if asked[service] == nil {
				asked[service] = map[string][]manifest.Key{}
			}
			asked[service][zone] = append(asked[service][zone], s.Key)
		}
	}
	return asked
}

// CompareZones warns of availability zones that a service does not have, or that are not available.
func (f *Findings) CompareZones(service string, asked map[string][]manifest.Key, has []string) {
	const most = 10
	names := make([]string, 0, most)
	for _, name := range has[:min(most, len(has))] {
		names = append(names, printable.Name(name))
	}
	for _, zone := range slices.Sorted(maps.Keys(asked)) {
		if slices.Contains(has, zone) {
			continue
		}
		missing := cause.Of(cause.NoZone, service, printable.Name(zone), manifest.Listed(asked[zone]))
		if len(names) > 0 {
			missing = cause.Of(cause.ZonesAre, missing, strings.Join(names, ", "))
		}
		f.Warnings = f.Warnings.And(missing)
	}
}
