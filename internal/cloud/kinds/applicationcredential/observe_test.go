package applicationcredential

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// observe shows times in the format of manifests, and sets fields that Keystone does not show to their defaults.
func TestObserveNormalizes(t *testing.T) {
	s := &state{}
	s.More.ExpiresAt = "2033-03-03T22:22:22.000000"
	observe(s, &kind.Live{})
	if s.More.ExpiresAt != "2033-03-03T22:22:22Z" || s.Spec.Unrestricted == nil || *s.Spec.Unrestricted {
		t.Errorf("expires at %s, unrestricted %v", s.More.ExpiresAt, s.Spec.Unrestricted)
	}
}
