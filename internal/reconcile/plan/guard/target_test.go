package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// stepsFor returns a plan. Each line is an action, a name, and any of: in=PARENT, awaits=NAME, refs=NAME, uses=NAME, follows.
func stepsFor(lines ...string) (p plan.Plan) {
	for _, line := range lines {
		words := strings.Fields(line)
		s := plan.Step{Key: thing(words[1]), Action: plan.Action(words[0])}
		s.Want = &kind.Desired{Key: s.Key}
		if s.Action != plan.Create {
			s.Have = &kind.Live{ID: words[1]}
		}
		for _, word := range words[2:] {
			switch what, name, _ := strings.Cut(word, "="); what {
			case "in":
				s.Parent = thing(name)
			case "awaits":
				s.Awaits = append(s.Awaits, thing(name))
			case "refs":
				s.Want.Refs = append(s.Want.Refs, kind.RefSpec{Key: thing(name)})
			case "uses":
				s.Have.Uses = append(s.Have.Uses, name)
			case "follows":
				s.FollowsReference = true
			}
		}
		p.Steps = append(p.Steps, s)
	}
	p.Workloads = []plan.Workload{{Key: thing("whole")}, {Key: thing("member"), Parent: thing("whole")}}
	return p
}

func thing(name string) manifest.Key {
	return manifest.Key{Kind: "Thing", Namespace: manifest.DefaultNamespace, Name: name}
}

func targets(names string) (list []plan.Target) {
	for _, name := range strings.Fields(names) {
		list = append(list, plan.Target{Kind: "thing", Namespace: manifest.DefaultNamespace, Name: name})
	}
	return list
}

// A limited plan has the named objects, their parts, and the objects without which they cannot be changed.
func TestObjectsOfALimitedPlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		names string
		steps []string
		want  string // the steps that still write
	}{
		"one":                          {"a", []string{"create a", "create b"}, "a"},
		"all of a pattern":             {"w-*", []string{"create w-1", "delete w-2", "create b"}, "w-1 w-2"},
		"what it waits for":            {"a", []string{"create c", "create b awaits=c", "create a awaits=b", "create d"}, "a b c"},
		"what it waits for, kept":      {"a", []string{"update b", "create a"}, "a"},
		"what a later update needs":    {"a", []string{"create a refs=b", "create b"}, "a b"},
		"no change of what it refers":  {"a", []string{"create a refs=b", "update b"}, "a"},
		"users that go first":          {"a", []string{"delete a", "delete b uses=a", "update c uses=a", "keep d uses=a", "delete e"}, "a b c"},
		"users that get the new ID":    {"a", []string{"replace a", "update b refs=a follows", "update c refs=a"}, "a b"},
		"no user of what stays":        {"a", []string{"update a", "update b uses=a", "delete c uses=a"}, "a"},
		"the parts of a workload":      {"whole", []string{"create a in=member", "create b in=whole", "create c"}, "a b"},
		"a part takes no other part":   {"a", []string{"create a in=member", "create b in=member"}, "a"},
		"a name that is no object's":   {"a nobody", []string{"create a"}, ""},
		"one that is up to date":       {"a", []string{"keep a", "delete b"}, ""},
		"a circle of users and needs":  {"a", []string{"replace a uses=b", "replace b uses=a awaits=a", "delete c"}, "a b"},
		"needs of the ones that go on": {"a", []string{"delete a", "update b uses=a awaits=c", "create c", "create d"}, "a b c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := stepsFor(c.steps...)
			p := whole.Apply(Choose(whole, targets(c.names)).Limit)
			var writes []string
			for i, s := range p.Steps {
				switch before := whole.Steps[i].Action; {
				case s.Action.Writes():
					writes = append(writes, s.Key.Name)
				case before.Writes() && (s.Left != before || s.Action != plan.Keep || !s.Silent()):
					t.Errorf("%s is left as %q, %s", s.Key, s.Left, s.Action)
				}
			}
			slices.Sort(writes)
			if got := strings.Join(writes, " "); got != c.want {
				t.Errorf("%q is changed, want %q", got, c.want)
			}
			if p.InSync() || p.Outcome() == plan.InSync || p.Hash() == whole.Hash() {
				t.Errorf("a limited plan is in sync (%t), or has the hash of the whole (%s)", p.InSync(), p.Hash())
			}
			if missing := fmt.Sprint(p.Limit.Missing); (missing != "[]") != strings.Contains(c.names, "nobody") || missing != "[]" && p.Outcome() != plan.Broken {
				t.Errorf("missing is %s, and the outcome %s", missing, p.Outcome())
			}
		})
	}
}

// Without targets, nothing is limited.
func TestNoTargets(t *testing.T) {
	t.Parallel()
	whole := stepsFor("create a", "keep b")
	if p := whole.Apply(Choose(whole, nil).Limit); p.Limit != nil || p.Hash() != whole.Hash() {
		t.Errorf("%+v", p.Limit)
	}
}

// The objects are chosen once, so that a later plan of the same pass changes no others.
func TestLaterPlansOfALimitedPass(t *testing.T) {
	t.Parallel()
	first := stepsFor("create a", "create b")
	chosen := Choose(first, targets("a"))
	later := stepsFor("update a awaits=b", "create b").Apply(chosen.Limit)
	if later.Steps[0].Action != plan.Update || later.Steps[1].Action != plan.Keep {
		t.Errorf("%s, %s", later.Steps[0].Action, later.Steps[1].Action)
	}
}
