package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// tagsSince is the first version of Octavia's API in which load balancers have
// tags, which carry the mark. (api-ref/source/v2/general.inc: tags)
const tagsSince = "2.5"

type driver struct {
	c      *cloud.Client
	doubts *doubts
}

// Create makes the whole tree in one request, the mark in it; where the cloud
// cannot do that, the load balancer alone, marked unfinished: the next update
// adds what is under it.
func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	var none kind.Live[*State]
	if _, err := d.c.Require(ctx, cloud.LoadBalancer, tagsSince, "load balancers"); err != nil {
		return none, err
	}
	body, err := d.createBody(ctx, w)
	if err != nil {
		return none, err
	}
	var answer struct {
		LoadBalancer State `json:"loadbalancer"`
	}
	err = d.c.Do(ctx, cloud.Call{Service: cloud.LoadBalancer, Method: http.MethodPost, Path: "lbaas/loadbalancers",
		Body: map[string]any{"loadbalancer": body}, Into: &answer})
	if err != nil {
		return none, badAddress(err)
	}
	made := &answer.LoadBalancer
	made.offers = &offers{}
	return made.live(d.c.ProjectID), nil
}

func (d driver) createBody(ctx context.Context, w kind.Want[Spec]) (map[string]any, error) {
	spec := w.Spec
	listeners := []map[string]any{}
	for _, l := range listenersOf(w) {
		if l.pool.missing != "" {
			return nil, fmt.Errorf("%w: %s has no address that connections could be sent to; give it one, or name other machines in %s", kind.ErrRejected, l.pool.missing, l.field)
		}
		listeners = append(listeners, l.full(childTags(w)))
	}
	body := map[string]any{
		"name": rules{}.Name(w), "description": cloud.Or(spec.Description, ""), "admin_state_up": cloud.Or(spec.AdminStateUp, true),
		"tags": cloud.Tags(w.Mark, spec.Tags), "vip_network_id": w.Ref("Network", spec.NetworkRef).ID, "listeners": listeners,
	}
	if d.c.Lacks(populatedCreate) {
		body["tags"] = unfinished(w.Mark, spec.Tags)
		delete(body, "listeners")
	}
	cloud.Put(body, "vip_address", spec.VIPAddress)
	if spec.Zone == nil && spec.Flavor == "" {
		return body, nil
	}
	o, err := d.offers(ctx)
	if err != nil {
		return nil, err
	}
	return body, o.choose(spec, body)
}

// badAddress recognises what is Octavia's 500 because Neutron refused the
// address that the manifest asks for: asking again would not help.
func badAddress(err error) error {
	text := err.Error()
	if strings.Contains(text, "is not a valid IP for the specified subnet") || strings.Contains(text, "already allocated in subnet") {
		return fmt.Errorf("%w: %w; choose another spec.vipAddress, or leave it out", kind.ErrRejected, err)
	}
	return err
}

// Delete removes the load balancer with everything under it. Octavia takes its
// time over that.
func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (gone bool, err error) {
	err = d.c.Do(ctx, cloud.Call{Service: cloud.LoadBalancer, Method: http.MethodDelete, Path: "lbaas/loadbalancers/" + have.ID + "?cascade=true"})
	return false, err
}

// get reads the load balancer alone.
func (d driver) get(ctx context.Context, id string) (*State, error) {
	var answer struct {
		LoadBalancer State `json:"loadbalancer"`
	}
	err := d.c.Do(ctx, cloud.Call{Service: cloud.LoadBalancer, Method: http.MethodGet, Path: "lbaas/loadbalancers/" + id, Into: &answer})
	return &answer.LoadBalancer, err
}

// errUnsettled says that Octavia is still working when there is no more time to
// wait for it.
var errUnsettled = errors.New("still being worked on")
