package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// round is one plan, with the steps of it that the run starts. A new plan follows every list, and the end of a step as soon as
// nothing more of the present plan can be started.
type round struct {
	plan plan.Plan
	// queue are the steps that nothing in the plan blocks, in order.
	queue []candidate
	// rollouts are the groups whose members the plan changes.
	rollouts []plan.Rollout
	// waiting are the objects that the cloud works on, oldest first.
	waiting []Activity
	// awaitedKinds are the collections with objects that the run waits for.
	awaitedKinds map[string]bool
	// awaited are the objects that the run waits for.
	awaited awaited
	// needed are the kinds for whose objects a step waits; needsAll is true if these may be of any kind.
	needed   map[string]bool
	needsAll bool
	// settling has the collections with objects that only have to serve until a known time, with that time.
	settling map[string]time.Time
	// outdated are the collections whose lists are too old for a step that needs a recent list.
	outdated map[string]bool
	// writes counts the steps that change the cloud. done counts the steps among them that were carried out.
	writes, done int
}

type candidate struct {
	id    string
	step  *plan.Step
	until time.Time // end of its pause; zero without one
}

// newRound returns the round of a plan, without its steps.
func newRound(made plan.Plan) round {
	rollouts := made.Rollouts()
	return round{plan: made, rollouts: rollouts, needsAll: len(rollouts) > 0,
		awaitedKinds: map[string]bool{}, needed: map[string]bool{}, settling: map[string]time.Time{}, outdated: map[string]bool{}}
}

// planRound makes a plan from the present snapshot, and finds the steps that can be started. The brake has checked only the first plan, so startOf
// makes sure that later plans do not destroy more. noteOutcome has stored the new state of objects in r.changed, and mergeChanged adds it to the
// snapshot.
func (r *run) planRound(ctx context.Context) {
	defer trace.Begin(ctx, "plan", nil)(false)
	r.pass.Rounds++
	r.answersUnplanned, r.listsUnplanned = false, false
	r.mergeChanged()
	r.round = round{} // the old plan is released first, so that two plans are never in memory
	past := r.engine.past()
	past.NoteCreatedAndGone(r.listed)
	made := r.compare()
	if sick := r.engine.probe(ctx, made); !maps.Equal(sick, r.sick) {
		r.sick = sick
		made = r.compare()
	}
	if len(r.skipped) > 0 && !made.Quiet() {
		r.listSkipped(ctx)
		made = r.compare()
	}
	if r.chosen == nil {
		r.chosen = guard.Choose(made, r.rev.Targets)
	}
	if r.rev.Recreate && r.rev.firstIDs == nil {
		r.rev.firstIDs = idsOf(made)
	}
	made = made.Apply(r.chosen.Limit)
	past.NotePlan(made, memory.Round{Now: time.Now(), Listed: r.listed, Busy: r.atWork})
	made = made.Redacted(r.secrets)
	r.noteFinished(made, time.Now())
	r.noteDrift(made)
	r.round = newRound(made)
	for i := range made.Steps {
		s := &made.Steps[i]
		r.noteNeeds(s)
		if t, due := s.Tending(); due && r.rev.Only == "" && made.Limit == nil {
			tending := t // a copy, so that only the steps that tend are allocated
			s = &tending
		} else if !s.Action.Writes() {
			continue
		}
		r.round.writes++
		id := s.Identity()
		if _, busy := r.doing[id]; busy || len(s.Awaits) > 0 || len(s.Blockers) > 0 || r.fresh[s.Key.Kind].stale[s.Key] {
			continue // a later plan decides about this key, because its step is in flight, or its state is unknown until the next list
		}
		r.round.queue = append(r.round.queue, candidate{id: id, step: s})
	}
	r.trackPending(time.Now())
}

// compare returns the plan for the present snapshot.
func (r *run) compare() plan.Plan {
	known, before := maps.Clone(r.snapshot), r.engine.past().Past() // a copy, because r.snapshot changes when lists arrive
	before.Sick = r.sick
	return r.engine.compute(r.rev, known, before)
}

// idsOf returns the IDs of the objects of a plan.
func idsOf(p plan.Plan) map[string]bool {
	ids := map[string]bool{}
	for _, s := range p.Steps {
		ids[s.ID()] = true
	}
	return ids
}

// atWork reports whether the pass is changing the object of a step, or has deleted it.
func (r *run) atWork(id string) bool {
	_, busy := r.doing[id]
	return busy || r.destroyed[id]
}

// dispatch starts the steps that can be started, until the maximum number of steps is in flight. It removes from the queue the steps that
// cannot run in this round.
func (r *run) dispatch(stepCtx context.Context) {
	now := time.Now()
	queue, paused, next := r.round.queue, 0, 0
	for ; next < len(queue) && len(r.doing) < r.engine.parallelism(); next++ {
		t := queue[next]
		t.until = time.Time{}
		switch r.startOf(t, now) {
		case atOnce:
			r.start(stepCtx, t)
		case afterList:
			for _, kind := range r.olderThanNeeded(t.step) {
				r.round.outdated[kind] = true
			}
			queue[paused] = t
			paused++
		case afterPause:
			t.until = r.notUntil(t)
			queue[paused] = t
			paused++
		case notInThisRound:
		}
	}
	copy(queue[next-paused:next], queue[:paused])
	r.round.queue = queue[next-paused:]
}

