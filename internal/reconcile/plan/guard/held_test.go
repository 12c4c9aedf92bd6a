package guard

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// codes returns the codes of causes, in their order.
func codes(list cause.List) string {
	var all []cause.Code
	for _, c := range list {
		all = append(all, c.Code)
	}
	return fmt.Sprint(all)
}

// A plan is held for all reasons together, unless somebody approved exactly that plan.
func TestReasonsToHoldAPlan(t *testing.T) {
	t.Parallel()
	elsewhere := cause.Of(cause.Told, "another project")
	manual := func(p *plan.Plan) { p.Manual = "the file" }
	for name, c := range map[string]struct {
		limit, steps string
		also         func(*plan.Plan)
		approved     string // a letter for each approval: e for the exact plan, o for another one
		want         string
		by           int // the index of the approval because of which it is not held; -1 for none
	}{
		"nothing is in the way":                    {"5", "create Server 1", nil, "", "[]", -1},
		"an approval that nobody needs":            {"5", "create Server 1", nil, "e", "[]", -1},
		"something waits and all may be changed":   {"5", "wait Server 1", nil, "e", "[]", -1},
		"too much is destroyed":                    {"0", "delete Server 1", nil, "", "[over-limit]", -1},
		"it was approved of":                       {"0", "delete Server 1", nil, "e", "[]", 0},
		"it was approved of beside another one":    {"0", "delete Server 1", nil, "oe", "[]", 1},
		"another one was approved of":              {"0", "delete Server 1", nil, "o", "[over-limit wrong-approval]", -1},
		"nobody remembers an approval":             {"0", "delete Server 1", func(p *plan.Plan) { *p = Forgetful(*p) }, "", "[over-limit approvals-forgotten]", -1},
		"one is there all the same":                {"0", "delete Server 1", func(p *plan.Plan) { *p = Forgetful(*p) }, "o", "[over-limit wrong-approval]", -1},
		"the stack is suspended":                   {"0", "delete Server 1", func(p *plan.Plan) { p.Suspended = "the file" }, "", "[]", -1},
		"the stack is suspended and approved of":   {"0", "delete Server 1", func(p *plan.Plan) { p.Suspended = "the file" }, "e", "[]", -1},
		"it may be made elsewhere":                 {"5", "create Server 1", func(p *plan.Plan) { p.Elsewhere = elsewhere }, "", "[told]", -1},
		"a change by hand only":                    {"5", "create Server 1", manual, "", "[every-change]", -1},
		"nothing is changed":                       {"5", "keep Server 1", manual, "o", "[]", -1},
		"it was begun with an approval":            {"5", "create Server 1", func(p *plan.Plan) { manual(p); p.Steps[0].Continues = true }, "", "[]", -1},
		"something waits":                          {"5", "wait Server 1", manual, "o", "[]", -1},
		"something waits and nothing is forgotten": {"5", "wait Server 1", func(p *plan.Plan) { manual(p); p.Forgetful = true }, "", "[]", -1},
		"something waits and was approved of":      {"5", "wait Server 1", manual, "oe", "[]", 1},
		"what was begun does not count":            {"0", "delete Server 1", func(p *plan.Plan) { p.Steps[0].Continues = true }, "", "[]", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, err := ParseLimit(c.limit)
			if err != nil {
				t.Fatal(err)
			}
			p := toDestroy(map[string]int{"Server": 9}, c.steps)
			if c.also != nil {
				c.also(&p)
			}
			var approvals []plan.Approval
			for _, letter := range c.approved {
				approvals = append(approvals, plan.Approval{Hash: map[rune]string{'e': p.Hash(), 'o': "4711"}[letter]})
			}
			got := p.Apply(Brake(Limits{All: all}, approvals))
			by := slices.IndexFunc(approvals, func(a plan.Approval) bool { return got.Approved != nil && got.Approved.Hash == a.Hash })
			if codes(got.Held) != c.want || by != c.by {
				t.Errorf("held for %s, let through by %d, want %s and %d", codes(got.Held), by, c.want, c.by)
			}
		})
	}
}

