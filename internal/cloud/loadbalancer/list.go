package loadbalancer

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// List reads the project's load balancers, and then, if any of them bears a
// mark, the listeners, pools, health monitors, flavors and zones: six lists.
// Members come one list for each pool of a marked load balancer: Octavia has
// no other. The load balancers are read first: one that was ACTIVE then has
// children that are at least as new.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	balancers, err := list1[State](ctx, d, "loadbalancers", true)
	if err != nil {
		return nil, err
	}
	marked := map[string]*State{}
	for i := range balancers {
		if cloud.MarkInTags(balancers[i].Tags) != nil {
			marked[balancers[i].ID] = &balancers[i]
		}
	}
	if len(marked) > 0 {
		if err := d.grow(ctx, marked); errors.Is(err, kind.ErrGone) {
			return nil, fmt.Errorf("load balancers changed while they were listed: %v", err)
		} else if err != nil {
			return nil, err
		}
	}
	out := make([]kind.Live[*State], len(balancers))
	for i := range balancers {
		out[i] = balancers[i].live(d.c.ProjectID)
	}
	return out, nil
}

// list1 reads one of Octavia's collections.
func list1[T any](ctx context.Context, d driver, collection string, mine bool) ([]T, error) {
	path := "lbaas/" + collection
	if mine {
		path += "?project_id=" + d.c.ProjectID
	}
	return cloud.List[T](ctx, d.c, cloud.Call{Service: cloud.LoadBalancer, Path: path}, collection)
}

// parallelLists is how many lists are read at once.
const parallelLists = 8

// grow hangs everything that is under the load balancers where it belongs.
func (d driver) grow(ctx context.Context, balancers map[string]*State) error {
	var listeners []*Listener
	var pools []*Pool
	var monitors []*HealthMonitor
	var offered *offers
	group, stop := errgroup.WithContext(ctx)
	group.Go(func() (err error) { listeners, err = list1[*Listener](stop, d, "listeners", true); return err })
	group.Go(func() (err error) { monitors, err = list1[*HealthMonitor](stop, d, "healthmonitors", true); return err })
	group.Go(func() (err error) { offered, err = d.offers(stop); return err })
	group.Go(func() (err error) { pools, err = list1[*Pool](stop, d, "pools", true); return err })
	if err := group.Wait(); err != nil {
		return err
	}
	byPool := map[string]*HealthMonitor{}
	for _, m := range monitors {
		for _, p := range m.Pools {
			byPool[p.ID] = m
		}
	}
	for _, s := range balancers {
		s.offers = offered
		s.Flavor = offered.flavorName(s.FlavorID)
	}
	for _, l := range listeners {
		for _, parent := range l.Parents {
			if s := balancers[parent.ID]; s != nil {
				s.Listeners = append(s.Listeners, l)
			}
		}
	}
	group, stop = errgroup.WithContext(ctx)
	group.SetLimit(parallelLists)
	for _, p := range pools {
		for _, parent := range p.Parents {
			if s := balancers[parent.ID]; s != nil {
				p.Monitor = byPool[p.ID]
				s.Pools = append(s.Pools, p)
				group.Go(func() (err error) { p.Members, err = d.members(stop, p); return err })
			}
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	d.findStuck(balancers)
	return nil
}

func (d driver) members(ctx context.Context, p *Pool) ([]*Member, error) {
	if len(p.MemberIDs) == 0 {
		return nil, nil
	}
	return cloud.List[*Member](ctx, d.c, cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/pools/" + p.ID + "/members"}, "members")
}
