package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// TestReasonsOfConditions wants the table of the page on JSON to be that of the program.
func TestReasonsOfConditions(t *testing.T) {
	want := "| reason | means |\n|---|---|\n"
	for _, r := range status.Reasons() {
		want += fmt.Sprintf("| `%s` | %s |\n", r.Reason, r.Means)
	}
	if !strings.Contains(read(t, "json.md"), "\n"+want+"\n") {
		t.Errorf("json.md lacks this table:\n%s", want)
	}
}
