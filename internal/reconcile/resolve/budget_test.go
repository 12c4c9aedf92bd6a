package resolve

import (
	"errors"
	"testing"
)

// The methods that report whether a budget is exceeded change nothing: the amounts that were spent stay the same. If the work was stopped,
// they return the reason of the caller.
func TestBudgetIsAsked(t *testing.T) {
	end := errors.New("the agent stops")
	var why error
	b := newBudget(Bounds{Objects: 2}, func() error { return why })
	asked := *b
	if b.over() || b.stopped() != nil || b.left != asked.left {
		t.Error("over at the start")
	}
	why = end
	if !b.over() || !errors.Is(b.stopped(), end) || b.take(costObjects, 1) || b.tryTake(costObjects, 1) || b.size().Objects != 0 {
		t.Errorf("after its end: %v, %d spent", b.stopped(), b.size().Objects)
	}
	if b = newBudget(Bounds{Objects: 2}, nil); !b.tryTake(costObjects, 2) {
		t.Error("all of it is too much")
	}
	b = newBudget(Bounds{Objects: 2}, nil)
	if !b.take(costObjects, 2) || b.over() || b.tryTake(costObjects, 1) || b.over() {
		t.Error("what can be left out, or the last of it, ends a revision")
	}
	if b.take(costObjects, 1) || !b.over() || b.size().Objects != 2 {
		t.Errorf("more than there is was taken: %d", b.size().Objects)
	}
}

// failure returns the same error when it is called again.
func TestOutcomeIsAsked(t *testing.T) {
	r := newResolver(nil, newBudget(Bounds{Objects: 1}, nil))
	r.budget.take(costObjects, 2)
	first, second := r.failure(), r.failure()
	if first == nil || second == nil || first.Error() != second.Error() {
		t.Errorf("first %v, then %v", first, second)
	}
}
