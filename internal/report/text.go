package report

import (
	"fmt"
	"io"

	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// Plan writes a plan as people read it.
func (t Text) Plan(p reconcile.Plan) {
	for _, s := range p.Steps {
		if s.Action == reconcile.Keep && len(s.Changes) == 0 {
			continue
		}
		fmt.Fprintf(t.W, "%s %s %s\n", s.Action, s.Key, s.Reason)
	}
	fmt.Fprintln(t.W, p.Summary())
}

// Text writes for people.
type Text struct {
	W     io.Writer
	Color bool
}
