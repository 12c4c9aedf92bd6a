package loadbalancer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const (
	// patience is how long an update waits in all for Octavia to finish one
	// request before it sends the next.
	patience  = time.Minute
	firstLook = 20 * time.Millisecond
	lastLook  = time.Second
)

// Update carries out the edits of [editsOf] that the accepted changes call
// for, one after the other. Octavia locks the whole load balancer (PENDING_…)
// after each, so between two it waits, reading only the load balancer: that is
// one small request a look, where observing the collection again would be one
// for each pool. When its patience ends it leaves the rest to the next update,
// which is planned from what the cloud holds by then; so is what a kill at any
// moment leaves. The mark comes last and says that all is done.
func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	patient, cancel := context.WithTimeoutCause(ctx, patience, errUnsettled)
	defer cancel()
	accepted := func(field string) bool { return kind.Has(changes, field) }
	locked := false
	for _, e := range editsOf(w, have.State) {
		r, needed := e.accept(accepted)
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
		id, err := d.carryOut(ctx, r)
		if err != nil {
			return err
		}
		if e.learn != nil {
			*e.learn = id
		}
		locked = true
	}
	return nil
}

// accept gives the request of an edit, if the accepted changes call for it.
func (e edit) accept(accepted func(field string) bool) (request, bool) {
	if e.request == nil {
		return request{}, false
	}
	called := func(c kind.Change) bool { return accepted(c.Field) }
	follows := e.cause != "" && accepted(e.cause)
	if len(e.changes) > 0 && !slices.ContainsFunc(e.changes, called) || e.cause != "" && !follows {
		return request{}, false
	}
	r := e.request(accepted)
	if body, ok := r.body.(map[string]any); ok && len(body) == 0 {
		return request{}, false
	}
	return r, true
}

// carryOut makes the request, and returns the ID of what it made.
func (d driver) carryOut(ctx context.Context, r request) (id string, err error) {
	call := cloud.Call{Service: cloud.LoadBalancer, Method: r.method, Path: "lbaas/" + r.path, Body: r.body}
	var answer map[string]json.RawMessage
	if r.singular != "" {
		call.Body, call.Into = map[string]any{r.singular: r.body}, &answer
	}
	if err := d.c.Do(ctx, call); err != nil {
		if r.method == http.MethodDelete && errors.Is(err, kind.ErrGone) {
			return "", nil
		}
		return "", err
	}
	if r.singular == "" {
		return "", nil
	}
	var made idOnly
	if err := json.Unmarshal(answer[r.singular], &made); err != nil {
		return "", fmt.Errorf("%s /%s: %w", r.method, r.path, err)
	}
	return made.ID, nil
}

// settle waits until Octavia is done with the load balancer.
func (d driver) settle(ctx context.Context, id string) error {
	for checks := 1; ; checks++ {
		s, err := d.get(ctx, id)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case !strings.HasPrefix(s.ProvisioningStatus, "PENDING_"):
			return nil
		}
		if err := backoff.Wait(ctx, backoff.Pause(firstLook, lastLook, checks)); err != nil {
			return err
		}
	}
}