// startTime says when a step can be started.
type startTime int

const (
	atOnce startTime = iota
	afterPause
	afterList // after a new list, because people may have changed the mark, or the cloud may have created the object late
	notInThisRound
)

// startOf returns when a step can be started.
func (r *run) startOf(t candidate, now time.Time) startTime {
	s := t.step
	if r.rev.healing && !r.heals(s) {
		return notInThisRound
	}
	if closes := r.round.plan.Closes; r.round.plan.Suspended != "" || !closes.IsZero() && !now.Before(closes) {
		return notInThisRound // the window has closed
	}
	_, harms := s.Harm()
	if closes := r.round.plan.HarmCloses; harms && !closes.IsZero() && !now.Before(closes) {
		return notInThisRound
	}
	if r.unforeseen(*s) {
		return notInThisRound
	}
	if !r.permission.Allows(r.engine.Stack, *s) {
		return notInThisRound
	}
	if r.fresh[s.Key.Kind].stale[s.Key] {
		return notInThisRound // another step for the same key has ended
	}
	a, listed := r.histories[t.id], r.fresh[s.Key.Kind]
	if a != nil && (a.final || a.repeats(s.Action) || a.ineffectiveChange(*s) != "" || a.didUpkeep(*s) || r.onlyUpkeep(a, *s)) {
		return notInThisRound
	} else if now.Before(r.notUntil(t)) {
		return afterPause
	}
	if r.refusedDemand(s) != nil || r.vanishedAgain(*s) {
		return notInThisRound
	}
	if len(r.outdatedHealthKinds(s)) > 0 {
		return afterList
	}
	if needsRecentList(s) && now.Sub(listed.at) > r.timing.MaxListAge || listed.began.Before(r.notShownUntil(s)) {
		return afterList
	}
	return atOnce
}

// unforeseen reports whether a step destroys more of its object than the first plan, which is the only one that the brake has checked.
// Steps that only cut off users do not count: the first plan showed them as well, and an update in several requests may show the rest of
// the same change.
func (r *run) unforeseen(s plan.Step) bool {
	d, harms := s.Harm()
	return harms && d > r.permitted[s.Identity()] && !s.CutsOnly() && !r.healable(s)
}

// leavesUnforeseen reports whether the last plan has unforeseen steps that nothing else blocks.
func (r *run) leavesUnforeseen() bool {
	return slices.ContainsFunc(r.round.plan.Steps, func(s plan.Step) bool {
		return s.Action.Writes() && len(s.Awaits) == 0 && len(s.Blockers) == 0 && r.unforeseen(s)
	})
}

// needsRecentList reports whether a step needs a recent list, which shows that the object does not belong to another owner. The effect of such
// a step on another owner's object could not be undone.
func needsRecentList(s *plan.Step) bool {
	_, harms := s.Harm()
	return harms || s.Adopts || s.Action.Destroys() || s.Action == plan.Detach
}

// notUntil returns the earliest time at which a step can be tried; zero for any time.
func (r *run) notUntil(t candidate) (at time.Time) {
	if a := r.histories[t.id]; a != nil {
		at = a.notUntil
	}
	if until := r.notShownUntil(t.step); until.After(at) && r.fresh[t.step.Key.Kind].began.Before(until) {
		at = until
	}
	return at
}

// outdatedHealthKinds returns the kinds whose objects report whether other members of the group serve, if their lists are older than the
// list of the member. Such a list may not show the effect of the last step yet.
func (r *run) outdatedHealthKinds(s *plan.Step) (kinds []string) {
	for _, kind := range s.Judges {
		if r.fresh[kind].at.Before(r.fresh[s.Key.Kind].at) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// olderThanNeeded returns the collections that must be listed again before a step can be started.
func (r *run) olderThanNeeded(s *plan.Step) []string {
	if kinds := r.outdatedHealthKinds(s); len(kinds) > 0 {
		return kinds
	}
	return []string{s.Key.Kind}
}

// progress returns the present progress of the pass.
func (r *run) progress() Progress {
	p := Progress{Commit: r.rev.Commit, Began: r.pass.Started, At: time.Now(), Done: r.writeCount, Total: r.writeCount + r.round.writes - r.round.done, Waiting: r.round.waiting, Rollouts: r.round.rollouts}
	p.Doing = slices.AppendSeq(make([]Activity, 0, len(r.doing)), maps.Values(r.doing))
	slices.SortFunc(p.Doing, oldest)
	return p
}

func oldest(a, b Activity) int {
	return cmp.Or(a.Since.Compare(b.Since), a.Key.Compare(b.Key))
}
