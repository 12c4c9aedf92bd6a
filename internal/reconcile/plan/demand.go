package plan

import (
	"math"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Demand is what carrying out a plan takes of the cloud, and gives back. A replaced object
// takes and gives back at once only what differs: the old one is gone when the new one comes.
type Demand struct {
	Takes, Gives kind.Amounts
}

// Services are those of which the plan takes something, as far as there are quotas for
// them.
func (d Demand) Services() map[string]bool {
	services := map[string]bool{}
	for r, n := range d.Takes {
		if n > 0 {
			services[r.Service] = true
		}
	}
	return services
}

// Demand sums up what the steps of the plan take. have is what the cloud holds.
func (p Plan) Demand(kinds []*kind.Kind, have kind.Snapshot) Demand {
	d, facts := Demand{kind.Amounts{}, kind.Amounts{}}, factsIn(have)
	byName := map[string]*kind.Kind{}
	for _, k := range kinds {
		byName[k.Info.Kind] = k
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		k := byName[s.Key.Kind]
		if k == nil || k.Holds == nil || !s.Action.Writes() || s.elsewhere(k) {
			continue
		}
		var takes, holds kind.Amounts
		if s.Action != Delete {
			takes = k.Takes(s.View())
		}
		if s.have != nil {
			holds = k.Holds(s.have.State, facts)
		}
		d.add(inherited(takes, holds), holds)
	}
	return d
}

// elsewhere reports whether the object is in another project, whose quotas are not the stack's.
func (s *Step) elsewhere(k *kind.Kind) bool {
	if s.have != nil {
		return !s.have.InOwnProject
	}
	if k.Project == nil || s.want == nil {
		return false
	}
	project := k.Project(s.View())
	return project.Name != "" && !project.Facts.Here
}

// add adds what one object takes more than it held, or less.
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

// inherited gives what an object takes the type that it has in the cloud, where its
// manifest leaves the type to the cloud.
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

// Held sums up what the project has of what a service gives out; known is false where a
// collection of the service could not be seen.
func Held(kinds []*kind.Kind, have kind.Snapshot, service string) (held kind.Amounts, known bool) {
	held = kind.Amounts{}
	facts := factsIn(have)
	for _, k := range kinds {
		if k.Driver == nil || k.Info.Service != service {
			continue
		}
		c, listed := have[k.Info.Kind]
		if !listed || !c.Shows("") {
			return nil, false
		}
		for i := range c.Items {
			if seen := c.Items[i].As(""); seen != nil && k.Holds != nil && (seen.InOwnProject || k.Info.PerUser) {
				held.AddAll(k.Holds(c.Items[i].State, facts))
			}
		}
	}
	return held, true
}

// factsIn finds the facts of objects by their IDs, each collection indexed when it is
// first asked for.
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

// Quota is what a plan takes of one resource, and what there is.
type Quota struct {
	kind.Resource
	Takes, Gives int64
	Limit, Used  int64 // below 0: no limit, and not known
}

// Free is what the quota leaves, the largest number where it has no limit; ok is false
// where that is not known.
func (q Quota) Free() (free int64, ok bool) {
	switch {
	case q.Limit < 0:
		return math.MaxInt64, true
	case q.Used < 0:
		return 0, false
	}
	return max(0, q.Limit-q.Used), true
}

// Short is by how much the quota is too small for the plan as a whole; 0 when it is not,
// or that is not known.
func (q Quota) Short() int64 {
	free, ok := q.Free()
	if !ok || q.Takes <= 0 {
		return 0
	}
	return max(0, max(0, q.Takes-q.Gives)-free)
}

// Tight reports whether there is room only once the plan has deleted something.
func (q Quota) Tight() bool {
	free, ok := q.Free()
	return ok && q.Short() == 0 && q.Takes > free
}
