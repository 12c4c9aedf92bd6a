package decide

import (
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// all combines several changes of the input.
func all(changes ...func(*world.Input)) func(*world.Input) {
	return func(in *world.Input) {
		for _, change := range changes {
			change(in)
		}
	}
}

// begunFor records that the agent itself has started to change an object.
func begunFor(name string) func(*world.Input) {
	return func(in *world.Input) { in.Begun[thingtest.Key(name)] = true }
}

func onlyHealing(in *world.Input) { in.Healing = true }

// If a group freezes a member, only steps that would interrupt the member are not carried out.
func TestMembersThatAreLeftAsTheyAre(t *testing.T) {
	flock := []string{"flock f count=2 from=1 colour=new shape=new"}
	f1 := "f-1 ours colour=new shape=new"
	carts0 := train("carts: 1, from: 1, cart: {shape: new, tag: true}")
	decisions(t, map[string]decision{
		"a commit would replace it":                {repo: flock, cloud: []string{"f-0 stale colour=new shape=old", f1}, want: map[string]string{"f-0": "keep frozen : left-partition aside shape", "f-1": "keep of-this"}},
		"a commit would change it, besides":        {repo: flock, cloud: []string{"f-0 stale colour=old shape=old", f1}, want: map[string]string{"f-0": "keep frozen : left-partition aside colour shape", "f-1": "keep of-this"}},
		"a commit changes it in place":             {repo: flock, cloud: []string{"f-0 stale colour=old shape=new", f1}, want: map[string]string{"f-0": "update changes colour owner-mark", "f-1": "keep of-this"}},
		"somebody has changed it":                  {repo: flock, cloud: []string{"f-0 ours colour=new shape=old", f1}, want: map[string]string{"f-0": "keep drift frozen of-this : left-partition changes shape", "f-1": "keep of-this"}},
		"the agent has begun to change it":         {repo: flock, cloud: []string{"f-0 ours colour=new shape=old", f1}, alter: begunFor("f-0"), want: map[string]string{"f-0": "keep frozen of-this : left-partition aside shape", "f-1": "keep of-this"}},
		"it is not there":                          {repo: flock, cloud: []string{f1}, want: map[string]string{"f-0": "create", "f-1": "keep of-this"}},
		"only what is left would use a wheel":      {repo: []string{carts0}, kinds: carts(), cloud: []string{"t-0 stale shape=old"}, want: map[string]string{"t-0": "keep frozen : left-partition aside shape", "t-0-tag": "keep frozen : left-partition not-there", "t-0-wheel": "keep frozen : left-partition not-there"}},
		"that wheel was deleted":                   {repo: []string{carts0}, kinds: carts(), cloud: []string{"t-0 stale shape=old"}, alter: lostAs("t-0-wheel", "id-009"), want: map[string]string{"t-0": "keep frozen : left-partition aside shape", "t-0-tag": "keep frozen : left-partition not-there", "t-0-wheel": "keep drift frozen lost : left-partition not-there changes metadata.name"}},
		"what has drifted uses a wheel":            {repo: []string{carts0}, kinds: carts(), cloud: []string{"t-0 ours shape=old"}, want: map[string]string{"t-0": "keep drift frozen of-this : left-partition changes shape atop[0]", "t-0-tag": "create after t-0-wheel", "t-0-wheel": "create"}},
		"the wheel is there":                       {repo: []string{carts0}, kinds: carts(), cloud: []string{"t-0 stale shape=old atop=id-002", "t-0-wheel ours"}, want: map[string]string{"t-0": "keep frozen : left-partition aside shape", "t-0-tag": "create", "t-0-wheel": "keep of-this"}},
		"somebody else needs a wheel":              {repo: []string{train("carts: 2, from: 1, cart: {shape: new}"), "z atop=t-0-wheel"}, kinds: carts(), cloud: []string{"t-0 stale shape=old", "t-1 ours shape=new"}, want: map[string]string{"t-0": "keep frozen : left-partition aside shape atop[0]", "t-0-wheel": "create", "t-1": "replace of-this : fixed-field changes atop[0] after t-1-wheel", "t-1-wheel": "create", "z": "create after t-0-wheel"}},
		"somebody else needs what is near a wheel": {repo: []string{carts0, "z near=t-0-tag"}, kinds: carts(), cloud: []string{"t-0 stale shape=old"}, want: map[string]string{"t-0": "keep frozen : left-partition aside shape atop[0]", "t-0-tag": "create after t-0-wheel", "t-0-wheel": "create", "z": "create after t-0-tag"}},
		"another object refers to a later one":     {repo: append(flock, "a near=f-1"), cloud: []string{"f-0 stale colour=new shape=old", "f-1 stale colour=new shape=old", "a ours near=id-002"}, want: map[string]string{"a": "keep of-this follows", "f-0": "keep frozen : left-partition aside shape", "f-1": "replace : fixed-field changes shape owner-mark"}},
		"it is a single object":                    {repo: append(flock, "a shape=new"), cloud: []string{"f-0 stale colour=new shape=old", f1, "a stale shape=old"}, want: map[string]string{"a": "replace : fixed-field changes shape owner-mark", "f-0": "keep frozen : left-partition aside shape", "f-1": "keep of-this"}},
	})
}

// A member that does not serve is healed in the way that its group says, and no other change is made to it.
func TestMembersThatAreHealed(t *testing.T) {
	two := []string{train("carts: 2, heal: true")}
	with := func(line string) []string {
		return []string{"t-0-wheel ours", line, "t-1-wheel ours", "t-1 ours atop=id-003", "a ours down=stopped"}
	}
	noReplace := func(in *world.Input) { in.Replace = false }
	decisions(t, map[string]decision{
		"one is stopped":                           {repo: two, kinds: carts(), cloud: with("t-0 ours atop=id-001 down=stopped")[:4], want: map[string]string{"t-0": "update drift healing of-this : down-for changes health", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"one has failed":                           {repo: two, kinds: carts(), cloud: with("t-0 ours atop=id-001 down=failed")[:4], want: map[string]string{"t-0": "replace drift healing of-this : down-for", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"one is down for something else":           {repo: two, kinds: carts(), cloud: with("t-0 ours atop=id-001 down=paused")[:4], want: map[string]string{"t-0": "keep of-this : reported", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"one has failed, and would be another":     {repo: two, kinds: carts(), cloud: with("t-0 stale atop=id-001 down=failed")[:4], alter: onlyHealing, want: map[string]string{"t-0": "wait drift : down-for heals-on-approval", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"one is stopped, and would be another":     {repo: two, kinds: carts(), cloud: with("t-0 stale atop=id-001 down=stopped")[:4], alter: onlyHealing, want: map[string]string{"t-0": "update drift healing : down-for changes health", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"one has failed, and nothing else is done": {repo: two, kinds: carts(), cloud: with("t-0 ours atop=id-001 down=failed")[:4], alter: onlyHealing, want: map[string]string{"t-0": "replace drift healing of-this : down-for", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"one has failed before it was changed":     {repo: two, kinds: carts(), cloud: with("t-0 stale atop=id-001 down=failed")[:4], want: map[string]string{"t-0": "replace drift healing : down-for", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"one is stopped and has lost its mark":     {repo: two, kinds: carts(), cloud: with("t-0 nobody atop=id-001 down=stopped")[:4], alter: lostAs("t-0", "id-002"), want: map[string]string{"t-0": "update drift healing : down-for changes health", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"its wheel is down":                        {repo: two, kinds: carts(), cloud: append([]string{"t-0-wheel ours down=stopped"}, with("t-0 ours atop=id-001 down=stopped")[1:4]...), want: map[string]string{"t-0": "update drift healing of-this : down-for changes health", "t-0-wheel": "keep of-this : reported", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"in a way that its kind does not have":     {repo: two, kinds: carts(), cloud: with("t-0 ours atop=id-001 down=stuck")[:4], want: map[string]string{"t-0": "update drift healing of-this : down-for changes health", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"beside a single object":                   {repo: append(two, "a"), kinds: carts(), cloud: with("t-0 ours atop=id-001 down=stopped"), want: map[string]string{"a": "keep of-this : reported", "t-0": "update drift healing of-this : down-for changes health", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"one is broken for good":                   {repo: []string{"flock f count=2 heal=true"}, cloud: []string{"f-0 ours failed=yes", "f-1 ours"}, alter: noReplace, want: map[string]string{"f-0": "replace drift of-this : failed changes health", "f-1": "keep of-this"}},
		"a wheel is broken for good":               {repo: two, kinds: carts(), cloud: append([]string{"t-0-wheel ours failed=yes"}, with("t-0 ours atop=id-001")[1:4]...), alter: noReplace, want: map[string]string{"t-0": "keep of-this", "t-0-wheel": "refuse error of-this : failed maybe-used changes health", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"one is broken, and nobody heals":          {repo: []string{"flock f count=2"}, cloud: []string{"f-0 ours failed=yes", "f-1 ours"}, alter: noReplace, want: map[string]string{"f-0": "refuse error of-this : failed maybe-used changes health", "f-1": "keep of-this"}},
		"too many are sick":                        {repo: []string{"flock f count=2 heal=true"}, cloud: []string{"f-0 ours down=stopped", "f-1 ours down=stopped"}, want: map[string]string{"f-0": "keep of-this : reported", "f-1": "keep of-this : reported"}},
		"probes find one that is silent": {repo: []string{"flock f count=2 heal=true"}, cloud: []string{"f-0 ours", "f-1 ours"}, alter: func(in *world.Input) {
			in.Sick = map[manifest.Key]rollout.Finding{thingtest.Key("f-0"): {Sick: "does not answer", Sure: true, Since: day.Add(-time.Hour)}}
		}, want: map[string]string{"f-0": "keep of-this sick", "f-1": "keep of-this"}},
	})
}

// A healed member has the same mark as before, and its step says how much it interrupts.
func TestHealingChangesNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		line    string
		applied string
		does    kind.Disruption
	}{
		"restarted":                     {"t-0 stale atop=id-001 down=stopped", "older", kind.Reboot},
		"in a way that is not declared": {"t-0 stale atop=id-001 down=stuck", "older", kind.InPlace},
	} {
		d := decision{repo: []string{train("carts: 2, heal: true")}, kinds: carts(), cloud: []string{"t-0-wheel ours", c.line, "t-1-wheel ours", "t-1 ours atop=id-003"}}
		s := stepOf(t, Compute(d.input(t)), "t-0")
		if m := s.View().Mark; !s.Healing || m.Applied != c.applied || s.Disruption() != c.does {
			t.Errorf("%s: healing %v, %v, %s", name, s.Healing, m, s.Disruption())
		}
	}
}

// A front sends no new traffic to members that are about to be interrupted. It still sends traffic to former members that stand in for
// other members.
func TestFrontsFollowTheMembersOfAGroup(t *testing.T) {
	ends := func(in *world.Input) { // if traffic from a front to a target has to end, Diff reports a change
		diff := in.Kinds[0].Diff
		in.Kinds[0].Diff = func(w kind.Want, have any) kind.Changes {
			c := diff(w, have)
			for _, name := range w.Spec.(*thingtest.Spec).Near {
				if w.Ref("Thing", name).Traffic == kind.TrafficEnds {
					c.Add(kind.Change{Field: "spec.resource.traffic"})
				}
			}
			return c
		}
	}
	cloud := []string{"t-0-wheel ours", "t-0 stale atop=id-001 shape=old", "t-1-wheel ours", "t-1 ours atop=id-003 shape=new"}
	with := func(lines ...string) []string { return append(slices.Clone(cloud), lines...) }
	drain := train("carts: 2, drain: true, cart: {shape: new}")
	decisions(t, map[string]decision{
		"one is interrupted":     {repo: []string{drain, "front near=t-0"}, kinds: carts(), cloud: with("front ours near=id-002"), alter: ends, want: map[string]string{"front": "update of-this follows changes traffic owner-mark", "t-0": "replace : fixed-field changes shape owner-mark after front", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"another one is":         {repo: []string{drain, "front near=t-1"}, kinds: carts(), cloud: with("front ours near=id-004"), alter: ends, want: map[string]string{"front": "keep of-this", "t-0": "replace : fixed-field changes shape owner-mark", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"a single object is":     {repo: []string{drain, "a", "front near=t-0", "side near=a"}, kinds: carts(), cloud: with("front ours near=id-002", "a ours", "side ours near=id-006"), alter: ends, want: map[string]string{"a": "keep of-this", "front": "update of-this follows changes traffic owner-mark", "side": "keep of-this", "t-0": "replace : fixed-field changes shape owner-mark after front", "t-0-wheel": "keep of-this", "t-1": "keep of-this", "t-1-wheel": "keep of-this"}},
		"a former one stands in": {repo: []string{"flock f count=1 surge=1", "front near=f-0"}, cloud: []string{"f-1 stale", "front ours near=id-001"}, want: map[string]string{"f-0": "create", "f-1": "delete within=f : fewer-members after f-0 used by Thing/front", "front": "update of-this changes near owner-mark after f-0"}},
		"a former one stands in by its address": {repo: []string{"flock f count=1 surge=1", "front near=f-0"}, cloud: []string{"f-1 stale", "front ours near=address"}, want: map[string]string{"f-0": "create", "f-1": "delete within=f : fewer-members after f-0 used by Thing/front", "front": "update of-this changes near owner-mark after f-0"},
			alter: func(in *world.Input) { item(in, "f-1").Tokens = []string{"address"} }},
		"a former one is not needed": {repo: []string{"flock f count=1 surge=1", "front near=f-0"}, cloud: []string{"f-1 stale", "front ours near=id-001", "f-0 ours"}, want: map[string]string{"f-0": "keep of-this", "f-1": "delete within=f : fewer-members used by Thing/front", "front": "update drift of-this changes near"}},
	})
}

// If members are changed in turns, a note of the workload says so. Fallbacks of a plan has the groups that went back.
func TestGroupsAreToldOf(t *testing.T) {
	d := decision{repo: []string{"flock f count=2 shape=new", "flock g count=1"}, cloud: []string{"f-0 stale shape=old", "f-1 stale shape=old", "g-0 ours"}, alter: func(in *world.Input) {
		key := in.Want[slices.IndexFunc(in.Want, func(d kind.Desired) bool { return d.Key.Name == "g" })].Key
		in.Fallbacks = map[manifest.Key]plan.Fallback{key: {Commit: "before", Failing: plan.Failing{Group: key, Refused: "newer"}}}
	}}
	p := Compute(d.input(t))
	for _, w := range p.Workloads {
		if told := slices.ContainsFunc(w.Notes, func(n kind.Note) bool { return n.Field == "rollout" }); told != (w.Key.Name == "f") {
			t.Errorf("%s: notes %v", w.Key, w.Notes)
		}
	}
	if len(p.Outlook.Fallbacks) != 1 || p.Outlook.Fallbacks[0].Commit != "before" {
		t.Errorf("went back: %v", p.Outlook.Fallbacks)
	}
}
