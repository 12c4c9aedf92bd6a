package service

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/config"
)

// Where an approval is not remembered, an agent says so when it begins, and what helps.
func TestWhatIsRememberedOfApprovals(t *testing.T) {
	for _, c := range []struct{ forge, folder, forgets bool }{{false, false, true}, {true, false, false}, {false, true, false}, {true, true, false}} {
		said := fmt.Sprint(remembered(c.forge, c.folder, &config.Stack{})...)
		if strings.Contains(said, "asked for again; set --data-dir, or report to a forge") != c.forgets {
			t.Errorf("forge %t, folder %t: %s", c.forge, c.folder, said)
		}
	}
}
