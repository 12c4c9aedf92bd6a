package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// tagsSince is the first version of Octavia's API in which load balancers have tags. The mark is in the tags.
// (api-ref/source/v2/general.inc: tags)
const tagsSince = "2.5"

type driver struct {
	c           *cloud.Client
	lastPending *lastPending
	owned       *owned
}

// Create creates the whole tree in one request that includes the mark. If the cloud cannot do that, it creates only the
// load balancer and marks it as unfinished. The next update then adds its listeners and pools.
func (d driver) Create(ctx context.Context, w typed.Want[Spec]) (typed.Live[State], error) {
	var none typed.Live[State]
	if err := d.require(ctx, w.Spec); err != nil {
		return none, err
	}
	body, err := d.createBody(ctx, w)
	if err != nil {
		return none, err
	}
	made := new(State)
	if err := d.send(ctx, request{method: http.MethodPost, path: "loadbalancers", singular: "loadbalancer", body: body}, made); err != nil {
		return none, badAddress(err)
	}
	made.More.offers = &offers{}
	d.owned.add(made.More.ID)
	return live(made, d.c.ProjectID), nil
}

func (d driver) createBody(ctx context.Context, w typed.Want[Spec]) (map[string]any, error) {
	body := fields.Creation(w)
	body["name"], body["vip_network_id"], body["tags"] = w.Key.Name, w.Ref("Network", w.Spec.NetworkRef).ID, mark.Tags(w.Mark, w.Spec.Tags)
	if further := vips(w); len(further) > 0 {
		list := make([]map[string]any, len(further))
		for i := range further {
			list[i] = table.Given(&further[i])
		}
		body["additional_vips"] = list
	}
	listeners := []map[string]any{}
	for _, l := range wanted(w) {
		for _, p := range l.pools() {
			if p.missing != "" {
				return nil, fmt.Errorf("%w: %s has no address for connections; give it an address, or name other machines in %s", kind.ErrRejected, p.missing, p.field)
			}
		}
		listeners = append(listeners, l.populated())
	}
	if d.c.Lacks(populatedCreate) || !w.Spec.populates() {
		body["tags"] = unfinished(w.Mark, w.Spec.Tags)
	} else {
		body["listeners"] = listeners
	}
	if w.Spec.Zone == nil && w.Spec.Flavor == "" {
		return body, nil
	}
	o, err := d.offers(ctx, w.Spec.Flavor != "", w.Spec.Zone != nil)
	if err != nil {
		return nil, err
	}
	return body, o.choose(w.Spec, body)
}

// badAddress makes a 500 of Octavia a final refusal if its cause is that Neutron refused the manifest's address, because
// a retry would not help.
func badAddress(err error) error {
	text := err.Error()
	if strings.Contains(text, "is not a valid IP for the specified subnet") || strings.Contains(text, "already allocated in subnet") {
		return fmt.Errorf("%w: %w; choose another spec.vipAddress, or remove the field", kind.ErrRejected, err)
	}
	return err
}

const (
	// patience is the total time for which one update waits until Octavia has finished the requests sent so far.
	patience  = time.Minute
	firstLook = 20 * time.Millisecond
	lastLook  = time.Second
)

// Update carries out the edits of [editsOf] that belong to accepted changes, one after the other. Octavia locks the
// whole load balancer (PENDING_…) after each request, so Update waits between two requests. To wait, it reads only the
// load balancer itself, because that is one small request. The collection would need one request for each pool.
//
// If patience ends, the next update does the rest. That update is planned from the new state of the cloud, as after a
// kill at any moment. The mark is written last, and says that all edits are done.
func (d driver) Update(ctx context.Context, w typed.Want[Spec], have typed.Live[State], changes []kind.Change) error {
	if err := d.require(ctx, w.Spec); err != nil {
		return err
	}
	if have.State.More.offers == nil { // without this check, the update would create the whole tree a second time
		return fmt.Errorf("%w: its listeners and pools were not read", kind.ErrBusy)
	}
	patient, cancel := context.WithTimeoutCause(ctx, patience, errUnsettled)
	defer cancel()
	locked := false
	for _, e := range updatesOf(w, have.State, changes) {
		r, needed := e.accept(changes)
		if !needed {
			continue
		}
		if locked {
			if err := d.settle(patient, have.ID); errors.Is(err, errUnsettled) {
				return nil
			} else if err != nil {
				return err
			}
		}
		var made link
		if err := d.send(ctx, r, &made); err != nil && (r.method != http.MethodDelete || !errors.Is(err, kind.ErrGone)) {
			return err
		}
		if r.made != nil {
			*r.made = made.ID
		}
		locked = true
	}
	return nil
}

