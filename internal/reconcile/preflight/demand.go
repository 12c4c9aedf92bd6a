package preflight

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Demand is how much of the cloud's resources a plan takes and gives back. A replaced object takes and
// gives back only the difference: the old object is gone when the new one comes.
type Demand struct {
	Takes, Gives kind.Amounts
}

// Services are the services from which the plan takes resources, as far as these have quotas.
func (d Demand) Services() map[string]bool {
	services := map[string]bool{}
	for r, n := range d.Takes {
		if n > 0 {
			services[r.Service] = true
		}
	}
	return services
}

// DemandOf adds up the demand of a plan's steps. have is what the cloud holds.
func DemandOf(p plan.Plan, kinds []*kind.Kind, have kind.Snapshot) Demand {
	d, facts := Demand{kind.Amounts{}, kind.Amounts{}}, factsIn(have)
	byName := map[string]*kind.Kind{}
	for _, k := range kinds {
		byName[k.Info.Kind] = k
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		k := byName[s.Key.Kind]
		if k == nil || k.Holds == nil || !s.Action.Writes() || elsewhere(s, k) {
			continue
		}
		var takes, holds kind.Amounts
		if s.Action != plan.Delete {
			takes = k.Takes(s.View())
		}
		if s.Have != nil {
			holds = k.Holds(s.Have.State, facts)
		}
		d.add(inherited(takes, holds), holds)
	}
	return d
}

// elsewhere reports whether the object of a step is in another project, whose quotas are not the stack's.
func elsewhere(s *plan.Step, k *kind.Kind) bool {
	if s.Have != nil {
		return !s.Have.InOwnProject
	}
	if k.Project == nil || s.Want == nil {
		return false
	}
	project := k.Project(s.View())
	return project.Name != "" && !project.Facts.Here
}

// add adds the difference between what one object takes and what it held.
func (d Demand) add(takes, holds kind.Amounts) {
	for r, n := range takes {
		d.Takes.Add(r, max(0, n-holds[r]))
		d.Gives.Add(r, max(0, holds[r]-n))
	}
	for r, n := range holds {
		if _, both := takes[r]; !both {
			d.Gives.Add(r, n)
		}
	}
}

// inherited adds the type that an object has in the cloud to what it takes, if its manifest leaves the
// type to the cloud.
func inherited(takes, holds kind.Amounts) kind.Amounts {
	asked := map[kind.Resource]bool{}
	for r := range takes {
		if r.Type != "" {
			r.Type = ""
			asked[r] = true
		}
	}
	for r := range holds {
		all := kind.Resource{Service: r.Service, Name: r.Name}
		if n, ok := takes[all]; ok && r.Type != "" && !asked[all] {
			takes[r] = n
		}
	}
	return takes
}

// Held adds up the project's use of a service's resources; known is false if a collection of the service
// could not be seen.
func Held(kinds []*kind.Kind, have kind.Snapshot, service string) (held kind.Amounts, known bool) {
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
			if seen := c.Items[i].As(""); seen != nil && k.Holds != nil && (seen.InOwnProject || k.Info.Scope == kind.OfUser) {
				held.AddAll(k.Holds(c.Items[i].State, facts))
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
