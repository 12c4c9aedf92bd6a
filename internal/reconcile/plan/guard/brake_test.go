package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// toDestroy makes a plan. Each of steps, such as "delete Server 3", stands for a number of steps.
func toDestroy(owned map[string]int, steps ...string) plan.Plan {
	p := plan.Plan{Stack: "s", Stock: plan.Stock{OwnedKinds: owned}}
	for _, n := range owned {
		p.Owned += n
	}
	for _, line := range steps {
		var what, kindName string
		var n int
		if _, err := fmt.Sscan(line, &what, &kindName, &n); err != nil {
			panic(err)
		}
		for range n {
			id := fmt.Sprint(len(p.Steps))
			s := plan.Step{Key: manifest.Key{Kind: kindName, Namespace: "default", Name: id}, Object: plan.Object{Have: &kind.Live{ID: id, Mark: &kind.Mark{}}}}
			switch what {
			case "wipe":
				s.Action, s.Changes = plan.Update, []kind.Change{{Field: "image", Disruption: kind.Rebuild}}
			case "reboot":
				s.Action, s.Changes = plan.Update, []kind.Change{{Field: "flavor", Disruption: kind.Reboot}}
			case "surplus":
				s.Action, s.Surplus = plan.Delete, true
			case "adopt":
				s.Action, s.Have.Mark = plan.Recreate, nil
			default:
				s.Action = plan.Action(what)
			}
			p.Steps = append(p.Steps, s)
		}
	}
	return p
}

// coded returns the code and the values of each cause.
func coded(list cause.List) string {
	var each []string
	for _, c := range list {
		text := string(c.Code)
		for _, arg := range c.Args {
			text += fmt.Sprint(" ", arg)
		}
		each = append(each, text)
	}
	return strings.Join(each, "; ")
}

func TestBrake(t *testing.T) {
	owned := map[string]int{"Server": 10, "Volume": 4, "Network": 6}
	for name, c := range map[string]struct {
		all   string
		kinds map[string]string
		steps []string
		want  string
	}{
		"nothing destroyed":  {"0", nil, []string{"create Server 9", "update Volume 3", "reboot Server 4", "surplus Server 3"}, ""},
		"within":             {"30%", map[string]string{"Volume": "1"}, []string{"delete Server 5", "delete Volume 1"}, ""},
		"shares round up":    {"21%", nil, []string{"delete Server 5"}, ""},
		"too many":           {"30%", nil, []string{"delete Server 5", "delete Volume 2"}, "over-limit delete 7 20 5 Server, 2 Volume 30%"},
		"data loss counts":   {"3", nil, []string{"replace Server 2", "wipe Server 2"}, "over-limit replace or wipe 4 20 4 Server 3"},
		"all sorts":          {"2", nil, []string{"delete Network 1", "replace Server 1", "wipe Server 1"}, "over-limit delete, replace or wipe 3 20 2 Server, 1 Network 2"},
		"one kind":           {"30%", map[string]string{"Volume": "0", "Server": "20%"}, []string{"delete Server 2", "replace Volume 1"}, "over-limit-of-kind replace 1 4 Volume 0"},
		"several limits":     {"1", map[string]string{"Volume": "25%", "Server": "0"}, []string{"delete Server 1", "wipe Server 1", "replace Volume 2"}, "over-limit delete, replace or wipe 4 20 2 Server, 2 Volume 1; over-limit-of-kind delete or wipe 2 10 Server 0; over-limit-of-kind replace 2 4 Volume 25%"},
		"no limit":           {"100%", nil, []string{"delete Server 10", "delete Volume 4", "delete Network 6"}, ""},
		"no limit but one":   {"100%", map[string]string{"Volume": "0"}, []string{"delete Volume 4", "delete Server 10"}, "over-limit-of-kind delete 4 4 Volume 0"},
		"everything":         {"20", nil, []string{"delete Server 10", "wipe Volume 4", "delete Network 6"}, "everything delete or wipe 10 Server, 6 Network, 4 Volume"},
		"adopted and redone": {"0", nil, []string{"adopt Server 1"}, "over-limit replace 1 21 1 Server 0"},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := ParseLimit(c.all)
			if err != nil {
				t.Fatal(err)
			}
			limits := Limits{All: all, Kinds: map[string]Limit{}}
			for kind, text := range c.kinds {
				if limits.Kinds[kind], err = ParseLimit(text); err != nil {
					t.Fatal(err)
				}
			}
			if got := toDestroy(owned, c.steps...).Apply(Brake(limits, nil)).Held; coded(got) != c.want {
				t.Errorf("held %s\n%s\nwant\n%s", got, coded(got), c.want)
			}
		})
	}
}

func TestOwnableKindsAreThoseThatAStackMakes(t *testing.T) {
	kinds := []*kind.Kind{thingtest.New().Kind(), {Info: kind.Info{Kind: "House"}}}
	if got := Ownable(kinds); !slices.Equal(got, []string{"Thing"}) {
		t.Errorf("got %v", got)
	}
}
