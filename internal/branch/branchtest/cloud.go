package branchtest

import (
	"context"
	"io/fs"
	"strings"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

func (w *World) read(_ context.Context, files fs.FS) ([]kind.Desired, error) {
	text := TextOf(files)
	if strings.HasPrefix(text, "bad") {
		return nil, manifest.Problems{{Origin: manifest.Origin{File: "clouds/thing.yaml", Line: 3}, What: "is bad"}}
	}
	return []kind.Desired{{Key: manifest.Key{Kind: "Thing", Name: text}}}, nil
}

// plan returns a plan with one step for each word in the files: +name creates, -name deletes.
func (w *World) plan(ctx context.Context, commit string, files fs.FS) (plan.Plan, preflight.Findings, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Plans++
	if w.CloudErr != nil {
		return plan.Plan{}, preflight.Findings{}, w.CloudErr
	}
	if _, err := w.read(ctx, files); err != nil {
		return plan.Plan{}, preflight.Findings{}, err
	}
	return w.left(commit, TextOf(files)), preflight.Findings{}, nil
}

// left returns the plan for the words in text that are not done yet: all except Gone.
func (w *World) left(commit, text string) plan.Plan {
	var words []string
	for word := range strings.FieldsSeq(text) {
		if word != w.Gone {
			words = append(words, word)
		}
	}
	return PlanOf(commit, strings.Join(words, " "))
}

// PlanOf returns a plan with a step for each word in text: +name creates, -name deletes, ~name corrects drift.
func PlanOf(commit, text string) plan.Plan {
	p := plan.Plan{Stack: "prod", Commit: commit, Stock: plan.Stock{Owned: 10}}
	deletes := 0
	for word := range strings.FieldsSeq(text) {
		step := plan.Step{Key: manifest.Key{Kind: "Thing", Name: strings.TrimLeft(word, "+-~")}, Source: plan.Source{Origin: manifest.Origin{File: "clouds/thing.yaml", Line: 1}}}
		switch word[0] {
		case '+':
			step.Action = plan.Create
		case '-':
			step.Action = plan.Delete
			deletes++
		case '~':
			step.Action, step.Drift = plan.Update, true
			step.Changes = []kind.Change{{Field: "spec.size", Have: 2, Want: 1}}
			step.Trace = &kind.Trace{Who: "mallory", What: "stop", When: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		default:
			step.Action = plan.Keep
		}
		p.Steps = append(p.Steps, step)
	}
	if deletes > 3 {
		p.Held = cause.List{cause.Of(cause.Told, "it would delete too much")}
	}
	return p
}

// HashOf returns the hash of the plan for text.
func HashOf(text string) string { return PlanOf("", text).Hash() }

// Found applies a policy to a plan, so that drift is reported and not corrected.
func Found(p plan.Plan) plan.Plan { return p.Apply(guard.ReportDrift(true)) }

// Ran returns a run with one pass.
func Ran(commit string, first, last plan.Plan, results ...engine.Result) report.Run {
	return report.Run{
		Stack: "prod", Started: time.Now(), Revision: source.Revision{Commit: commit, Branch: "main"},
		Pass: &engine.Pass{Stack: "prod", Commit: commit, First: first, Last: last, Results: results},
	}
}

// Pass reports a pass and its result to the branch's tracker.
func (w *World) Pass(commit string, first, last plan.Plan) {
	w.Branch.Planned(first, preflight.Findings{})
	synctest.Wait()
	w.Branch.Ran(Ran(commit, first, last))
	synctest.Wait()
}
