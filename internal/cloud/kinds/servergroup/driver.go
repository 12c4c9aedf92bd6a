package servergroup

import (
	"context"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

func observe(s *state, _ *kind.Live) {
	if s.Spec.Policy == "" && len(s.More.Policies) > 0 {
		s.Spec.Policy = s.More.Policies[0]
	}
}

// create sends a list of policies to older clouds, which have no rules.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	body := d.Creation(w)
	version, err := d.Client.Microversion(ctx, cloud.Compute, withRules)
	if err == nil && body["rules"] != nil {
		_, err = d.Client.Require(ctx, cloud.Compute, withRules, "rules of server groups")
	}
	if err != nil {
		return nil, err
	}
	if !cloud.AtLeast(version, withRules) {
		body["policies"] = []any{body["policy"]}
		delete(body, "policy")
	}
	return d.Post(ctx, w, body)
}

// update always fails. It is called only to mark a group that a manifest
// adopts.
func update(context.Context, driver, define.Change[Spec, More]) error {
	return fmt.Errorf("%w: Nova cannot rename a server group, so it cannot get the owner mark; import it with managementPolicy: unmanaged", kind.ErrRejected)
}