// updatesOf returns the edits of the listeners and pools. The last one is always the edit of the load balancer itself,
// because it writes the mark.
func updatesOf(w typed.Want[Spec], have *State, changes []kind.Change) []edit {
	return append(editsOf(w, have), edit{request: func([]kind.Change) request { return ownEdit(w, have, changes) }})
}

// ownEdit returns the request that changes the load balancer itself. Its tags contain the mark.
func ownEdit(w typed.Want[Spec], have *State, changes []kind.Change) request {
	body := fields.Update(w, have, changes)
	delete(body, "tags")
	if kind.Has(changes, "spec.name") {
		body["name"] = w.Key.Name
	}
	user := have.Spec.Tags
	if kind.Has(changes, "spec.tags") {
		user = w.Spec.Tags
	}
	unfinished := slices.ContainsFunc(changes, func(c kind.Change) bool { return c.Unfinished }) // the tags say "unfinished" until the update is complete
	if tags := mark.Tags(w.Mark, user); unfinished || !slices.Equal(tags, slices.Sorted(slices.Values(have.More.AllTags))) {
		body["tags"] = tags
	}
	return put("loadbalancer", have.More.ID, body)
}

// Unmark implements [typed.Kind].
func (d driver) Unmark(ctx context.Context, have typed.Live[State]) error {
	tags := append([]string{}, mark.UserTags(have.State.More.AllTags)...) // Octavia refuses null in place of a list
	return d.send(ctx, put("loadbalancer", have.ID, map[string]any{"tags": tags}), nil)
}

// send sends the request, and decodes the answer into into unless that is nil.
func (d driver) send(ctx context.Context, r request, into any) error {
	call := cloud.Call{Service: cloud.LoadBalancer, Method: r.method, Path: "lbaas/" + r.path}
	var answer map[string]table.Attributes
	if r.body != nil {
		call.Body = r.body
	}
	if r.singular != "" {
		call.Into = &answer
	}
	if r.singular != "" && r.body != nil {
		call.Body = map[string]any{r.singular: r.body}
	}
	if err := d.c.Do(ctx, call); err != nil || into == nil || r.singular == "" {
		return err
	}
	if err := read(answer[r.singular], into); err != nil {
		return fmt.Errorf("%s /%s: %w", r.method, r.path, err)
	}
	return nil
}

// errUnsettled is the error if Octavia has not finished its work within the time for waiting.
var errUnsettled = errors.New("its last change is still being applied")

// settle waits until Octavia has finished its work on the load balancer.
func (d driver) settle(ctx context.Context, id string) error {
	for checks := 1; ; checks++ {
		var s State
		err := d.send(ctx, request{method: http.MethodGet, path: "loadbalancers/" + id, singular: "loadbalancer"}, &s)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case !strings.HasPrefix(s.More.ProvisioningStatus, "PENDING_"):
			return nil
		}
		if err := backoff.Wait(ctx, backoff.Pause(firstLook, lastLook, checks)); err != nil {
			return err
		}
	}
}

// Delete deletes the load balancer with everything under it. It returns false, because the load balancer still exists then: Octavia takes some time.
func (d driver) Delete(ctx context.Context, have typed.Live[State]) (gone bool, err error) {
	return false, d.send(ctx, request{method: http.MethodDelete, path: "loadbalancers/" + have.ID + "?cascade=true"}, nil)
}
