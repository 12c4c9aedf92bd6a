package m3dbnamespace

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// recordTag is a tag on the ports of a cluster which records that a manifest asked for this namespace. Tags with this prefix count as
// part of an owner mark, so no manifest can contain one.
func recordTag(namespace string) string {
	return ownertext.Prefix + "m3ns:" + checksum.Short(namespace)
}

func (d driver) record(ctx context.Context, portIDs []string, namespace string) error {
	for _, id := range portIDs {
		if err := d.cloud.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + id + "/tags/" + recordTag(namespace)}); err != nil {
			return err
		}
	}
	return nil
}

// forget undoes [driver.record], so that a later namespace of the same name does not count as requested by this stack.
func (d driver) forget(ctx context.Context, portIDs []string, namespace string) error {
	for _, id := range portIDs {
		err := d.cloud.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "ports/" + id + "/tags/" + recordTag(namespace)})
		if err != nil && !errors.Is(err, kind.ErrGone) {
			return err
		}
	}
	return nil
}

// Create implements [typed.Kind]. It records on the ports that a manifest asks for the namespace, and then creates the namespace.
func (d driver) Create(ctx context.Context, w want) (live, error) {
	options, field, ok := w.Spec.Options.read()
	if !ok {
		return live{}, fmt.Errorf("%w: %s is no time", kind.ErrRejected, field)
	}
	var addresses, portIDs []string
	for _, name := range w.Spec.PortRefs {
		if port := w.Ref("Port", name); port.Facts.Address != "" {
			addresses, portIDs = append(addresses, port.Facts.Address), append(portIDs, port.ID)
		}
	}
	tags, err := member.RecordsOfPorts(ctx, d.cloud)
	if err != nil {
		return live{}, err
	}
	own := false
	for i, id := range portIDs {
		own = own || member.PlacementBegun.On(tags[id], addresses[i])
	}
	if !own {
		return live{}, fmt.Errorf("%w: the stack has not begun the placement of the cluster %s: its M3DBInstances say more", kind.ErrRejected, w.Spec.Cluster)
	}
	at := m3.Over(d.machines, m3.Environment(w.Key.Namespace, w.Spec.Cluster))
	agreed := agree(ctx, at, addresses)
	if agreed == nil {
		return live{}, fmt.Errorf("%w: no coordinator of the cluster %s answers, or they do not agree", kind.ErrBusy, w.Spec.Cluster)
	}
	if p, err := at.Placement(ctx, agreed.Address); err != nil || p == nil {
		return live{}, fmt.Errorf("%w: the placement of the cluster %s has not begun, or etcd has lost it", kind.ErrBusy, w.Spec.Cluster)
	}
	l := live{Live: kind.Live{ID: at.Environment + "/" + w.Spec.Name, Name: w.Key.Name, InOwnProject: true, Mark: w.CopyMark(), Phase: kind.Begun, Message: "coordinators do not use it yet"}, State: &State{name: w.Spec.Name, env: at.Environment, addresses: addresses}}
	if err := d.record(ctx, portIDs, w.Spec.Name); err != nil {
		return live{}, err
	}
	err = at.CreateNamespace(ctx, agreed.Address, w.Spec.Name, options)
	var refused *m3.Refused
	switch {
	case errors.As(err, &refused) && refused.Exists():
		return l, nil // an earlier request created it, but its answer was lost
	case errors.As(err, &refused) && refused.Status == http.StatusBadRequest:
		return live{}, fmt.Errorf("%w: %w", kind.ErrRejected, err)
	}
	return l, classed(err)
}

// Update implements [typed.Kind].
func (d driver) Update(ctx context.Context, w want, have live, changes []kind.Change) error {
	s := have.State
	if s.unrecorded {
		if err := d.record(ctx, s.portIDs, s.name); err != nil {
			return err
		}
	}
	at := m3.Over(d.machines, s.env)
	if kind.Has(changes, "spec.options.retentionOptions.retentionPeriod") {
		options, _, _ := w.Spec.Options.read() // Validate reports errors
		period := options.RetentionOptions.RetentionPeriod
		if err := anywhere(s.addresses, func(address string) error { return at.SetRetention(ctx, address, s.name, period) }); err != nil {
			return err
		}
	}
	if !kind.Has(changes, "state") {
		return nil
	}
	return anywhere(s.addresses, func(address string) error { return at.ReadyNamespace(ctx, address, s.name) })
}

// Delete implements [typed.Kind].
func (d driver) Delete(ctx context.Context, have live) (gone bool, err error) {
	s := have.State
	at := m3.Over(d.machines, s.env)
	err = anywhere(s.addresses, func(address string) error { return at.DeleteNamespace(ctx, address, s.name) })
	var refused *m3.Refused
	if errors.As(err, &refused) && refused.NotFound() {
		err = nil
	}
	if err == nil {
		err = d.forget(ctx, s.portIDs, s.name)
	}
	return err == nil, err
}

// anywhere calls do with one address after the other, until a machine answers.
func anywhere(addresses []string, do func(address string) error) error {
	err := fmt.Errorf("%w: the cluster has no machine", kind.ErrBusy)
	for _, address := range addresses {
		if err = classed(do(address)); !errors.Is(err, kind.ErrUnanswered) {
			return err
		}
	}
	return err
}

// classed marks errors of a coordinator that may go away later, as member.Classed does. "Not found" is final, so classed returns it
// unchanged.
func classed(err error) error {
	var refused *m3.Refused
	if errors.As(err, &refused) && refused.NotFound() {
		return err
	}
	return member.Classed(err)
}
