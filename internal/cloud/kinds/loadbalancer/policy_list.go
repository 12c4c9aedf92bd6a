package loadbalancer

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
)

// policies adds the L7 policies and their rules to their listeners. If there are any, it reads one list of policies and
// one list of rules for each policy, because Octavia has no list of all rules.
func (d driver) policies(ctx context.Context, balancers map[string]*Balancer) error {
	listeners := map[string]*Listener{}
	for _, b := range balancers {
		for _, l := range b.Listeners {
			if len(l.PolicyIDs) > 0 {
				listeners[l.ID] = l
			}
		}
	}
	if len(listeners) == 0 {
		return nil
	}
	var all []*Policy
	if err := readAll(ctx, d, &all, d.ownProjectPath("l7policies"), "l7policies"); err != nil {
		return err
	}
	group, stop := errgroup.WithContext(ctx)
	group.SetLimit(parallelLists)
	slices.SortFunc(all, func(a, b *Policy) int { return a.Position - b.Position })
	for _, p := range all {
		l := listeners[p.ListenerID]
		if l == nil {
			continue
		}
		l.Policies = append(l.Policies, p)
		if len(p.RuleIDs) > 0 {
			group.Go(func() error { return readUnder(stop, d, &p.child, &p.Rules, "l7policies/"+p.ID+"/rules", "rules") })
		}
	}
	return group.Wait()
}
