package engine

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Drift is looked for in every round: what is changed by hand while a pass runs
// is corrected by that pass, and must be reported as well.

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
			r.pass.Late = append(r.pass.Late, s.Recorded())
		}
	}
}

// noteBegun records that a step is started: from now on its object differs by the stack's own doing, and so does what refers to it and has to
// follow, and what refers to that. What somebody else has changed stays theirs.
func (r *run) noteBegun(s plan.Step) {
	if s.Surplus() {
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
	for _, key := range keys {
		if !r.drifted[key.String()] {
			r.engine.Begun.note(key)
		}
	}
}

// usersOf are the objects whose manifests refer to another.
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

// madeByPass reports whether the pass itself may have made the difference: it wrote to the
// object. An object that was there and that the pass did not delete is gone by somebody else's doing.
func (r *run) madeByPass(s *plan.Step) bool {
	if s.Lost() != "" {
		return false
	}
	_, busy := r.doing[s.Identity()]
	return busy || r.histories[s.Identity()] != nil
}

// listed is when the newest list of a kind was begun.
func (r *run) listed(kind string) time.Time { return r.fresh[kind].began }

// missOverdue has what was made, and should be in lists by now, count as gone where it is not.
func (r *run) missOverdue() {
	r.engine.Unanswered.overdue(r.listed, func(id, object string) { r.engine.ids[id] = object })
}

// vanishedAgain reports whether an object that this very pass created is gone again: the cloud, or somebody, has deleted it. A pass does not
// race with them: it ends, and the next one goes on after a pause.
func (r *run) vanishedAgain(s plan.Step) bool {
	t := r.histories[s.Identity()]
	return s.Action == plan.Create && s.Lost() != "" && t != nil && t.runs[plan.Create] > 0
}

// noteMade records that this process has made an object.
func (e *Engine) noteMade(id, object string) {
	if e.made == nil {
		e.made = map[string]string{}
	}
	e.made[id] = object
}

// noteUsable forgets that this process has made what can be used by now, or is no longer there.
func (e *Engine) noteUsable(p plan.Plan) {
	if len(e.made) == 0 {
		return
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if have := s.Have(); have != nil && !s.Surplus() && (have.ID != e.made[s.Identity()] || have.Phase.Usable() || have.InUse) {
			delete(e.made, s.Identity())
		}
	}
}

// rememberIDs records what the objects of the stack are in the cloud, for when
// they are gone (see [plan.Input.Lost]). What the pass itself deletes is not missed.
// Only this process knows; after a restart nobody does. Only a mark says that an object is the stack's: what is
// only used, or would be adopted, is not remembered, as it would be taken for one that has lost its mark.
func (r *run) rememberIDs(p plan.Plan) {
	for i := range p.Steps {
		s := &p.Steps[i]
		id := s.Identity()
		if s.Unmanaged() {
			delete(r.engine.ids, id)
			continue
		}
		if s.Have() == nil || s.Want() == nil || s.Surplus() || s.Have().Phase == kind.Deleting || s.Have().Unmade || s.Have().Mark == nil || s.Adopts {
			continue
		}
		if _, busy := r.doing[id]; busy || r.destroyed[id] || r.engine.Begun.going(s.Key) {
			continue
		}
		if r.engine.Unanswered.seen(id, s.ID(), r.listed(s.Key.Kind)) {
			r.engine.ids[id] = s.Have().ID
		}
	}
}
