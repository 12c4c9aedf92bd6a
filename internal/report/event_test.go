package report

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Events show the text about a failure that statuses show, and not the text for the operator's log.
func TestAttackEventsHaveNoTextForTheOperator(t *testing.T) {
	failed := engine.Result{Step: plan.Step{Key: key("Network", "front"), Action: plan.Create}, Err: private.Hide("the cloud does not answer", errors.New("dial tcp 10.9.8.7:9696"))}
	list := Events(Run{Pass: &engine.Pass{Results: []engine.Result{failed}}})
	if len(list) != 1 || list[0].Message != "the cloud does not answer" || !list[0].Warning {
		t.Errorf("the events are %+v", list)
	}
}

// Events show the old and new values of fields, without secrets. There is no event for a renewed mark.
func TestEventsShowValues(t *testing.T) {
	mark := kind.Change{Field: kind.MarkField, Have: "old", Want: "new"}
	size := kind.Change{Field: "spec.size", Have: 10, Want: 20}
	password := kind.Change{Field: "spec.password", Have: "hunter1", Want: "hunter2", Secret: true}
	list := kind.Change{Field: "spec.rules", Have: []any{"a", "b"}, Want: []any{"b", "c"}}
	var many []any
	for range 500 {
		many = append(many, strings.Repeat("x", 50))
	}
	for name, c := range map[string]struct {
		step   plan.Step
		reason string
		has    []string
		hasNot []string
	}{
		"a mark":         {plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{mark}}}, "", nil, nil},
		"an adoption":    {plan.Step{Action: plan.Update, Comparison: plan.Comparison{Adopts: true, Changes: []kind.Change{mark}}}, "Adopted", nil, nil},
		"a field":        {plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{size, mark}}}, "Changed", []string{"spec.size 10 -> 20"}, []string{kind.MarkField}},
		"healed":         {plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true, Changes: []kind.Change{size}}}, "Healed", []string{"spec.size 10 -> 20"}, nil},
		"a mark by hand": {plan.Step{Action: plan.Update, Comparison: plan.Comparison{Drift: true, Changes: []kind.Change{mark}}}, "Healed", []string{kind.MarkField}, nil},
		"a secret":       {plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{password}}}, "Changed", []string{"spec.password"}, []string{"hunter"}},
		"a list":         {plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{list}}}, "Changed", []string{`-"a"`, `+"c"`}, []string{`"b"`}},
		"a long list":    {plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "spec.rules", Have: []any{}, Want: many}}}}, "Changed", []string{"+497 more"}, nil},
	} {
		c.step.Key = key("Network", "front")
		list := Events(Run{Pass: &engine.Pass{Results: []engine.Result{{Step: c.step}}}})
		if (len(list) == 1) != (c.reason != "") || len(list) == 1 && list[0].Reason != c.reason {
			t.Errorf("%s: %+v", name, list)
			continue
		}
		for _, e := range list {
			for _, text := range c.has {
				if !strings.Contains(e.Message, text) {
					t.Errorf("%s: %q lacks %q", name, e.Message, text)
				}
			}
			for _, text := range c.hasNot {
				if strings.Contains(e.Message, text) {
					t.Errorf("%s: %q has %q", name, e.Message, text)
				}
			}
			if len(e.Message) > longestEvent+len("…") {
				t.Errorf("%s: %d bytes", name, len(e.Message))
			}
		}
	}
	drift := plan.Step{Key: key("Network", "front"), Action: plan.Update, Comparison: plan.Comparison{Drift: true, Changes: []kind.Change{size}}}
	found := Events(Run{Pass: &engine.Pass{First: plan.Plan{Steps: []plan.Step{drift}}}})
	if len(found) != 1 || found[0].Reason != "Drifted" || !strings.Contains(found[0].Message, "spec.size 20 -> 10") {
		t.Errorf("drift: %+v", found)
	}
	drift.Trace = &kind.Trace{Who: "mallory", When: time.Date(2026, 3, 1, 13, 58, 0, 0, time.UTC)}
	for name, pass := range map[string]engine.Pass{"in the first plan": {First: plan.Plan{Steps: []plan.Step{drift}}}, "later": {LateDrift: []plan.Step{drift}}} {
		found := Events(Run{Pass: &pass})
		if len(found) != 1 || !strings.Contains(found[0].Message, "mallory") || !strings.Contains(found[0].Message, "13:58 UTC, 1 Mar 2026") {
			t.Errorf("%s: nobody is named: %+v", name, found)
		}
	}
}
