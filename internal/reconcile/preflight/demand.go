package preflight

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Demand contains the amounts of the cloud's resources that a plan takes and gives back. For a replaced object, only the difference counts,
// because the old object is deleted before the new one is created.
type Demand struct {
	Needed, Freed kind.Amounts
}

// Services returns the services from which the plan takes resources, if these have quotas.
func (d Demand) Services() map[string]bool {
	services := map[string]bool{}
	for r, n := range d.Needed {
		if n > 0 {
			services[r.Service] = true
		}
	}
	return services
}

// DemandOf adds up the demand of a plan's steps. have contains the cloud's objects.
func DemandOf(p plan.Plan, kinds []*kind.Kind, have kind.Snapshot) Demand {
	d, facts := Demand{kind.Amounts{}, kind.Amounts{}}, factsIn(have)
	byName := map[string]*kind.Kind{}
	for _, k := range kinds {
		byName[k.Info.Kind] = k
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		k := byName[s.Key.Kind]
		if k == nil || k.QuotaUsed == nil || !s.Action.Writes() || inOtherProject(s, k) {
			continue
		}
		var takes, holds kind.Amounts
		if s.Action != plan.Delete {
			takes = k.QuotaNeeded(s.View())
		}
		if s.Have != nil {
			holds = k.QuotaUsed(s.Have.State, facts)
		}
		d.add(withLiveType(takes, holds), holds)
	}
	return d
}

// inOtherProject reports whether the object of a step is in another project, whose quotas are not the stack's.
func inOtherProject(s *plan.Step, k *kind.Kind) bool {
	if s.Have != nil {
		return !s.Have.InOwnProject
	}
	if k.Project == nil || s.Want == nil {
		return false
	}
	project := k.Project(s.View())
	return project.Name != "" && !project.Facts.OwnProject
}

// add adds the difference between the resources that an object needs after the plan and those that it has now.
func (d Demand) add(needed, used kind.Amounts) {
	for r, n := range needed {
		d.Needed.Add(r, max(0, n-used[r]))
		d.Freed.Add(r, max(0, used[r]-n))
	}
	for r, n := range used {
		if _, both := needed[r]; !both {
			d.Freed.Add(r, n)
		}
	}
}

// withLiveType returns needed with the type that the object has in the cloud, if its manifest does not choose a type.
func withLiveType(needed, used kind.Amounts) kind.Amounts {
	asked := map[kind.Resource]bool{}
	for r := range needed {
		if r.Type != "" {
			r.Type = ""
			asked[r] = true
		}
	}
	for r := range used {
		all := kind.Resource{Service: r.Service, Name: r.Name}
		if n, ok := needed[all]; ok && r.Type != "" && !asked[all] {
			needed[r] = n
		}
	}
	return needed
}

// Used adds up the project's use of a service's resources. It returns false if a collection of the service could not be listed.
func Used(kinds []*kind.Kind, have kind.Snapshot, service string) (held kind.Amounts, known bool) {
	held = kind.Amounts{}
	facts := factsIn(have)
	for _, k := range kinds {
		if k.Driver == nil || k.Info.Service != service {
			continue
		}
		c, listed := have[k.Info.Kind]
		if !listed || !c.Lists("") {
			return nil, false
		}
		for i := range c.Items {
			if seen := c.Items[i].SeenBy(""); seen != nil && k.QuotaUsed != nil && (seen.InOwnProject || k.Info.Scope == kind.OfUser) {
				held.AddAll(k.QuotaUsed(c.Items[i].State, facts))
			}
		}
	}
	return held, true
}

// factsIn finds the facts of objects by their IDs. Each collection is indexed on first use.
func factsIn(have kind.Snapshot) kind.FactsOf {
	indexes := map[string]map[string]kind.Facts{}
	return func(name, id string) kind.Facts {
		index := indexes[name]
		if index == nil {
			index = make(map[string]kind.Facts, len(have[name].Items))
			for _, item := range have[name].Items {
				index[item.ID] = item.Facts
			}
			indexes[name] = index
		}
		return index[id]
	}
}
