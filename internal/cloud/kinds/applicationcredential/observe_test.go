package applicationcredential

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Times are shown in the form in which manifests have them, and fields that were
// never set have their defaults.
func TestObserveNormalizes(t *testing.T) {
	s := &state{}
	s.More.ExpiresAt = "2033-03-03T22:22:22.000000"
	observe(s, &kind.Live{})
	if s.More.ExpiresAt != "2033-03-03T22:22:22Z" || s.Spec.Unrestricted == nil || *s.Spec.Unrestricted {
		t.Errorf("expires at %s, unrestricted %v", s.More.ExpiresAt, s.Spec.Unrestricted)
	}
}
