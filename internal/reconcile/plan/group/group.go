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

// The members of a group stand in for each other (see [kind.Group]), so which of them
// may be interrupted now is decided for all of them together: by package rollout, to which this
// file says how they are. What that changes for the next planner is in learn.go, what of
// it becomes of the steps in turns.go.

// Groups are the groups of a stack, as the steps of one planner show them, with what is decided about their members.
type Groups struct {
	given
	before Learned
	found  Found
	was    map[*kind.Live]manifest.Key
	steps  []plan.Step

	list    []*group
	former  []former                      // members that groups have no more
	stepsOf map[*kind.Live]*plan.Step     // the steps of wanted objects
	hidden  map[manifest.Key]manifest.Key // by group, the first object of the stack that may judge its members and cannot be seen
	SeenNow plan.Seen                     // for the next plan
	Failing []plan.Failing
}

// Of finds the groups of a stack of which every object was decided about, and decides about their members: known is what they learned before, was which former
// members there are.
func Of(w *world.World, known Learned, found Found, was map[*kind.Live]manifest.Key, steps []plan.Step) *Groups {
	gs := &Groups{given: given{w}, before: known, found: found, was: was, steps: steps}
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
			gs.judge(g, m)
		}
		if g.busy() {
			gs.decideGroup(g)
		}
	}
	return gs
}

// of is a group of the stack; nil for what has no members.
func (gs *Groups) of(key manifest.Key) *group {
	if i := slices.IndexFunc(gs.list, func(g *group) bool { return g.key == key }); i >= 0 {
		return gs.list[i]
	}
	return nil
}

// group is what a group of the stack consists of.
type group struct {
	key      manifest.Key
	strategy rollout.Strategy
	members  []*member // in the order of their numbers; steps come in the order of references
	judges   []string  // kinds of objects that say whether members serve
	// decision is about the members of a group of which something is to be done: decided says so.
	decision rollout.Decision
	decided  bool
	unseen   manifest.Key // what may judge members and cannot be seen; zero for nothing
	unhealed string       // why members that do not serve are left so; "" where none are
	renewed  manifest.Key // what members share and is made first; zero for nothing
}

// member is what a group consists of: all steps of one of its children.
type member struct {
	*plan.Part
	spare bool            // it is there only while others are interrupted
	found rollout.Finding // of its probes
	began time.Time       // when it began to work, or was brought back last; the zero time where that is not known
	until time.Time       // where it does not serve: when it was first seen not to after it had, as it is now; the zero time for never
	steps []*plan.Step
	works *plan.Step // that of the object which does its work; nil where that is not in the plan
	// changes are the steps that interrupt a member that works, unfinished those that make
	// something of it.
	changes, unfinished []*plan.Step
	// accuser is the step of an object that uses the member and says that it does not serve.
	accuser *plan.Step
	// fronts are those of objects that send something to the member, and since when they do not; the
	// zero time when they do.
	fronts []front
}

// everyGroup finds all groups that have members, and tells each step which member it is of.
func (gs *Groups) everyGroup() (groups []*group) {
	at, members := map[manifest.Key]*group{}, map[manifest.Key]*member{}
	for i := range gs.steps {
		s := &gs.steps[i]
		if s.Part = gs.PartOf(s.Want); s.Part == nil || s.Surplus || s.Unmanaged() {
			continue // what is only used is shared with other members
		}
		m := members[s.Part.Member]
		if m == nil {
			m = &member{Part: s.Part, spare: gs.ByKey[s.Part.Member].Spare, found: gs.Sick[s.Part.Member]}
			members[m.Member] = m
			if at[m.Group] == nil {
				at[m.Group] = gs.newGroup(m.Group)
				groups = append(groups, at[m.Group])
			}
			at[m.Group].members = append(at[m.Group].members, m)
		}
		s.Part = m.Part // one for all of a member
		m.add(s, gs.DoesTheWork(s.Key, m.Member))
	}
	for _, g := range groups {
		slices.SortFunc(g.members, func(a, b *member) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), natural.Compare(a.Member.Name, b.Member.Name))
		})
		away := 0
		if g.strategy.Consents && gs.Written(g.key) {
			away = g.strategy.AtOnce(g.replicas())
		}
		for _, m := range g.members {
			m.Away = away
			if m.works != nil && m.works.Have != nil {
				m.began, m.until = latest(m.works.Have.Since, healedAt(gs.Patients[m.Member])), gs.servedUntil(m)
			}
		}
	}
	return groups
}

