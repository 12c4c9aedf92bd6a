package report

import (
	"errors"
	"testing"

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Whoever may read events reads what statuses say of a failure, and not what is for the operator's log.
func TestAttackEventsHaveNoTextForTheOperator(t *testing.T) {
	failed := engine.Result{Step: plan.Step{Key: key("Network", "front"), Action: plan.Create}, Err: private.Hide("the cloud does not answer", errors.New("dial tcp 10.9.8.7:9696"))}
	list := Events(Run{Pass: &engine.Pass{Results: []engine.Result{failed}}})
	if len(list) != 1 || list[0].Message != "the cloud does not answer" || !list[0].Warning {
		t.Errorf("the events are %+v", list)
	}
}