// Only the plan with the hash that a person has read is carried out.
func TestOnlyThePlanOfAHash(t *testing.T) {
	t.Parallel()
	p := toDestroy(nil, "create Server 1")
	held := p
	held.Held = cause.List{cause.Of(cause.Forgotten)}
	for name, c := range map[string]struct {
		plan       plan.Plan
		hash, want string
	}{
		"no hash is given":     {p, "", "[]"},
		"it is the plan":       {p, p.Hash(), "[]"},
		"it is another one":    {p, "4711", "[another-hash]"},
		"it is held anyway":    {held, "4711", "[approvals-forgotten]"},
		"it changes nothing":   {toDestroy(nil, "keep Server 1"), "4711", "[]"},
		"it is held for good":  {held, "", "[approvals-forgotten]"},
		"it is held and is it": {held, held.Hash(), "[approvals-forgotten]"},
	} {
		if got := codes(c.plan.Apply(OnlyWithHash(c.hash)).Held); got != c.want {
			t.Errorf("%s: held for %s, want %s", name, got, c.want)
		}
	}
}

// The cause names at most three of the objects whose data would be lost, and the number of the others.
func TestLossesAreNamed(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, c := range map[string]struct {
		steps   string
		each    *bool // what the manifests say
		allowed bool
		want    string
	}{
		"none":                   {"keep Volume 1", nil, false, ""},
		"one":                    {"delete Volume 1", nil, false, "Volume/0"},
		"two":                    {"delete Volume 2", nil, false, "Volume/0 and Volume/1"},
		"three":                  {"delete Volume 3", nil, false, "Volume/0, Volume/1 and Volume/2"},
		"five":                   {"delete Volume 5", nil, false, "Volume/0, Volume/1, Volume/2 and 2 more"},
		"the stack allows it":    {"delete Volume 5", nil, true, ""},
		"a manifest allows it":   {"delete Volume 1", &yes, false, ""},
		"a manifest forbids it":  {"delete Volume 1", &no, true, "Volume/0"},
		"nobody has said a word": {"delete Volume 1", &no, false, "Volume/0"},
	} {
		p := toDestroy(nil, c.steps)
		for i := range p.Steps {
			p.Steps[i].DataAtStake, p.Steps[i].LossAllowed = true, c.each
		}
		got := ""
		if why := lossCause(p, c.allowed); !why.IsZero() {
			got = fmt.Sprint(why.Args[0])
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for i := range p.Steps {
			p.Steps[i].Continues = true
		}
		if why := lossCause(p, c.allowed); !why.IsZero() {
			t.Errorf("%s: what was begun with an approval is named: %v", name, why.Args)
		}
	}
}

// An object with a copied mark, or without a mark, is adopted by its step. So limits count it as owned and as
// destroyed.
func TestWhatIsAdoptedCountsAsOwned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		have *kind.Live
		want string
	}{
		"marked":    {&kind.Live{Mark: &kind.Mark{}}, "[everything]"},
		"copied":    {&kind.Live{Mark: &kind.Mark{}, Copied: "from an image"}, "[]"},
		"no mark":   {&kind.Live{}, "[]"},
		"not there": {nil, "[everything]"},
	} {
		p := toDestroy(map[string]int{"Server": 1}, "replace Server 1")
		p.Steps[0].Have = c.have
		if got := codes(p.Apply(Brake(Limits{All: Limit{Count: 1}}, nil)).Held); got != c.want {
			t.Errorf("%s: held for %s, want %s", name, got, c.want)
		}
	}
}

// The message lists each way in which objects are destroyed once.
func TestWaysToDestroy(t *testing.T) {
	t.Parallel()
	cut := plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "rules", Cuts: "no traffic"}}}}
	for name, c := range map[string]struct {
		steps []plan.Step
		want  cause.Or
	}{
		"cut off":            {[]plan.Step{cut}, cause.Or{cause.CutsOff}},
		"cut off and wiped":  {append(toDestroy(nil, "wipe Server 2").Steps, cut), cause.Or{cause.Wipes, cause.CutsOff}},
		"deleted, made anew": {toDestroy(nil, "replace Server 1", "delete Server 1").Steps, cause.Or{cause.Deletes, cause.Replaces}},
	} {
		p := plan.Plan{Stock: plan.Stock{Owned: 9}, Steps: c.steps}.Apply(Brake(Limits{}, nil))
		if got := p.Held[0].Args[0].(cause.Or); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, []cause.Code(got))
		}
	}
}
