package volume

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Servers can use a volume during a backup, which can take hours, so no pass waits for the end
// of the backup.
func TestAVolumeServesWhileItIsBackedUp(t *testing.T) {
	s := &state{}
	s.More.Status = backingUp
	live := kind.Live{}
	if observe(s, &live); live.Phase != kind.Ready || live.Message != "" || live.Facts.Unusable == "" {
		t.Errorf("it is %s: %q, %q", live.Phase, live.Message, live.Facts.Unusable)
	}
}
