package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// obstacleSearch finds what a replacement has to wait for. A replacement deletes its object before it creates the new one. So it does not
// start while the new one could not be created. Otherwise the object would be missing until a person has acted:
//
//	the step                             what it waits for
//	-----------------------------------  ------------------------------------------------------
//	replace b, to depend on the new a    the obstacle of a, which is c
//	replace a, to depend on c            c is usable
//	refuse c, or wait for c              a person corrects something, or the cloud finishes c
type obstacleSearch struct {
	p         *planner
	at        map[manifest.Key]int // the index of a key's step
	obstacles map[manifest.Key]manifest.Key
}

// awaitObstacles makes each replacement wait for the obstacle of each object that its new object needs. An object that itself waits for the
// replacement is no obstacle.
func (p *planner) awaitObstacles(g *waits) {
	if g == nil {
		return
	}
	r := obstacleSearch{p, g.at, map[manifest.Key]manifest.Key{}}
	for i := range p.steps {
		s := &p.steps[i]
		if s.Action != plan.Recreate {
			continue
		}
		for _, key := range r.needs(s) {
			if slices.Contains(s.Awaits, key) {
				continue
			}
			if o := r.obstacle(key); o != (manifest.Key{}) && !slices.Contains(s.Awaits, o) && !g.reaches(g.at[o], i) {
				s.Awaits = append(s.Awaits, o)
			}
		}
	}
}

// needs returns the objects that must exist before the object of a step is created.
func (r obstacleSearch) needs(s *plan.Step) (keys []manifest.Key) {
	for _, ref := range s.Want.Refs {
		if target := r.p.ByKey[ref.Key]; target != nil && !target.Virtual && !ref.Late {
			keys = append(keys, ref.Key)
		}
	}
	return keys
}

// obstacle returns the first object that prevents the creation of an object that needs the key: it is not usable, and no step of the plan
// changes it. The obstacle is the needed object itself, or one that the needed object needs, and so on; zero if there is none. Each key is
// computed once, so the search ends even if objects need each other.
func (r obstacleSearch) obstacle(key manifest.Key) manifest.Key {
	if known, ok := r.obstacles[key]; ok {
		return known
	}
	r.obstacles[key] = manifest.Key{}
	i, ok := r.at[key]
	if !ok || r.p.ready(key) && !r.p.found.GetsNewID[key] {
		return manifest.Key{}
	}
	s := &r.p.steps[i]
	if s.Want == nil || !s.Action.Writes() {
		r.obstacles[key] = key
		return key
	}
	for _, need := range slices.Concat(s.Awaits, r.needs(s)) {
		if found := r.obstacle(need); found != (manifest.Key{}) {
			r.obstacles[key] = found
			break
		}
	}
	return r.obstacles[key]
}
