package engine

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Drift is detected in every round. A pass also corrects changes that somebody
// makes by hand while it runs, and must report them.

// noteDrift records drift that the first plan did not show.
func (r *run) noteDrift(p plan.Plan) {
	for i := range p.Steps {
		s := &p.Steps[i]
		if !s.Drift || r.drifted[s.Identity()] {
			continue
		}
		first := r.pass.Rounds == 1
		if !first && r.madeByPass(s) {
			continue
		}
		r.drifted[s.Identity()] = true
		if !first {
			r.pass.LateDrift = append(r.pass.LateDrift, s.Recorded())
		}
	}
}

// noteBegun records that a step is started. From now on, differences of the step's object are caused by the stack itself. The same is true
// for objects that refer to it, directly or through others, because they may have to be changed, too. An object that already counts as
// drift still counts as drift.
func (r *run) noteBegun(s plan.Step) {
	if s.Surplus {
		return
	}
	keys := []manifest.Key{s.Key}
	known := map[manifest.Key]bool{s.Key: true}
	for i := 0; i < len(keys) && s.Alters(); i++ {
		for _, user := range r.usersOf(keys[i]) {
			if !known[user] {
				known[user], keys = true, append(keys, user)
			}
		}
	}
	r.engine.past().NoteBegun(slices.DeleteFunc(keys, func(key manifest.Key) bool { return r.drifted[key.String()] }))
}

// noteRequested records that all requested replacements are started. If the process is killed during one of them, the commit does not show that
// the missing object was deleted by the agent, so it would count as drift.
func (r *run) noteRequested() {
	for _, s := range r.round.plan.Steps {
		if s.Action == plan.Recreate {
			r.noteBegun(s)
		}
	}
}

// usersOf returns the objects whose manifests refer to another object.
func (r *run) usersOf(key manifest.Key) []manifest.Key {
	if r.users == nil {
		r.users = map[manifest.Key][]manifest.Key{}
		for i := range r.rev.Want {
			d := &r.rev.Want[i]
			if d.Virtual {
				continue
			}
			for _, ref := range d.Refs {
				r.users[ref.Key] = append(r.users[ref.Key], d.Key)
			}
		}
	}
	return r.users[key]
}

// madeByPass reports whether the pass itself may have caused the difference, because it wrote to the
// object. An object that is gone, and that the pass did not delete, was deleted by somebody else.
func (r *run) madeByPass(s *plan.Step) bool {
	if s.Lost != "" {
		return false
	}
	_, busy := r.doing[s.Identity()]
	return busy || r.histories[s.Identity()] != nil
}

// listed returns when the newest list of a kind began. It is the zero time if that list failed, since an object that cannot be listed is not
// gone.
func (r *run) listed(kind string) time.Time {
	if c := r.snapshot[kind]; c.Refused || firstError(c) != nil {
		return time.Time{}
	}
	return r.fresh[kind].began
}

// vanishedAgain reports whether an object that this pass itself created is gone again, because the cloud or a person deleted it. The pass
// does not create it again and again. It ends, and the next pass continues after a pause.
func (r *run) vanishedAgain(s plan.Step) bool {
	t := r.histories[s.Identity()]
	return s.Action == plan.Create && s.Lost != "" && t != nil && t.times(plan.Create) > 0
}
