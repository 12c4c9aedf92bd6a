package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// asks writes a wanted number of members on an object, as an autoscaler does.
func asks(name, number string) func(*world.Input) {
	return func(in *world.Input) { item(in, name).WantedReplicas = number }
}

// A wish chooses among the numbers that a manifest allows. If its text is no number, the size of the group does not
// change.
func TestSizesThatAreAskedFor(t *testing.T) {
	for text, members := range map[string]int{"": 3, "2": 2, "4": 4, "5": 5, "9": 5, "1": 2, "0": 2, "-1": 3, "04": 3, "+4": 3, "many": 3, "4.0": 3} {
		if got := (wish{thingtest.Key("a"), text}).size(3, 2, 5).Members; got != members {
			t.Errorf("%q is asked for: %d members, want %d", text, got, members)
		}
	}
}

// A group whose size is open has all members up to the last one that exists, until somebody asks for another number.
func TestMembersThatComeAndGo(t *testing.T) {
	decisions(t, map[string]decision{
		"nothing is there":                                {repo: []string{row("count: 1, most: 3")}, kinds: carts(), want: map[string]string{"r-0": "create"}},
		"a later one is there":                            {repo: []string{row("count: 1, most: 4")}, kinds: carts(), cloud: []string{"r-2 ours"}, want: map[string]string{"r-0": "create", "r-1": "create", "r-2": "keep of-this"}},
		"the last one is there":                           {repo: []string{row("count: 1, most: 4")}, kinds: carts(), cloud: []string{"r-0 ours", "r-3 ours"}, want: map[string]string{"r-0": "keep of-this", "r-1": "create", "r-2": "create", "r-3": "keep of-this"}},
		"a later one only outlives its manifest":          {repo: []string{row("count: 1, most: 4")}, kinds: carts(), cloud: []string{"r-0 ours", "r-2 keep"}, want: map[string]string{"r-0": "keep of-this", "r-2": "keep within=r : gone left-as-asked"}},
		"more are asked for":                              {repo: []string{row("count: 1, most: 3")}, kinds: carts(), cloud: []string{"r-0 ours"}, alter: asks("r-0", "2"), want: map[string]string{"r-0": "keep of-this", "r-1": "create"}},
		"more are asked for in sync":                      {repo: []string{row("count: 1, most: 3")}, kinds: carts(), cloud: []string{"r-0 ours"}, alter: func(in *world.Input) { asks("r-0", "2")(in); in.Synced = true }, want: map[string]string{"r-0": "keep of-this", "r-1": "create"}},
		"fewer are asked for":                             {repo: []string{row("count: 1, most: 3")}, kinds: carts(), cloud: []string{"r-0 ours", "r-1 ours", "r-2 ours"}, alter: asks("r-0", "1"), want: map[string]string{"r-0": "keep of-this", "r-1": "delete within=r : beyond-the-size", "r-2": "delete within=r : beyond-the-size"}},
		"it is asked for on another member":               {repo: []string{row("count: 1, most: 3")}, kinds: carts(), cloud: []string{"r-0 ours", "r-1 ours"}, alter: asks("r-1", "3"), want: map[string]string{"r-0": "keep of-this", "r-1": "keep of-this"}},
		"two have the mark of the first":                  {repo: []string{row("count: 1, most: 3")}, kinds: carts(), cloud: []string{"r-0 ours", "x ours as=r-0"}, alter: asks("r-0", "3"), want: map[string]string{"r-0": "refuse error : several-have-the-mark unmark-by"}},
		"others refer to later ones":                      {repo: []string{row("count: 2, most: 4"), "a near=r-3", "b near=r-1"}, kinds: carts(), cloud: []string{"r-0 ours", "r-1 ours", "a ours", "b ours near=id-002"}, alter: all(asks("r-0", "3"), asks("r-1", "4")), want: map[string]string{"a": "keep of-this", "b": "keep of-this", "r-0": "keep of-this", "r-1": "keep of-this", "r-2": "create"}},
		"of carts, nothing is there":                      {repo: []string{train("carts: 1, most: 3")}, kinds: carts(), want: map[string]string{"t-0": "create after t-0-wheel", "t-0-wheel": "create"}},
		"of carts, a wheel is there":                      {repo: []string{train("carts: 1, most: 3")}, kinds: carts(), cloud: []string{"t-1-wheel ours"}, want: map[string]string{"t-0": "create after t-0-wheel", "t-0-wheel": "create", "t-1": "create", "t-1-wheel": "keep of-this"}},
		"of carts, it is asked for on the one that works": {repo: []string{train("carts: 1, most: 3")}, kinds: carts(), cloud: []string{"t-0-wheel ours", "t-0 ours atop=id-001"}, alter: asks("t-0", "2"), want: map[string]string{"t-0": "keep of-this", "t-0-wheel": "keep of-this", "t-1": "create after t-1-wheel", "t-1-wheel": "create"}},
		"of carts, it is asked for on a wheel":            {repo: []string{train("carts: 1, most: 3")}, kinds: carts(), cloud: []string{"t-0-wheel ours", "t-0 ours atop=id-001"}, alter: asks("t-0-wheel", "2"), want: map[string]string{"t-0": "keep of-this", "t-0-wheel": "keep of-this"}},
		"of carts, fewer are asked for":                   {repo: []string{train("carts: 1, most: 3")}, kinds: carts(), cloud: []string{"t-0-wheel ours", "t-0 ours atop=id-001", "t-1-wheel ours", "t-1 ours atop=id-003"}, alter: asks("t-0", "1"), want: map[string]string{"t-0": "keep of-this", "t-0-wheel": "keep of-this", "t-1": "delete within=t : beyond-the-size", "t-1-wheel": "delete within=t : beyond-the-size used by Thing/t-1"}},
		"another namespace asks": {repo: []string{row("count: 1, most: 3")}, kinds: carts(), cloud: []string{"r-0 ours", "x stale"}, want: map[string]string{"r-0": "keep of-this; update changes owner-mark"}, alter: func(in *world.Input) {
			elsewhere := *desired(in, "r-0")
			elsewhere.Key.Namespace, elsewhere.Parent = "other", manifest.Key{}
			in.Want = append(in.Want, elsewhere)
			item(in, "x").Mark.Owner = elsewhere.PlainMark("s").Owner
			asks("x", "3")(in)
		}},
	})
}

