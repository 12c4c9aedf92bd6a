package plan

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// memberStep returns the step of an object that does the work of a member.
func memberStep(action Action, group, member string) Step {
	s := Step{Key: named(member), Action: action, Object: Object{Want: &kind.Desired{}, Have: &kind.Live{ID: "id-" + member, Phase: kind.Ready, Facts: kind.Facts{Address: "10.0.0.1"}}}}
	s.Part, s.IsWorker = &Part{Group: named(group), Member: named(member)}, true
	return s
}

func with(s Step, change func(*Step)) Step {
	change(&s)
	return s
}

// A rollout is in progress while members are created or interrupted. A member counts as done if it serves and needs no step.
func TestHowFarGroupsAre(t *testing.T) {
	t.Parallel()
	reboot := func(s *Step) { s.Changes = []kind.Change{{Disruption: kind.Reboot}} }
	keep := memberStep(Keep, "g", "z")
	for name, c := range map[string]struct {
		steps []Step
		want  string
	}{
		"nothing is done":           {[]Step{memberStep(Keep, "g", "a"), keep}, "[]"},
		"changed in place":          {[]Step{memberStep(Update, "g", "a"), keep}, "[]"},
		"rebooted":                  {[]Step{with(memberStep(Update, "g", "a"), reboot), keep}, "[Thing/g: 1 of 2 up to date]"},
		"a reboot is only reported": {[]Step{with(memberStep(Keep, "g", "a"), reboot), keep}, "[]"},
		"made":                      {[]Step{memberStep(Create, "g", "a"), keep}, "[Thing/g: 1 of 2 up to date]"},
		"waits":                     {[]Step{memberStep(Wait, "g", "a"), keep}, "[Thing/g: 1 of 2 up to date]"},
		"replaced":                  {[]Step{memberStep(Recreate, "g", "a"), keep}, "[Thing/g: 1 of 2 up to date]"},
		"refused":                   {[]Step{memberStep(Refuse, "g", "a"), keep}, "[]"},
		"one does not serve":        {[]Step{memberStep(Create, "g", "a"), with(keep, func(s *Step) { s.Sick = "no" })}, "[Thing/g: 0 of 2 up to date]"},
		"one is changed besides":    {[]Step{memberStep(Create, "g", "a"), memberStep(Update, "g", "z")}, "[Thing/g: 0 of 2 up to date]"},
		"a member of two objects":   {[]Step{memberStep(Keep, "g", "a"), memberStep(Create, "g", "a"), keep}, "[Thing/g: 1 of 2 up to date]"},
		"what is only used":         {[]Step{memberStep(Create, "g", "a"), with(keep, func(s *Step) { s.Want = &kind.Desired{Unmanaged: true} })}, "[Thing/g: 0 of 1 up to date]"},
		"of no group":               {[]Step{with(memberStep(Create, "g", "a"), func(s *Step) { s.Part = nil })}, "[]"},
		"two groups":                {[]Step{memberStep(Create, "h", "b"), memberStep(Keep, "g", "z"), memberStep(Create, "g", "a"), memberStep(Keep, "i", "c")}, "[Thing/h: 0 of 1 up to date Thing/g: 1 of 2 up to date]"},
	} {
		p := Plan{Steps: c.steps}
		if got := fmt.Sprint(p.Rollouts()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if p.Held = (cause.List{cause.Of(cause.Gone)}); p.Rollouts() != nil {
			t.Errorf("%s: a plan that is held changes groups", name)
		}
		if p.Held, p.Suspended = nil, "the file"; p.Rollouts() != nil {
			t.Errorf("%s: a plan that is suspended changes groups", name)
		}
	}
}

// A member is probed if its group has probes, and if the object that does its work is usable and has an address.
func TestMembersThatAreAsked(t *testing.T) {
	t.Parallel()
	probes := []rollout.Probe{{Type: "tcp", Port: 80}}
	works := []Workload{{Key: named("g"), Want: &kind.Desired{Probes: probes}}, {Key: named("h"), Want: &kind.Desired{}}, {Key: named("i")}}
	began := time.Unix(1700000000, 0).UTC()
	for name, c := range map[string]struct {
		step  Step
		asked bool
	}{
		"one that serves":      {memberStep(Keep, "g", "a"), true},
		"a group of no probes": {memberStep(Keep, "h", "a"), false},
		"a group of nothing":   {memberStep(Keep, "i", "a"), false},
		"of no group":          {with(memberStep(Keep, "g", "a"), func(s *Step) { s.Part = nil }), false},
		"another part":         {with(memberStep(Keep, "g", "a"), func(s *Step) { s.IsWorker = false }), false},
		"not there":            {with(memberStep(Create, "g", "a"), func(s *Step) { s.Have = nil }), false},
		"being made":           {with(memberStep(Wait, "g", "a"), func(s *Step) { s.Have.Phase = kind.Pending }), false},
		"of no address":        {with(memberStep(Keep, "g", "a"), func(s *Step) { s.Have.Facts.Address = "" }), false},
	} {
		if c.step.Have != nil {
			c.step.Have.Since = began
		}
		want := []Probed{{Member: named("a"), Probes: probes, Address: "10.0.0.1", Of: "id-a " + began.String(), Since: began}}
		if got := (Plan{Steps: []Step{c.step}, Workloads: works}).Probed(); c.asked != (len(got) == 1) || c.asked && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
		if got := (Plan{Steps: []Step{c.step}, Workloads: works[1:]}).Probed(); got != nil {
			t.Errorf("%s, and nobody has probes: %+v", name, got)
		}
	}
}

// While a plan is held, members that are down may be healed, and no other step is carried out.
func TestHealingWhileAPlanIsHeld(t *testing.T) {
	t.Parallel()
	down := func(s *Step) { s.Have.Down = "stopped" }
	healing := func(s *Step) { s.Healing = true }
	held := cause.List{cause.Of(cause.Gone)}
	for name, c := range map[string]struct {
		step Step
		plan Plan
		want bool
	}{
		"one is down":          {with(memberStep(Keep, "g", "a"), down), Plan{Restraint: Restraint{Held: held}}, true},
		"one is healed":        {with(memberStep(Update, "g", "a"), healing), Plan{Restraint: Restraint{Held: held}}, true},
		"one does not answer":  {with(memberStep(Keep, "g", "a"), func(s *Step) { s.Unanswering = true }), Plan{Restraint: Restraint{Held: held}}, true},
		"all serve":            {memberStep(Update, "g", "a"), Plan{Restraint: Restraint{Held: held}}, false},
		"nothing is held":      {with(memberStep(Keep, "g", "a"), down), Plan{}, false},
		"changed by hand only": {with(memberStep(Keep, "g", "a"), down), Plan{Restraint: Restraint{Held: held, Manual: "f"}}, false},
		"suspended":            {with(memberStep(Keep, "g", "a"), down), Plan{Restraint: Restraint{Held: held, Suspended: "f"}}, false},
		"of no group":          {with(memberStep(Keep, "g", "a"), func(s *Step) { down(s); s.Part = nil }), Plan{Restraint: Restraint{Held: held}}, false},
		"another part":         {with(memberStep(Keep, "g", "a"), func(s *Step) { down(s); s.IsWorker = false }), Plan{Restraint: Restraint{Held: held}}, false},
		"not there":            {with(memberStep(Create, "g", "a"), func(s *Step) { s.Have = nil }), Plan{Restraint: Restraint{Held: held}}, false},
	} {
		if c.plan.Steps = []Step{c.step}; c.plan.Heals() != c.want {
			t.Errorf("%s: heals: %t", name, !c.want)
		}
	}
	healed := with(memberStep(Update, "g", "a"), healing)
	p := Plan{Steps: []Step{healed, memberStep(Update, "g", "b"), memberStep(Refuse, "g", "c")}}.OnlyHealing()
	if got := fmt.Sprint(p.Steps[0].Action, p.Steps[1].Action, p.Steps[2].Action); got != "updatekeeprefuse" {
		t.Errorf("what is done: %s", got)
	}
	if key, heals := healed.Heals(); !heals || key != named("a") {
		t.Errorf("heals %s: %t", key, heals)
	}
	for _, s := range []Step{memberStep(Update, "g", "a"), with(healed, func(s *Step) { s.Part = nil })} {
		if key, heals := s.Heals(); heals || key != (manifest.Key{}) {
			t.Errorf("heals %s: %t", key, heals)
		}
	}
}

// Only the object that does a member's work shows whether the member serves. The times of its cures are remembered while it
// does not serve, and for an hour after a cure.
func TestWhatIsRememberedOfPatients(t *testing.T) {
	t.Parallel()
	now := time.Unix(1700000000, 0)
	healed := []time.Time{now.Add(-time.Hour + time.Second)}
	down := func(s *Step) { s.Have.Down = "stopped" }
	other := func(s *Step) { s.IsWorker = false }
	for name, c := range map[string]struct {
		steps  []Step
		before rollout.Patient
		want   string
	}{
		"another part":                {[]Step{with(memberStep(Keep, "g", "a"), func(s *Step) { down(s); other(s) })}, rollout.Patient{}, "none"},
		"another part, of one healed": {[]Step{with(memberStep(Keep, "g", "a"), other)}, rollout.Patient{Healed: healed}, " false never 1"},
		"another part waits":          {[]Step{with(memberStep(Wait, "g", "a"), func(s *Step) { other(s); s.Have = nil })}, rollout.Patient{Down: "stopped"}, "none"},
		"of no group":                 {[]Step{with(memberStep(Keep, "g", "a"), func(s *Step) { down(s); s.Part = nil })}, rollout.Patient{Healed: healed}, "none"},
		"created, and never healed":   {[]Step{with(memberStep(Create, "g", "a"), func(s *Step) { s.Have = nil })}, rollout.Patient{Down: "stopped"}, "none"},
		"not seen, and unknown":       {[]Step{with(memberStep(Wait, "g", "a"), func(s *Step) { s.Have = nil })}, rollout.Patient{}, "none"},
		"refused":                     {[]Step{with(memberStep(Refuse, "g", "a"), func(s *Step) { s.Have = nil })}, rollout.Patient{Down: "stopped"}, "none"},
		"silent":                      {[]Step{with(memberStep(Keep, "g", "a"), func(s *Step) { s.Unanswering = true })}, rollout.Patient{}, " true now 0"},
		"silent for long":             {[]Step{with(memberStep(Keep, "g", "a"), func(s *Step) { s.Unanswering = true })}, rollout.Patient{Silent: true, Since: now.Add(-time.Minute)}, " true -1m0s 0"},
		"down, was silent":            {[]Step{with(memberStep(Keep, "g", "a"), down)}, rollout.Patient{Silent: true, Down: "stopped", Since: now.Add(-time.Minute)}, "stopped false now 0"},
		"down, of no known time":      {[]Step{with(memberStep(Keep, "g", "a"), down)}, rollout.Patient{Down: "stopped"}, "stopped false now 0"},
		"serves, was healed":          {[]Step{memberStep(Keep, "g", "a")}, rollout.Patient{Healed: healed}, " false never 1"},
		"serves, healed an hour ago":  {[]Step{memberStep(Keep, "g", "a")}, rollout.Patient{Healed: []time.Time{now.Add(-time.Hour)}}, "none"},
		"perhaps serves, and long ago": {
			[]Step{with(memberStep(Keep, "g", "a"), func(s *Step) { s.Sick = "not sure" })}, rollout.Patient{Healed: []time.Time{now.Add(-9 * time.Hour)}}, " false never 1",
		},
	} {
		before := map[manifest.Key]rollout.Patient{}
		if !reflect.DeepEqual(c.before, rollout.Patient{}) {
			before[named("a")] = c.before
		}
		got := "none"
		if p, known := (Plan{Steps: c.steps}).Patients(before, now)[named("a")]; known {
			since := map[bool]string{true: "now", false: p.Since.Sub(now).String()}[p.Since.Equal(now)]
			if p.Since.IsZero() {
				since = "never"
			}
			got = fmt.Sprint(p.Down, " ", p.Silent, " ", since, " ", len(p.Healed))
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
