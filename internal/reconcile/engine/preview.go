package engine

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Preview makes the plan for a revision, weakened by every policy. approved are the approvals because of which the brake does not hold the
// plan. weaker are the policies of this revision. Preview only reads; a pass makes its plans in planRound.
func (e *Engine) Preview(ctx context.Context, commit string, want []kind.Desired, approved []plan.Approval, weaker ...plan.Policy) plan.Plan {
	p, _, _ := e.preview(ctx, Revision{Commit: commit, Want: want, Approved: approved, Policies: weaker})
	return p
}

// PreviewOf is like [Engine.Preview], with all fields of a revision. It also returns the amounts that the plan needs from the cloud.
func (e *Engine) PreviewOf(ctx context.Context, rev Revision) (plan.Plan, preflight.Findings) {
	p, have, secrets := e.preview(ctx, rev)
	return p, e.preflight(redact.With(ctx, secrets), p, have, secrets)
}

// Compare is like [Engine.Preview], and also returns the snapshot that the plan was made from. It sends no requests about single objects.
func (e *Engine) Compare(ctx context.Context, rev Revision) (plan.Plan, kind.Snapshot) {
	p, have, _ := e.computed(ctx, rev)
	return p, have
}

// preview returns the plan for a revision, the snapshot of the cloud, and a redactor for the secrets that both may contain.
func (e *Engine) preview(ctx context.Context, rev Revision) (p plan.Plan, have kind.Snapshot, secrets *redact.Redactor) {
	p, have, secrets = e.computed(ctx, rev)
	return e.withTraces(redact.With(ctx, secrets), p), have, secrets
}

// computed returns what preview returns, without the traces of drift.
func (e *Engine) computed(ctx context.Context, rev Revision) (p plan.Plan, have kind.Snapshot, secrets *redact.Redactor) {
	e.logIn(ctx)
	secrets = e.secretsOf(rev.Want)
	ctx = redact.With(ctx, secrets)
	have = e.observeForPlan(ctx, rev)
	p = e.compute(rev, have, e.past().Past()) // the past of a pull request's preview is empty, because such an engine runs no pass
	p = p.Apply(guard.Choose(p, rev.Targets).Limit).Redacted(secrets).Apply(guard.Brake(e.Limits, rev.Approved))
	return p, have, secrets
}
