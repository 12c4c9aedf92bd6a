package plan

import (
	"cmp"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Members of a group that need no change and do not serve are brought back as its strategy says: package
// rollout decides whom, when and how, and this file makes steps of it. What somebody has to remember, since
// when a member does not serve and what was done about it, is with the caller: see [Plan.Patients].

// healing is what the groups' strategies have done about members.
type healing struct {
	cures   map[manifest.Key]cure   // by member
	treated map[manifest.Key]string // the groups of which that is decided, and why nothing is done there
}

// cure is what is done about a member, and why.
type cure struct {
	rollout.Cure
	stands string // in words that stay the same as long as the member stays so
	why    cause.Cause
}

// patient is how a member is, and what it is a patient for.
func (w *world) patient(m *member) rollout.Patient {
	if m.works == nil || m.works.have == nil || !m.works.have.Phase.Usable() {
		return rollout.Patient{Away: true}
	}
	out := rollout.Patient{Down: m.works.have.Down, Silent: w.Sick[m.member].Sure && m.works.have.Down == "", Accused: m.accuser != nil, Since: w.Now, Healed: w.Patients[m.member].Healed}
	if before := w.Patients[m.member]; before.Down == out.Down && before.Silent == out.Silent && !before.Since.IsZero() {
		out.Since = before.Since
	}
	return out
}

// learnHealing decides whom of a group to heal, and reports whether there are any. One that is changed now
// needs nothing else.
func (gs *groups) learnHealing(g *group, next learned) (news bool) {
	if _, done := gs.healing.treated[g.key]; done || gs.Now.IsZero() || !g.heals() {
		return false
	}
	patients := make([]rollout.Patient, len(g.members))
	for i, m := range g.members {
		if patients[i] = gs.patient(m); m.spare {
			patients[i] = rollout.Patient{Away: patients[i].Away}
		}
		patients[i].Changes = len(m.changes) > 0 && g.decision.Verdicts[i] == rollout.Go && !gs.Healing
	}
	out := g.strategy.Heal.Treat(patients, g.strategy.Unavailable(g.replicas()), gs.Now)
	next.healing.treated[g.key], g.unhealed = out.Held, out.Held
	for i, m := range g.members {
		if out.Cures[i] != "" {
			c := cure{Cure: out.Cures[i], stands: patients[i].Down, why: cause.Of(cause.DownFor, patients[i].Down, gs.Now.Sub(patients[i].Since).Round(time.Second))}
			if patients[i].Silent {
				c.stands, c.why = "does not answer its probes", cause.Of(cause.Unanswering, gs.Sick[m.member].Sick)
			}
			next.healing.cures[m.member], news = c, true
		}
	}
	return news
}

// heals reports whether members of the group may be healed at all.
func (g *group) heals() bool { return g.strategy.Heal.PerHour > 0 }

// cureOf is what is to be done about an object because of the member whose work it does.
func (p *planner) cureOf(d *kind.Desired) (cure, bool) {
	if len(p.healing.cures) == 0 {
		return cure{}, false
	}
	part := p.partOf(d)
	if part == nil {
		return cure{}, false
	}
	c, sick := p.healing.cures[part.member]
	return c, sick && p.doesTheWork(d.Key, part.member)
}

// HealthField is the field name under which it is reported that a member of a group is healed.
const HealthField = "health"

// heal makes the step that brings back what does the work of a member.
func (p *planner) heal(s Step, d *kind.Desired, c cure) Step {
	s.Drift, s.heals = true, true
	if c.Cure == rollout.Replace && p.Healing && !p.applied(d, s.have.Mark) {
		s.heals = false // it would become what nobody has approved of
		return s.withAction(Wait, c.why, cause.Of(cause.HealsOnApproval))
	}
	if c.Cure == rollout.Replace {
		return p.recreate(s, d, c.why)
	}
	if s.have.Mark != nil { // nothing else of it is changed, whatever its group's template is now
		view := *s.view
		view.Mark.Applied, view.Mark.Refused = s.have.Mark.Applied, s.have.Mark.Refused
		s.view = &view
	}
	way := kind.Way{Name: string(c.Cure)}
	ways := p.kinds[d.Key.Kind].Cures
	if i := slices.IndexFunc(ways, func(w kind.Way) bool { return w.Name == way.Name }); i >= 0 {
		way = ways[i]
	}
	s.Changes = []kind.Change{{Field: HealthField, Have: c.stands, Want: "serves", Disruption: way.Disruption, Loss: way.Loss, Way: way.Name}}
	return s.withAction(Update, c.why)
}

// tellHeld says of members that would be healed why they are not.
func (gs *groups) tellHeld() {
	for _, g := range gs.list {
		held := cmp.Or(gs.healing.treated[g.key], g.unhealed)
		for _, m := range g.members {
			if s := m.works; held != "" && s != nil && s.have != nil && !s.heals && (s.have.Down != "" || s.sick != "") {
				if s.sick != "" {
					s.sick += "; "
				}
				s.sick += held
			}
		}
	}
}

// Patients are the members of groups that do not serve, or were healed within an hour: what the next plan has
// to know of them.
func (p Plan) Patients(before map[manifest.Key]rollout.Patient, now time.Time) map[manifest.Key]rollout.Patient {
	out := map[manifest.Key]rollout.Patient{}
	for _, s := range p.Steps {
		if s.part != nil && len(before[s.part.member].Healed) > 0 {
			out[s.part.member] = rollout.Patient{Healed: before[s.part.member].Healed}
		}
	}
	for _, s := range p.Steps {
		if s.part == nil || !s.works || !s.have.Phase.Usable() {
			continue
		}
		if s.have.Down == "" && !s.silent {
			if served := s.sick == ""; served {
				forgetHealed(out, s.part.member, now)
			}
			continue
		}
		was, next := before[s.part.member], rollout.Patient{Down: s.have.Down, Silent: s.silent, Since: now, Healed: out[s.part.member].Healed}
		if was.Down == next.Down && was.Silent == next.Silent && !was.Since.IsZero() {
			next.Since = was.Since
		}
		out[s.part.member] = next
	}
	return out
}

// forgetHealed forgets what was done long ago about a member that serves.
func forgetHealed(patients map[manifest.Key]rollout.Patient, member manifest.Key, now time.Time) {
	healed := slices.DeleteFunc(slices.Clone(patients[member].Healed), func(t time.Time) bool { return now.Sub(t) >= time.Hour })
	if len(healed) == 0 {
		delete(patients, member)
		return
	}
	patients[member] = rollout.Patient{Healed: healed}
}

// Heals is the member of a group that the step brings back; false when it does not.
func (s Step) Heals() (member manifest.Key, ok bool) {
	if s.part == nil || !s.heals {
		return manifest.Key{}, false
	}
	return s.part.member, true
}

// Heals reports whether members may be healed while the plan is held: groups that heal theirs have some that do not serve. Where every change waits
// for an approval this is one of them.
func (p Plan) Heals() bool {
	return p.Held != nil && p.Manual == "" && p.Suspended == "" && slices.ContainsFunc(p.Steps, func(s Step) bool {
		return s.part != nil && s.works && s.have != nil && (s.heals || s.have.Down != "" || s.silent)
	})
}

// OnlyHealing is the plan with nothing to do but to heal members.
func (p Plan) OnlyHealing() Plan {
	return p.mapSteps(func(s Step) Step {
		if s.heals || !s.Action.Writes() {
			return s
		}
		s.Action = Keep
		return s
	})
}
