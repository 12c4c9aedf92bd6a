package guard

import (
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// flock returns the steps of a group. Each word of members is one member, and each letter is the step of one of its parts. r is replace,
// k is keep, c is create, and + is a replacement that was approved before.
func flock(name string, away int, members ...string) (steps []plan.Step) {
	for i, letters := range members {
		part := &plan.Part{Group: manifest.Key{Kind: "Flock", Name: name}, Member: manifest.Key{Kind: "Sheep", Name: fmt.Sprint(name, i)}, AtOnce: away}
		for n, letter := range letters {
			s := plan.Step{Key: manifest.Key{Kind: "Sheep", Name: fmt.Sprint(name, i, "-", n)}, Action: plan.Recreate, Membership: plan.Membership{Part: part}}
			s.Have = &kind.Live{ID: s.Key.Name, Mark: &kind.Mark{}}
			switch letter {
			case 'k':
				s.Action = plan.Keep
			case 'c':
				s.Action, s.Have = plan.Create, nil
			case '+':
				s.Continues = true
			}
			steps = append(steps, s)
		}
	}
	return steps
}

// If a group says how its members are replaced, only as many members count as can be away at the same time. The members that lose the
// most count first. The limit of the stack also limits the share of a group's members.
func TestLimitsCountMembers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit string
		steps []plan.Step
		want  string // the codes of the causes, with their numbers
	}{
		"each member counts":         {"3", flock("a", 0, "r", "r", "r", "r"), "over-limit 4; over-limit-in-group 4 of a"},
		"they take turns":            {"1", flock("a", 1, "r", "r", "r", "r"), ""},
		"two at a time":              {"1", flock("a", 2, "r", "r", "r", "r"), "over-limit 2; over-limit-in-group 2 of a"},
		"all at a time":              {"3", flock("a", 9, "r", "r", "r", "r"), "over-limit 4; over-limit-in-group 4 of a"},
		"the largest loss":           {"1", flock("a", 1, "r", "rr", "r"), "over-limit 2"},
		"two equal losses":           {"1", flock("a", 1, "r", "r"), ""},
		"two groups":                 {"1", append(flock("a", 1, "r", "r"), flock("b", 1, "r", "r")...), "over-limit 2"},
		"one group takes turns":      {"2", append(flock("a", 1, "r", "r"), flock("b", 0, "r", "r")...), "over-limit 3"},
		"a continued change":         {"0", flock("a", 0, "+", "+"), ""},
		"what is kept loses nothing": {"0", flock("a", 0, "k", "k"), ""},
		"a whole small group":        {"30%", append(flock("a", 0, "r", "r", "r", "k"), flock("b", 0, "k", "k", "k", "k", "k", "k", "k", "k", "k", "k")...), "over-limit-in-group 3 of a"},
		"within the share":           {"50%", append(flock("a", 0, "r", "r", "k", "k"), flock("b", 0, "k")...), ""},
		"a member of two objects":    {"50%", append(flock("a", 0, "rr", "k", "k"), flock("b", 0, "k", "k", "k")...), ""},
		"a single member":            {"0", flock("a", 0, "r", "k"), "over-limit 1"},
		"a missing member":           {"50%", append(flock("a", 0, "r", "r", "r", "k", "c"), flock("b", 0, "k", "k")...), "over-limit-in-group 3 of a"},
		"both groups":                {"50%", append(flock("b", 0, "r", "r"), append(flock("a", 0, "r", "r"), flock("c", 0, "k", "k", "k", "k", "k", "k")...)...), "over-limit-in-group 2 of a; over-limit-in-group 2 of b"},
		"no limit":                   {"100%", append(flock("a", 0, "r", "r"), flock("b", 0, "k", "k")...), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, err := ParseLimit(c.limit)
			if err != nil {
				t.Fatal(err)
			}
			p := plan.Plan{Steps: c.steps, Stock: plan.Stock{OwnedKinds: map[string]int{}}}
			for _, s := range c.steps {
				if s.Have != nil {
					p.Owned++
				}
			}
			p.Owned++ // the stack also has objects that are no members
			got := ""
			for _, why := range p.Apply(Brake(Limits{All: all}, nil)).Held {
				if got != "" {
					got += "; "
				}
				if why.Code == cause.OverGroup {
					got += fmt.Sprintf("%s %v of %s", why.Code, why.Args[0], why.Args[2].(manifest.Key).Name)
				} else {
					got += fmt.Sprintf("%s %v", why.Code, why.Args[1])
				}
			}
			if got != c.want {
				t.Errorf("held for %q, want %q", got, c.want)
			}
		})
	}
}
