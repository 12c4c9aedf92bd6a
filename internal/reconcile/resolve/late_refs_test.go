package resolve_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

func TestSelfReference(t *testing.T) {
	w := thingtest.New()
	if _, err := w.Wanted("a near=a"); err != nil {
		t.Errorf("a changeable reference to itself is refused: %v", err)
	}
	if _, err := w.Wanted("a atop=a"); err == nil {
		t.Error("a fixed reference to itself is accepted: nothing could make the object first")
	}
}

// A circle may contain references that must be waited for, if another reference of it is late. If it contains no late reference, it is
// refused, even if its objects have late references besides.
func TestOnlyLateReferencesOpenCircles(t *testing.T) {
	w := thingtest.New()
	if _, err := w.Wanted("a beside=b", "b atop=a"); err != nil {
		t.Errorf("a stands beside what depends on it: %v", err)
	}
	_, err := w.Wanted("a near=b beside=b", "b atop=a beside=a")
	if err == nil || !strings.Contains(err.Error(), "Thing/a -> Thing/b -> Thing/a") {
		t.Errorf("got %v, want a circle", err)
	}
}