// The reason for the deletion of a member names its group.
func TestWhoIsBeyondASize(t *testing.T) {
	for _, c := range []decision{
		{repo: []string{row("count: 1, most: 2")}, kinds: carts(), cloud: []string{"r-0 ours", "r-1 ours"}, alter: asks("r-0", "1")},
		{repo: []string{train("carts: 1, most: 2")}, kinds: carts(), cloud: []string{"t-0 ours", "t-0-wheel ours", "t-1-wheel ours"}, alter: asks("t-0", "1")},
	} {
		in := c.input(t)
		p := Compute(in)
		group := in.Want[len(in.Want)-1].Key
		for _, d := range in.Want {
			if d.Rollout != nil {
				group = d.Key
			}
		}
		if last := p.Steps[len(p.Steps)-1]; len(last.Causes) != 1 || last.Causes[0].Args[0] != any(group) {
			t.Errorf("%s goes because of %v, want of %s", last.Key, last.Causes, group)
		}
	}
}

// An object may not use a new member yet, or may still use a deleted one. That is no drift.
func TestWhatUsesMembersThatComeAndGo(t *testing.T) {
	synced := func(number string, more ...func(*world.Input)) func(*world.Input) {
		return func(in *world.Input) {
			asks("r-0", number)(in)
			in.Synced = true
			for _, f := range more {
				f(in)
			}
		}
	}
	members := []string{"r-0 ours", "r-1 ours"}
	front := []string{row("count: 1, most: 2"), "front near=r-1 colour=red"}
	byToken := func(in *world.Input) {
		item(in, "r-1").Tokens = []string{"address"}
		item(in, "front").Uses = []string{"address"}
	}
	decisions(t, map[string]decision{
		"it has one that goes":                  {repo: front, kinds: carts(), cloud: append(members, "front ours near=id-002 colour=red"), alter: synced("1"), want: map[string]string{"front": "update of-this changes near", "r-0": "keep of-this", "r-1": "delete within=r : beyond-the-size used by Thing/front"}},
		"it lacks one that is there":            {repo: front, kinds: carts(), cloud: append(members, "front ours colour=red"), alter: synced("2"), want: map[string]string{"front": "update of-this changes near", "r-0": "keep of-this", "r-1": "keep of-this"}},
		"it has one that stays":                 {repo: front, kinds: carts(), cloud: append(members, "front ours near=id-002 colour=blue"), alter: synced("2"), want: map[string]string{"front": "update drift of-this changes colour", "r-0": "keep of-this", "r-1": "keep of-this"}},
		"it lacks one that goes":                {repo: front, kinds: carts(), cloud: append(members, "front ours colour=blue"), alter: synced("1"), want: map[string]string{"front": "update drift of-this changes colour", "r-0": "keep of-this", "r-1": "delete within=r : beyond-the-size"}},
		"it has one that goes, and was changed": {repo: front, kinds: carts(), cloud: append(members, "front ours near=id-002 colour=blue"), alter: synced("1"), want: map[string]string{"front": "update drift of-this changes colour near", "r-0": "keep of-this", "r-1": "delete within=r : beyond-the-size used by Thing/front"}},
		"it has one by an address that goes":    {repo: front, kinds: carts(), cloud: append(members, "front ours near=id-002 colour=red"), alter: synced("1", byToken), want: map[string]string{"front": "update of-this changes near", "r-0": "keep of-this", "r-1": "delete within=r : beyond-the-size used by Thing/front"}},
		"it has one by an address that stays":   {repo: front, kinds: carts(), cloud: append(members, "front ours near=id-002 colour=blue"), alter: synced("2", byToken), want: map[string]string{"front": "update drift of-this changes colour", "r-0": "keep of-this", "r-1": "keep of-this"}},
		"it refers to one that is always there": {repo: []string{row("count: 1, most: 2"), "front near=r-0 colour=red"}, kinds: carts(), cloud: append(members, "front ours colour=red"), alter: synced("1"), want: map[string]string{"front": "update drift of-this changes near", "r-0": "keep of-this", "r-1": "delete within=r : beyond-the-size"}},
	})
}