// rank puts spares behind others.
func rank(m *member) int {
	if m.spare {
		return 1
	}
	return 0
}

func (w given) newGroup(key manifest.Key) *group {
	g := &group{key: key}
	if d := w.ByKey[key]; d.Rollout != nil {
		g.strategy = *d.Rollout
	}
	return g
}

// add takes in a step of the member; works says that it is about what does the work.
func (m *member) add(s *plan.Step, works bool) {
	m.steps = append(m.steps, s)
	if works {
		m.works = s
	}
	usable := s.Have != nil && s.Have.Phase.Usable()
	switch {
	case s.Action.Writes() && usable && s.Disruption() >= kind.Reboot:
		m.changes = append(m.changes, s)
	case s.Action == plan.Create, s.Action == plan.Wait && !s.Error, s.Action == plan.Recreate:
		m.unfinished = append(m.unfinished, s)
	}
}

// ails reports whether it is certain of a member that is there that it does not serve.
func (m *member) ails() bool {
	return m.works != nil && m.works.Have != nil && (m.found.Sure || m.works.Have.Down != "")
}

// runs reports whether what does the member's work can be used, and nothing is about to bring it back.
func (m *member) runs() bool {
	return m.works != nil && m.works.Have != nil && m.works.Have.Phase.Usable() && !m.works.Healing
}

// failing is since when the member does not serve that was changed or brought back: since it ceased to, where it was seen to serve.
func (m *member) failing() time.Time { return latest(m.began, m.found.Since, m.until) }

func (g *group) busy() bool {
	return slices.ContainsFunc(g.members, func(m *member) bool {
		return m.spare || g.heals() && m.ails() || m.found.Unproven || slices.ContainsFunc(m.steps, func(s *plan.Step) bool { return s.Action.Writes() || s.Action == plan.Wait })
	})
}

// outdated reports whether the group leaves the member as it is although it is not as wanted.
func (m *member) outdated() bool {
	return slices.ContainsFunc(m.steps, func(s *plan.Step) bool { return s.Frozen && len(s.Aside)+len(s.Changes) > 0 })
}

func (gs *Groups) decideGroup(g *group) {
	members := make([]rollout.Member, len(g.members))
	for i, m := range g.members {
		members[i] = gs.conditionOf(m)
	}
	g.decided = true
	g.decision = rollout.Decide(g.strategy, members, gs.Now)
	gs.holdUnseen(g, members)
	gs.holdRenewed(g)
}

// conditionOf is how a member is. One of which a part is missing does not serve, unless it is going to
// be interrupted anyway.
func (w given) conditionOf(m *member) rollout.Member {
	out := rollout.Member{Changes: len(m.changes) > 0 || m.outdated(), Spare: m.spare}
	turn := w.turnOf(m)
	out.Stays, out.Last = turn.Stay != "", turn.Last
	if !m.runs() {
		return out
	}
	out.Health = rollout.Serving
	if m.works.Have.Down != "" || m.accuser != nil || m.found.Sick != "" || !out.Changes && len(m.unfinished) > 0 {
		out.Health = rollout.Sick
	}
	if !w.Now.IsZero() {
		out.Since = m.began
	}
	return out
}

// judge notes which objects use a member and say whether it serves, and the first that says it does not.
// What takes its time to notice has the group wait for as long.
func (gs *Groups) judge(g *group, m *member) {
	for _, s := range m.steps {
		if s.Have == nil {
			continue
		}
		for _, user := range gs.Cloud.UsersOf(s.Have) {
			judge := gs.stepsOf[user]
			if judge == nil || !gs.KindOf[judge.Key.Kind].Info.ReportsHealth {
				continue
			}
			gs.faces(m, judge, s.Have)
			if user.Lag == 0 && len(user.Unwell) == 0 {
				continue
			}
			g.strategy.MinReady = max(g.strategy.MinReady, user.Lag)
			if !slices.Contains(g.judges, judge.Key.Kind) {
				g.judges = append(g.judges, judge.Key.Kind)
			}
			if m.accuser == nil && accuses(user, s.Have) {
				m.accuser = judge
			}
		}
	}
}

// accuses reports whether an object says of another one that it does not serve.
func accuses(user, of *kind.Live) bool {
	return slices.ContainsFunc(user.Unwell, func(token string) bool { return slices.Contains(of.Tokens, token) || token == of.ID })
}

func (m *member) has(key manifest.Key) bool {
	return slices.ContainsFunc(m.steps, func(s *plan.Step) bool { return s.Key == key })
}
