package service

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/config"
)

// If approvals are not stored, an agent logs that at its start. It also logs how to change that.
func TestWhatIsRememberedOfApprovals(t *testing.T) {
	for _, c := range []struct{ forge, folder, forgets bool }{{false, false, true}, {true, false, false}, {false, true, false}, {true, true, false}} {
		said := fmt.Sprint(memoryAttributes(c.forge, c.folder, &config.Stack{})...)
		if strings.Contains(said, "need a new approval: set --data-dir") != c.forgets {
			t.Errorf("forge %t, folder %t: %s", c.forge, c.folder, said)
		}
	}
}