// Spares exist while members are interrupted. Spares that are not needed are deleted.
func TestFurtherMembers(t *testing.T) {
	decisions(t, map[string]decision{
		"one that is needed":                     {repo: []string{"flock f count=1 surge=1 shape=new"}, cloud: []string{"f-0 stale shape=old"}, want: map[string]string{"f-0": "replace : fixed-field changes shape owner-mark after f-spare-0", "f-spare-0": "create"}},
		"one that is not needed":                 {repo: []string{"flock f count=1 surge=1"}, cloud: []string{"f-0 ours", "f-spare-0 ours"}, want: map[string]string{"f-0": "keep of-this", "f-spare-0": "delete spare : spare-unneeded"}},
		"the second of two, while one is needed": {repo: []string{"flock f count=2 surge=2 shape=new"}, cloud: []string{"f-0 stale shape=old", "f-1 ours shape=new", "f-spare-1 ours shape=new"}, want: map[string]string{"f-0": "replace : fixed-field changes shape owner-mark after f-spare-0", "f-1": "keep of-this", "f-spare-0": "create", "f-spare-1": "delete spare : spare-unneeded same-under-another-name"}},
		"one that is not needed, and is used":    {repo: []string{"flock f count=1 surge=1", "a near=f-0,f-spare-0"}, cloud: []string{"f-0 ours", "f-spare-0 ours", "a ours near=id-001,id-002"}, want: map[string]string{"a": "update of-this changes near", "f-0": "keep of-this", "f-spare-0": "delete spare : spare-unneeded used by Thing/a"}},
		"it is used instead of another":          {repo: []string{"flock f count=1 surge=1", "a near=f-0,f-spare-0"}, cloud: []string{"f-0 ours", "f-spare-0 ours", "a ours near=id-002"}, want: map[string]string{"a": "update drift of-this changes near", "f-0": "keep of-this", "f-spare-0": "delete spare : spare-unneeded used by Thing/a"}},
		"others refer to a later one":            {repo: []string{"flock f count=1 surge=2 shape=new", "a near=f-spare-1"}, cloud: []string{"f-0 stale shape=old", "a ours"}, want: map[string]string{"a": "keep of-this", "f-0": "replace : fixed-field changes shape owner-mark after f-spare-0", "f-spare-0": "create"}},
		"one more than is allowed":               {repo: []string{"flock f count=1 surge=1"}, cloud: []string{"f-0 ours", "f-spare-1 stale"}, want: map[string]string{"f-0": "keep of-this", "f-spare-1": "delete within=f : fewer-members"}},
		"none is allowed":                        {repo: []string{"flock f count=1"}, cloud: []string{"f-0 ours", "f-spare-0 stale"}, want: map[string]string{"f-0": "keep of-this", "f-spare-0": "delete within=f : fewer-members"}},
	})
}
