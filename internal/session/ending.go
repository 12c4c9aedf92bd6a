package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
)

// KeepsNothing returns an error if the end of a stack would delete an object that its manifest keeps. When a stack ends, its manifests do not
// count any more. Then only the mark of an object can keep it, and the mark may be older than the manifest. weaker are the policies in the
// stack's folder, because a suspended stack is not ended.
func (o Opener) KeepsNothing(ctx context.Context, s *config.Stack, engine *engine.Engine, region string) (weaker []plan.Policy, err error) {
	if s.Gone() {
		return nil, nil
	}
	repo, err := o.Source(s)
	if err != nil {
		return nil, err
	}
	defer func() { _ = repo.Close() }()
	rev, _, err := o.fetch(s, repo)(ctx)
	if err != nil {
		return nil, source.Public(err)
	}
	if verify := Verify(s, repo); verify != nil {
		if _, err := verify(ctx, rev.Commit, ""); err != nil {
			return nil, PublicError(err)
		}
	}
	reading, weaker, err := o.Contents(ctx, s, region, s.Bounds(), rev.Files)
	if err != nil {
		return nil, PublicError(err)
	}
	first := "but this commit is not applied yet; first apply it with `stackreeve run --once`"
	kept := map[manifest.Key]string{}
	for _, d := range reading.Want {
		switch o := d.Options; {
		case o.Suspend:
			kept[d.Key] = `is suspended; to have it deleted, remove the annotation suspend: "true"`
		case o.NoPrune:
			kept[d.Key] = `has prune: "false", ` + first
		case o.Detach:
			kept[d.Key] = "has on-delete: detach, " + first
		}
	}
	var problems []error
	for _, step := range engine.Preview(ctx, "", nil, nil).Steps {
		if why := kept[step.Key]; why != "" && step.Action == plan.Delete {
			problems = append(problems, fmt.Errorf("%s would be deleted and %s", step.Key, why))
		}
	}
	return weaker, errors.Join(problems...)
}
