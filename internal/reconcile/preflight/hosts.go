package preflight

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Separation is an object that keeps its members on different hosts.
type Separation struct {
	Key     manifest.Key
	PerHost int // number of members that may share a host
	Members int // number of objects that refer to it
	// Zone is the availability zone that all members require; "" if they do not require the same zone.
	Zone string
}

// hosts returns the number of hosts that the members need.
func (a Separation) hosts() int { return (a.Members + a.PerHost - 1) / a.PerHost }

// SeparationsOf returns the objects that keep their members on different hosts, if the plan creates at least one of the members.
func SeparationsOf(p plan.Plan, kinds []*kind.Kind) (list []Separation) {
	byName := map[string]*kind.Kind{}
	for _, k := range kinds {
		byName[k.Info.Kind] = k
	}
	at, makes := map[manifest.Key]int{}, map[manifest.Key]bool{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if k := byName[s.Key.Kind]; k != nil && k.PerHost != nil && s.Want != nil && !s.Unmanaged() {
			if n, hard := k.PerHost(s.View()); n > 0 && hard {
				at[s.Key] = len(list)
				list = append(list, Separation{Key: s.Key, PerHost: n})
			}
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if len(list) == 0 || s.Want == nil || s.Surplus || s.Unmanaged() {
			continue
		}
		for _, ref := range s.Want.Refs {
			group, ok := at[ref.Key]
			if !ok {
				continue
			}
			zone := ""
			if k := byName[s.Key.Kind]; k != nil && k.Zone != nil {
				zone = k.Zone(s.View())
			}
			if a := &list[group]; a.Members == 0 {
				a.Zone = zone
			} else if a.Zone != zone {
				a.Zone = ""
			}
			list[group].Members++
			makes[ref.Key] = makes[ref.Key] || s.Action == plan.Create
		}
	}
	var needed []Separation
	for _, a := range list {
		if makes[a.Key] {
			needed = append(needed, a)
		}
	}
	return needed
}

// CompareHosts warns of groups whose members need more hosts than there are. has is the number of hosts that are enabled and up, by
// availability zone.
func (f *Findings) CompareHosts(apart []Separation, has map[string]int) {
	all := 0
	for _, n := range has {
		all += n
	}
	for _, a := range apart {
		hosts, code := all, cause.TooFewHosts
		if a.Zone != "" {
			hosts, code = has[a.Zone], cause.TooFewHostsInZone
		}
		if a.hosts() > hosts {
			f.Warnings = f.Warnings.And(cause.Of(code, a.Key, a.Members, a.hosts(), hosts))
		}
	}
}
