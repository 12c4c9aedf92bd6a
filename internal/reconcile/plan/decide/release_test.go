package decide

import (
	"runtime"
	"testing"
	"time"
	"weak"
)

// The steps of a redacted plan refer to the planner, which must not keep a second list of steps in memory. They still look up other objects.
func TestAPlanKeepsOneListOfSteps(t *testing.T) {
	p := gardens(t, time.Unix(0, 0), map[string]string{"a": "{}", "b": "{near: a}"}, map[string]string{"a": ""})
	first := weak.Make(&p.Steps[0])
	p = p.Redacted(nil)
	runtime.GC()
	if first.Value() != nil {
		t.Error("the planner keeps the steps that were redacted")
	}
	for _, s := range p.Steps {
		if ref := s.View().Ref("Garden", "a"); ref.ID != "a" {
			t.Errorf("%s finds %q", s.Key, ref.ID)
		}
	}
}
