package decide

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// targets returns the Target of each step of a test case, by the name of the object.
func (c decision) targets(t *testing.T) map[string]string {
	in := c.input(t)
	in.Approving = true
	found := map[string]string{}
	for _, s := range Compute(in).Steps {
		if s.Target != "" {
			found[s.Key.Name] = s.Target
		}
	}
	return found
}

// A target changes with every change of the group's target state, and of the objects that the group refers to. It
// does not change otherwise.
func TestTargetsBindWhatAGroupBecomes(t *testing.T) {
	flock := []string{"x import=x", "hub colour=red", "flock f count=2 colour=red atop=x"}
	there := []string{"x nobody", "hub ours colour=red"}
	base := decision{repo: flock, cloud: there}
	wheels := decision{repo: []string{train("carts: 1")}, kinds: carts(), cloud: []string{"t-0-wheel ours"}}
	for name, c := range map[string]struct {
		a, b decision
		same bool
	}{
		"the same":                         {base, base, true},
		"of another colour":                {base, decision{repo: append(flock[:2:2], "flock f count=2 colour=blue atop=x"), cloud: there}, false},
		"of more members":                  {base, decision{repo: append(flock[:2:2], "flock f count=3 colour=red atop=x"), cloud: there}, false},
		"of another stack":                 {base, decision{repo: flock, cloud: there[:1], alter: func(in *world.Input) { in.Stack = "t" }}, false},
		"of other names":                   {base, decision{repo: flock, cloud: there, alter: func(in *world.Input) { desired(in, "f-1").Key.Name = "f-7" }}, false},
		"an import that is another object": {base, decision{repo: flock, cloud: []string{"z nobody", "x nobody", "hub ours colour=red"}}, false},
		"an object of the stack that is another": {
			decision{repo: []string{"hub", "flock f count=2 atop=hub"}, cloud: []string{"hub ours"}},
			decision{repo: []string{"hub", "flock f count=2 atop=hub"}, cloud: []string{"z nobody", "hub ours"}}, false},
		"an object of the stack that is not there": {
			decision{repo: []string{"hub", "flock f count=2 atop=hub"}, cloud: []string{"hub ours"}},
			decision{repo: []string{"hub", "flock f count=2 atop=hub"}}, false},
		"an object of the group that is another": {wheels, decision{repo: wheels.repo, kinds: carts(), cloud: []string{"z nobody", "t-0-wheel ours"}}, true},
		"a member of another group that is another": {
			decision{repo: []string{"flock g count=1", "flock f count=1 atop=g-0"}, cloud: []string{"g-0 ours"}},
			decision{repo: []string{"flock g count=1", "flock f count=1 atop=g-0"}, cloud: []string{"z nobody", "g-0 ours"}}, false},
		"with a further member for a while": {
			decision{repo: []string{"flock f count=2 shape=new"}, cloud: []string{"f-0 stale shape=old", "f-1 stale shape=old"}},
			decision{repo: []string{"flock f count=2 shape=new surge=1"}, cloud: []string{"f-0 stale shape=old", "f-1 stale shape=old"}}, true},
	} {
		a, b := cmp.Or(c.a.targets(t)["f-0"], c.a.targets(t)["t-0"]), cmp.Or(c.b.targets(t)["f-0"], c.b.targets(t)["t-0"])
		if a == "" || b == "" || (a == b) != c.same {
			t.Errorf("%s: %q and %q", name, a, b)
		}
	}
}

