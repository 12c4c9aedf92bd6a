package status

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

func lines(text []byte) []string {
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// planned returns the plan for a repository and a cloud, with one line for each object, in the format of package decide's stories. options
// are the options of that format on which statuses depend.
func planned(t *testing.T, repo, cloud, options []string) plan.Plan {
	t.Helper()
	w := thingtest.New()
	want, err := w.Wanted(repo...)
	if err != nil {
		t.Fatal(err)
	}
	thingtest.Fill(t, w, cloud, want)
	if slices.Contains(options, "unlisted") {
		w.ListErr = errors.New("network: GET /v2.0/things: 503 down for maintenance")
	}
	p := decide.Compute(world.Input{
		Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Want: want, Have: w.Snapshot(),
		Rules: world.Rules{Replace: !slices.Contains(options, "refuse-replace")}, Synced: slices.Contains(options, "synced"),
	})
	var limits guard.Limits
	limits.All, _ = guard.ParseLimit("100%")
	for _, o := range options {
		switch word, value, _ := strings.Cut(o, " "); word {
		case "report":
			p = p.Apply(guard.ReportDrift(value != "annotated"))
		case "no-prune":
			p = p.Apply(guard.NoPrune)
		case "limit":
			limits.All, err = guard.ParseLimit(value)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return p.Apply(guard.Brake(limits, nil))
}
