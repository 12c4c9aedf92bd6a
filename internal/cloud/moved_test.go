package cloud_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A probe says once which services the user may not ask.
func TestProbeWithoutPermission(t *testing.T) {
	h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	p := h.open(t).NewProbe()
	_, err := p.Moved(t.Context())
	var unseen *cloud.UnseenError
	if !errors.As(err, &unseen) || !errors.Is(err, kind.ErrForbidden) || !slices.Contains(unseen.Services, cloud.Compute) {
		t.Fatalf("%v", err)
	}
	if _, err := p.Moved(t.Context()); err != nil {
		t.Errorf("the second time: %v", err)
	}
}
