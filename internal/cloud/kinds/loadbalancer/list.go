package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// List reads the project's load balancers first, so that the children of a load balancer that was ACTIVE are at least as
// new. Then it reads listeners, pools and health monitors: four lists in all. If no load balancer is owned (see type
// owned), it reads these lists only if asked.Everything is set. Flavors and zones are read if manifests name some (see grow).
//
// The members of each pool need one further list, because Octavia has no list of all members.
func (d driver) List(ctx context.Context, asked kind.Listing) ([]typed.Live[State], error) {
	ctx = cloud.At(ctx, asked.Shared)
	var states []*State
	if err := readAll(ctx, d, &states, d.ownProjectPath("loadbalancers"), "loadbalancers"); err != nil {
		return nil, err
	}
	if stillPending(asked.Waiting, states) {
		return nil, kind.ErrStillPending
	}
	marked, owned := map[string]*Balancer{}, d.owned.replace(states)
	for _, s := range states {
		if asked.Everything || owned[s.More.ID] {
			marked[s.More.ID] = &s.More
		}
	}
	if len(marked) > 0 {
		if err := d.grow(ctx, asked, marked); err != nil {
			return nil, err
		}
	}
	out := make([]typed.Live[State], len(states))
	for i, s := range states {
		out[i] = live(s, d.c.ProjectID)
	}
	return out, nil
}

// stillPending reports whether the list of load balancers alone shows that Octavia still works on those that the pass waits for. Their children
// are of no use until Octavia has finished.
func stillPending(w kind.Waiting, states []*State) bool {
	return w.Still(func(id string) (kind.Phase, bool) {
		at := slices.IndexFunc(states, func(s *State) bool { return s.More.ID == id })
		if at < 0 {
			return "", false
		}
		phase, _ := states[at].More.phase()
		return phase, true
	})
}

// owned are the IDs of the load balancers that have a mark, or had one in the last list. So the stack still owns a load
// balancer after somebody has overwritten its tags.
type owned struct {
	mu  sync.Mutex
	ids map[string]bool
}

// replace records the load balancers of a new list, and returns the IDs of the owned ones.
func (o *owned) replace(list []*State) map[string]bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.ids
	o.ids = map[string]bool{}
	for _, s := range list {
		if before[s.More.ID] || mark.InTags(s.More.AllTags) != nil {
			o.ids[s.More.ID] = true
		}
	}
	return maps.Clone(o.ids)
}

func (o *owned) add(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ids == nil {
		o.ids = map[string]bool{}
	}
	o.ids[id] = true
}

// ownProjectPath returns the path that lists the project's objects of a collection.
func (d driver) ownProjectPath(collection string) string {
	return collection + "?project_id=" + d.c.ProjectID
}

// readAll reads one of Octavia's collections. name is the name of the list in the answer.
func readAll[T any](ctx context.Context, d driver, into *[]*T, path, name string) error {
	answers, err := cloud.List[table.Attributes](ctx, d.c, cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/" + path}, name)
	if err != nil {
		return err
	}
	for _, answer := range answers {
		part := new(T)
		if err := read(answer, part); err != nil {
			return fmt.Errorf("%s: GET /lbaas/%s: %w", cloud.LoadBalancer, path, err)
		}
		*into = append(*into, part)
	}
	return nil
}

// readUnder is like readAll, for the children of an object that was listed a moment ago. If the object no longer exists,
// it counts as being deleted, so that other load balancers are not affected.
func readUnder[T any](ctx context.Context, d driver, c *child, into *[]*T, path, name string) error {
	err := readAll(ctx, d, into, path, name)
	if errors.Is(err, kind.ErrGone) {
		c.ProvisioningStatus = "PENDING_DELETE"
		return nil
	}
	return err
}

// read decodes a load balancer, or a part of one.
func read(answer table.Attributes, into any) error {
	s, ok := into.(*State)
	if !ok {
		return table.Read(answer, into)
	}
	err := s.Read(answer)
	s.Spec.Tags = mark.UserTags(s.More.AllTags)
	return err
}

// parallelLists is the number of lists that are read in parallel.
const parallelLists = 8

// grow reads the listeners, pools, members, health monitors and policies of the given load balancers. It reads flavors also if a load balancer has
// one, because the status shows the flavor's name.
func (d driver) grow(ctx context.Context, asked kind.Listing, balancers map[string]*Balancer) error {
	var listeners []*Listener
	var pools []*Pool
	var monitors []*HealthMonitor
	var offer *offers
	flavored := asked.Joins(flavorList) || slices.ContainsFunc(slices.Collect(maps.Values(balancers)), func(b *Balancer) bool { return b.FlavorID != "" })
	group, stop := errgroup.WithContext(ctx)
	group.Go(func() error { return readAll(stop, d, &listeners, d.ownProjectPath("listeners"), "listeners") })
	group.Go(func() error { return readAll(stop, d, &pools, d.ownProjectPath("pools"), "pools") })
	group.Go(func() error { return readAll(stop, d, &monitors, d.ownProjectPath("healthmonitors"), "healthmonitors") })
	group.Go(func() (err error) { offer, err = d.offers(stop, flavored, asked.Joins(zoneList)); return err })
	if err := group.Wait(); err != nil {
		return err
	}
	byPool := map[string]*HealthMonitor{}
	for _, m := range monitors {
		for _, p := range m.Pools {
			byPool[p.ID] = m
		}
	}
	for _, b := range balancers {
		b.offers = offer
	}
	for _, l := range listeners {
		for _, parent := range l.Parents {
			if b := balancers[parent.ID]; b != nil {
				b.Listeners = append(b.Listeners, l)
			}
		}
	}
	group, stop = errgroup.WithContext(ctx)
	group.SetLimit(parallelLists)
	for _, p := range pools {
		for _, parent := range p.Parents {
			if b := balancers[parent.ID]; b != nil {
				p.Monitor = byPool[p.ID]
				b.Pools = append(b.Pools, p)
				if len(p.MemberIDs) > 0 {
					group.Go(func() error { return readUnder(stop, d, &p.child, &p.Members, "pools/"+p.ID+"/members", "members") })
				}
				break // a pool belongs to one load balancer
			}
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := d.policies(ctx, balancers); err != nil {
		return err
	}
	d.findStuck(balancers, time.Now())
	return nil
}