// If a step creates an object that does the work of a member, the step has a Target.
func TestWhoBearsATarget(t *testing.T) {
	for name, c := range map[string]struct {
		decision
		want string
	}{
		"members that are made":           {decision{repo: []string{"flock f count=2"}}, "f-0 f-1"},
		"members, and not their parts":    {decision{repo: []string{train("carts: 1")}, kinds: carts()}, "t-0"},
		"members that are only changed":   {decision{repo: []string{"flock f count=1 colour=new"}, cloud: []string{"f-0 stale colour=old"}}, ""},
		"changed beside one that is made": {decision{repo: []string{"flock f count=2 colour=new"}, cloud: []string{"f-0 stale colour=old"}}, "f-0 f-1"},
		"beside one that is replaced":     {decision{repo: []string{"flock f count=2 shape=new"}, cloud: []string{"f-0 stale shape=old", "f-1 ours shape=new"}}, "f-0"},
		"nobody while only healing":       {decision{repo: []string{"flock f count=1"}, alter: func(in *world.Input) { in.Healing = true }}, ""},
		"no single object":                {decision{repo: []string{"a"}}, ""},
		"no half-made copy":               {decision{repo: []string{"flock f count=1 colour=red"}, cloud: []string{"f-0 ours colour=red created=10", "x half as=f-0 created=11"}}, ""},
	} {
		var names []string
		for _, s := range []string{"a", "f-0", "f-1", "t-0", "t-0-wheel"} {
			if c.targets(t)[s] != "" {
				names = append(names, s)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// After a restart, an approved rollout continues without another approval if a member shows the approval.
func TestRolloutsGoOn(t *testing.T) {
	three := []string{"flock f count=3 shape=new"}
	begun := []string{"f-0 ours shape=new created=20", "f-1 stale shape=old created=10", "f-2 stale shape=old created=11"}
	with := func(i int, line string) []string {
		cloud := append([]string{}, begun...)
		cloud[i] = line
		return cloud
	}
	for name, c := range map[string]struct {
		repo, cloud []string
		alter       func(*world.Input)
		want        string
	}{
		"one is as approved":                            {cloud: begun, want: "f-1 f-2"},
		"it has nothing":                                {cloud: begun, alter: func(in *world.Input) { item(in, "f-0").Mark.Target = "" }},
		"it has something else":                         {cloud: begun, alter: func(in *world.Input) { item(in, "f-0").Mark.Target = "other" }},
		"it has nothing, and another approval is given": {cloud: begun, alter: func(in *world.Input) { item(in, "f-0").Mark.Target = ""; in.Approving = true }},
		"it is not as wanted":                           {cloud: with(0, "f-0 ours shape=new colour=other created=20")},
		"it is about to be replaced":                    {cloud: with(0, "f-0 ours shape=other created=20")},
		"the cloud works on it":                         {cloud: with(0, "f-0 ours shape=new created=20 building=1"), want: "f-1 f-2"},
		"it is a copy":                                  {cloud: begun, alter: func(in *world.Input) { item(in, "f-0").Copied = "was restored" }},
		"others claim it, too":                          {cloud: begun, alter: func(in *world.Input) { item(in, "f-0").Mark.Rivals = ownertext.Of("other", thingtest.Key("f-0")) }},
		"another one is younger":                        {cloud: with(2, "f-2 stale shape=old created=21"), want: "f-1"},
		"another one is as old":                         {cloud: with(2, "f-2 stale shape=old created=20"), want: "f-1"},
		"another one has drifted":                       {cloud: with(2, "f-2 ours shape=old created=11"), want: "f-1"},
		"another one is not there":                      {cloud: begun[:2], want: "f-1 f-2"},
		"another one was deleted":                       {cloud: begun[:2], alter: lostAs("f-2", "id-009"), want: "f-1"},
		"no other one is there":                         {cloud: begun[:1]},
		"nobody knows when it was made":                 {cloud: with(0, "f-0 ours shape=new")},
		"nobody knows when another was":                 {cloud: with(2, "f-2 stale shape=old"), want: "f-1"},
		"only healing":                                  {cloud: begun, alter: func(in *world.Input) { in.Healing = true }},
		"two are, the older one first":                  {cloud: with(1, "f-1 ours shape=new created=5"), want: "f-2"},
		"two are, the younger one first":                {cloud: []string{"f-0 ours shape=new created=5", "f-1 ours shape=new created=20", "f-2 stale shape=old created=11"}, want: "f-2"},
		"the rest is changed in place":                  {repo: []string{"flock f count=3 colour=new"}, cloud: []string{"f-0 ours colour=new created=20", "f-1 stale colour=old created=10", "f-2 stale colour=old created=11"}},
		"another group":                                 {repo: append(three, "flock g count=1 shape=new"), cloud: append(begun[:3:3], "g-0 stale shape=old created=1"), want: "f-1 f-2"},
		"a single object":                               {repo: append(three, "a shape=new"), cloud: append(begun[:3:3], "a stale shape=old created=1"), want: "f-1 f-2"},
	} {
		t.Run(name, func(t *testing.T) {
			d := decision{repo: c.repo, cloud: c.cloud}
			if d.repo == nil {
				d.repo = three
			}
			target := (decision{repo: d.repo}).targets(t)["f-0"]
			d.alter = func(in *world.Input) {
				for _, l := range in.Have["Thing"].Items {
					if strings.HasPrefix(l.Name, "f-") && l.Mark.Applied == desired(in, l.Name).Digest {
						l.Mark.Target = target
					}
				}
				if c.alter != nil {
					c.alter(in)
				}
			}
			p := Compute(d.input(t))
			var names []string
			for _, s := range p.Steps {
				if s.Continues {
					names = append(names, s.Key.Name)
				}
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("%q go on, want %q: %s", got, c.want, write(p))
			}
			if noted := len(p.Workloads[0].Notes) > 0 && p.Workloads[0].Notes[len(p.Workloads[0].Notes)-1].Field == "spec.template"; noted != (c.want != "") {
				t.Errorf("notes of the group: %v", p.Workloads[0].Notes)
			}
		})
	}
}
