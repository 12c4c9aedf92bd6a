package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// An object whose step failed has the state failed, with a reason. An object that depends on it waits. The
// plan stays the same.
func TestAFailedStepIsTheStateOfItsObject(t *testing.T) {
	w := thingtest.New()
	w.OnCreate = func(string) (before, after error) {
		return fmt.Errorf("%w: 403 policy forbids it", kind.ErrRejected), nil
	}
	pass, _ := syncPass(t, w, engineOf(w), "a", "b atop=a")
	states := map[string]status.Status{}
	for _, o := range status.After(pass.Last, []*kind.Kind{w.Kind()}, pass.Faults()) {
		states[o.Metadata.Name] = o.Status
	}
	if s := states["a"]; s.State != status.StateFailed || !strings.Contains(s.Message, "403 policy") {
		t.Errorf("a is %s: %s", s.State, s.Message)
	}
	for _, c := range states["a"].Conditions {
		if c.Reason != status.ReasonInvalid || !strings.Contains(c.Message, "403 policy") {
			t.Errorf("a: %+v", c)
		}
	}
	if s := states["b"]; s.State == status.StateFailed {
		t.Errorf("b is %s: %s", s.State, s.Message)
	}
	if pass.Last.Hash() != pass.First.Hash() {
		t.Error("what failed is another plan")
	}
	w.OnCreate = nil
	pass, _ = syncPass(t, w, engineOf(w), "a", "b atop=a")
	for _, o := range status.After(pass.Last, []*kind.Kind{w.Kind()}, pass.Faults()) {
		if o.Status.State != status.StateInSync {
			t.Errorf("%s is %s", o.Metadata.Name, o.Status.State)
		}
	}
}

// The reason of a failure depends on the error of the cloud, because a condition tells people who has to
// act.
func TestAFailedStepHasItsTrueReason(t *testing.T) {
	for _, c := range []struct {
		err    error
		reason string
		goesOn string
	}{
		{fmt.Errorf("%w: %w: 403", kind.ErrRejected, kind.ErrExhausted), status.ReasonQuota, "False"},
		{fmt.Errorf("%w: %w: 403", kind.ErrRejected, kind.ErrForbidden), status.ReasonForbidden, "False"},
		{fmt.Errorf("%w: 400", kind.ErrRejected), status.ReasonInvalid, "False"},
		{errors.New("503"), status.ReasonTransient, "True"},
	} {
		w := thingtest.New()
		w.OnCreate = func(string) (before, after error) { return c.err, nil }
		pass, _ := syncPass(t, w, engineOf(w), "a")
		is := status.After(pass.Last, []*kind.Kind{w.Kind()}, pass.Faults())[0].Status.Conditions
		if is[0].Status != "False" || is[0].Reason != c.reason || is[1].Status != c.goesOn || is[1].Reason != c.reason {
			t.Errorf("%v: %+v, want %s", c.err, is, c.reason)
		}
		if len(pass.Failures) != 1 || pass.Failures[0].Fault != c.reason {
			t.Errorf("%v: %+v", c.err, pass.Failures)
		}
	}
}
