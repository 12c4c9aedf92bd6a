package group

import (
	"cmp"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// The members of a group can do each other's work (see [kind.Group]). Therefore package rollout decides for all of them together which ones
// may be interrupted now. This file passes the condition of each member to package rollout. The facts for the next planner are in learn.go,
// the effects on the steps are in turns.go.

// Groups has the groups of a stack that the steps of one planner result in, with the decisions about their members.
type Groups struct {
	worldReader
	known Learned
	found Found
	was   map[*kind.Live]manifest.Key
	steps []plan.Step

	list    []*group
	former  []former                      // members that groups no longer have.
	stepsOf map[*kind.Live]*plan.Step     // the steps of wanted objects.
	hidden  map[manifest.Key]manifest.Key // by group: the first object of the stack that may report whether members serve and that cannot be listed.
	SeenNow plan.Seen                     // the [plan.Seen] for the next plan
	Failing []plan.Failing
}

// Of finds the groups of a stack and decides about their members. steps are the decisions about all objects. The argument known has the decisions of
// groups in earlier planners. The argument was has the objects of former members, with the member that each belonged to.
func Of(w *world.World, known Learned, found Found, was map[*kind.Live]manifest.Key, steps []plan.Step) *Groups {
	gs := &Groups{worldReader: worldReader{w}, known: known, found: found, was: was, steps: steps}
	gs.list, gs.former = gs.everyGroup(), gs.findFormer()
	if len(gs.list)+len(gs.former) == 0 {
		return gs
	}
	gs.hidden = gs.judgesUnseen()
	gs.stepsOf = map[*kind.Live]*plan.Step{}
	for i := range gs.steps {
		if s := &gs.steps[i]; s.Have != nil && s.Want != nil && !s.Surplus {
			gs.stepsOf[s.Have] = s
		}
	}
	for _, g := range gs.list {
		for _, m := range g.members {
			gs.addJudges(g, m)
		}
		if g.busy() {
			gs.decideGroup(g)
		}
	}
	return gs
}

// find returns the group with a key. It returns nil if the object with that key has no members.
func (gs *Groups) find(key manifest.Key) *group {
	if i := slices.IndexFunc(gs.list, func(g *group) bool { return g.key == key }); i >= 0 {
		return gs.list[i]
	}
	return nil
}

// group is one group of the stack, with its members and the decision about them.
type group struct {
	key      manifest.Key
	strategy rollout.Strategy
	members  []*member // in the order of their numbers, unlike steps
	judges   []string  // kinds of the objects that report whether members serve
	// decision is the decision of package rollout about the members. decided is false for a group without work, which has no decision.
	decision  rollout.Decision
	decided   bool
	unseen    manifest.Key // the object that may report whether members serve and that cannot be listed; zero for none.
	unhealed  string       // why members that do not serve are not healed; "" if no member fails to serve.
	newShared manifest.Key // the object that members share and that is created before they are changed; zero for none
}

// member is a member of a group, with all steps about the member and its parts.
type member struct {
	*plan.Part
	spare  bool            // the member exists only while other members are interrupted.
	probed rollout.Finding // the result of its probes.
	began  time.Time       // the time at which the member began to run, or was last healed; the zero time if that is unknown.
	until  time.Time       // the time at which a member that served before was first seen not serving; the zero time for any other member.
	steps  []*plan.Step
	worker *plan.Step // the step of the object that does the member's work; nil if the plan has none.
	// changes are the steps that interrupt a member that runs. unfinished are the steps that create parts of the member, or that wait.
	changes, unfinished []*plan.Step
	// reporter is the step of an object that uses the member and reports that it does not serve.
	reporter *plan.Step
	// fronts are the objects that send traffic to the member.
	fronts []front
}

// everyGroup finds all groups that have members, and sets the Part of each step. A member that somebody deleted passes through these states:
//
//	the member       its step              decided by
//	--------------   -------------------   -----------------------------------------------------------------------------
//	is gone          creates the object    package decide (missing.go); add puts the step into unfinished
//	is being built   waits                 package decide; add puts the step into unfinished, and runs returns false
//	is unproven      keeps the object      awaitUnproven makes the pass wait for it. The round probes it after its first plan; in the second plan, conditionOf returns Sick
//	serves           keeps the object      serves (seen.go): it has worked for MinReady; noteServing records it for the next plan
//
// A group delays no creation of a member, and only a group with probes has unproven members. In the first two states, the health is Away. Until the
// member serves, package rollout counts it among the unavailable ones.
func (gs *Groups) everyGroup() (groups []*group) {
	at, members := map[manifest.Key]*group{}, map[manifest.Key]*member{}
	for i := range gs.steps {
		s := &gs.steps[i]
		if s.Part = gs.PartOf(s.Want); s.Part == nil || s.Surplus || s.Unmanaged() {
			continue // an imported object is shared with other members
		}
		m := members[s.Part.Member]
		if m == nil {
			m = &member{Part: s.Part, spare: gs.ByKey[s.Part.Member].Spare, probed: gs.Sick[s.Part.Member]}
			members[m.Member] = m
			if at[m.Group] == nil {
				at[m.Group] = gs.newGroup(m.Group)
				groups = append(groups, at[m.Group])
			}
			at[m.Group].members = append(at[m.Group].members, m)
		}
		s.Part = m.Part // all steps of a member share one Part
		m.add(s, gs.DoesTheWork(s.Key, m.Member))
	}
	for _, g := range groups {
		slices.SortFunc(g.members, func(a, b *member) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), natural.Compare(a.Member.Name, b.Member.Name))
		})
		atOnce := 0
		if g.strategy.Consents && gs.WrittenByPeople(g.key) {
			atOnce = g.strategy.AtOnce(g.replicas())
		}
		for _, m := range g.members {
			m.AtOnce = atOnce
			if m.worker != nil && m.worker.Have != nil {
				m.began, m.until = latest(m.worker.Have.Since, healedAt(gs.Patients[m.Member])), gs.servedUntil(m)
			}
		}
	}
	return groups
}

