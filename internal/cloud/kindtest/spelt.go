package kindtest

import (
	"regexp"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

var describing = regexp.MustCompile(`(?m)^( +description:) (\|\n.*|.*)$`)

// spelt is a law. It gives the object a description with capitals, and with white space at both ends, as a YAML
// block has it. The object must be in sync after the description is written, even if the service changes the
// spelling.
func (s Suite) spelt(t *testing.T, g *Target) {
	g.MustSync(s.all())
	s.Object = describing.ReplaceAllString(s.Object, `$1 "  Spelt In Capitals \n"`)
	if _, err := g.TryResolve(s.all()); err != nil || s.step(t, g.Plan(s.all())).Action != plan.Update {
		return
	}
	g.MustSync(s.all())
	if pass := g.MustSync(s.all()); len(pass.Results) > 0 {
		t.Errorf("the second pass did something: %v", pass.Results)
	}
}
