package agent

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

func ended(stack string, last plan.Plan) report.Run {
	return report.Run{Stack: stack, Pass: &engine.Pass{First: last, Last: last}}
}

// joined returns the dependencies of the given stacks, none of which has been checked yet.
func joined(stacks ...*Loop) *Dependencies {
	s := NewDependencies()
	for _, l := range stacks {
		l.Dependencies = s
		s.Expect(l.Name)
		s.Join(l)
	}
	return s
}

var differs = plan.Plan{Steps: []plan.Step{{Action: plan.Create}}}

// A stack waits for the stacks that it depends on, and is checked when the last of them is in sync.
func TestAStackWaitsForOthers(t *testing.T) {
	network, app, other := New(Config{Name: "network"}), New(Config{Name: "app", DependsOn: []string{"network", "elsewhere"}}), New(Config{Name: "other"})
	s := joined(network, app, other)
	checks := app.Signals.check
	suspended := func() string { return plan.Plan{}.Apply(app.depends()...).Suspended }
	if got := suspended(); got != "it waits until stack network is in sync" {
		t.Errorf("before the first check: %q", got)
	}
	s.storeRun(ended("network", differs))
	if len(checks) > 0 || suspended() == "" {
		t.Error("it goes on while the other differs")
	}
	s.storeRun(ended("network", plan.Plan{}))
	if len(checks) != 1 || suspended() != "" {
		t.Errorf("%d checks; suspended %q", len(checks), suspended())
	}
	s.storeRun(report.Run{Stack: "network", Err: errors.New("away")})
	if suspended() != "" {
		t.Error("a source that is away makes it wait again")
	}
	s.storeRun(report.Run{Stack: "network", Refused: &report.Refusal{}})
	if suspended() == "" {
		t.Error("it goes on while the other's commit is refused")
	}
	if len(other.depends()) > 0 {
		t.Error("one that depends on none waits")
	}
}

// If a stack starts its first check when the other stack is in sync, it is not checked twice. When the other stack changes later, it is
// checked again.
func TestNoCheckMoreThanNeeded(t *testing.T) {
	network, app := New(Config{Name: "network"}), New(Config{Name: "app", DependsOn: []string{"network"}})
	s := joined(network, app)
	checks := app.Signals.check
	s.storeRun(ended("network", plan.Plan{}))
	if len(checks) > 0 || len(app.depends()) > 0 {
		t.Error("it is checked before its first check, or waits")
	}
	s.storeRun(ended("network", differs))
	s.storeRun(ended("network", differs))
	if len(checks) > 0 {
		t.Error("it is checked while the other differs")
	}
	s.storeRun(ended("network", plan.Plan{}))
	if len(checks) != 1 {
		t.Error("it is not checked after the other has changed")
	}
	<-checks
	s.storeRun(ended("network", plan.Plan{}))
	if len(checks) > 0 {
		t.Error("it is checked although nothing is new")
	}
}

// For a single run, the passes run in the order of the dependencies.
func TestInOrder(t *testing.T) {
	stacks := []*Loop{
		New(Config{Name: "app", DependsOn: []string{"data", "network"}}), New(Config{Name: "data", DependsOn: []string{"network"}}),
		New(Config{Name: "network"}), New(Config{Name: "alone", DependsOn: []string{"elsewhere"}}),
	}
	var mu sync.Mutex
	var order []string
	InOrder(stacks, func(i int) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, stacks[i].Name)
	})
	order = slices.DeleteFunc(order, func(name string) bool { return name == "alone" })
	if got := strings.Join(order, " "); got != "network data app" {
		t.Errorf("the order is %s", got)
	}
}