// rank returns a number by which spares are sorted behind the other members.
func rank(m *member) int {
	if m.spare {
		return 1
	}
	return 0
}

func (w worldReader) newGroup(key manifest.Key) *group {
	g := &group{key: key}
	if d := w.ByKey[key]; d.Rollout != nil {
		g.strategy = *d.Rollout
	}
	return g
}

// add adds a step to the member. isWorker is true if the step is about the object that does the member's work.
func (m *member) add(s *plan.Step, isWorker bool) {
	m.steps = append(m.steps, s)
	if isWorker {
		m.worker = s
	}
	usable := s.Have != nil && s.Have.Phase.Usable()
	switch {
	case s.Action.Writes() && usable && s.Disruption() >= kind.Reboot:
		m.changes = append(m.changes, s)
	case s.Action == plan.Create, s.Action == plan.Wait && !s.Error, s.Action == plan.Recreate:
		m.unfinished = append(m.unfinished, s)
	}
}

// isDown reports whether a member exists and certainly does not serve.
func (m *member) isDown() bool {
	return m.worker != nil && m.worker.Have != nil && (m.probed.Sure || m.worker.Have.Down != "")
}

// runs reports whether the object that does the member's work is usable, and is not about to be healed.
func (m *member) runs() bool {
	return m.worker != nil && m.worker.Have != nil && m.worker.Have.Phase.Usable() && !m.healing()
}

// healing reports whether the object that does the member's work is about to be healed.
func (m *member) healing() bool { return m.worker != nil && m.worker.Healing }

// failing returns the time since which a changed or healed member does not serve. If the member was seen serving after the change, it is
// the time at which it stopped.
func (m *member) failing() time.Time { return latest(m.began, m.probed.Since, m.until) }

func (g *group) busy() bool {
	return slices.ContainsFunc(g.members, func(m *member) bool {
		return m.spare || g.heals() && m.isDown() || m.probed.Unproven || slices.ContainsFunc(m.steps, func(s *plan.Step) bool { return s.Action.Writes() || s.Action == plan.Wait })
	})
}

// outdated reports whether the group keeps the member frozen although it differs from Git.
func (m *member) outdated() bool {
	return slices.ContainsFunc(m.steps, func(s *plan.Step) bool { return s.Frozen && len(s.Uncounted)+len(s.Changes) > 0 })
}

func (gs *Groups) decideGroup(g *group) {
	members := make([]rollout.Member, len(g.members))
	for i, m := range g.members {
		members[i] = gs.conditionOf(m)
	}
	g.decided = true
	g.decision = rollout.Decide(g.strategy, members, gs.Now)
	gs.holdUnseen(g, members)
	gs.awaitNewShared(g)
}

// conditionOf returns the condition of a member for package rollout. These say that a member does not serve:
//
//	who says it                      field                                    here
//	------------------------------   --------------------------------------   --------------------------
//	the cloud                        Live.Down of the worker                  Sick; patient: Down
//	the agent's probes               rollout.Finding.Sick, probed             Sick; patient: Silent if they are sure
//	an object that uses the member   Live.Unwell of the user, reporter        Sick; patient: Accused
//
// A member that lacks one of its parts counts as not serving, unless
// it is about to be interrupted for another reason.
func (w worldReader) conditionOf(m *member) rollout.Member {
	out := rollout.Member{Changes: len(m.changes) > 0 || m.outdated(), Spare: m.spare}
	turn := w.turnOf(m)
	out.Stays, out.Last = turn.Stay != "", turn.Last
	if !m.runs() {
		out.Health = rollout.Away
		return out
	}
	out.Health = rollout.Serving
	if m.worker.Have.Down != "" || m.reporter != nil || m.probed.Sick != "" || !out.Changes && len(m.unfinished) > 0 {
		out.Health = rollout.Sick
	}
	if !w.Now.IsZero() {
		out.Since = m.began
	}
	return out
}

// addJudges adds to g and m the objects that use the member and report whether it serves. The first of them that reports a failure is the
// reporter. If such an object notices a failure only after a time (Lag), the group waits for that time.
func (gs *Groups) addJudges(g *group, m *member) {
	for _, s := range m.steps {
		if s.Have == nil {
			continue
		}
		for _, user := range gs.Cloud.UsersOf(s.Have) {
			judge := gs.stepsOf[user]
			if judge == nil || !gs.KindOf[judge.Key.Kind].Info.ReportsHealth {
				continue
			}
			gs.addFront(m, judge, s.Have)
			if user.Lag == 0 && len(user.Unwell) == 0 {
				continue
			}
			g.strategy.MinReady = max(g.strategy.MinReady, user.Lag)
			if !slices.Contains(g.judges, judge.Key.Kind) {
				g.judges = append(g.judges, judge.Key.Kind)
			}
			if m.reporter == nil && reportsDown(user, s.Have) {
				m.reporter = judge
			}
		}
	}
}

// reportsDown reports whether an object reports that another one does not serve.
func reportsDown(user, of *kind.Live) bool {
	return slices.ContainsFunc(user.Unwell, func(token string) bool { return slices.Contains(of.Tokens, token) || token == of.ID })
}

func (m *member) has(key manifest.Key) bool {
	return slices.ContainsFunc(m.steps, func(s *plan.Step) bool { return s.Key == key })
}
