package m3dbinstance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Create implements kind.Driver. Whether there is a placement is asked again, of all machines: the first one begins it only when
// every machine answers that there is none.
func (d driver) Create(ctx context.Context, w want) (live, error) {
	port := w.Ref("Port", w.Spec.PortRef)
	id := m3.InstanceID(w.Key.Name, w.Ref("Volume", w.Spec.VolumeRef).ID, port.Facts.Address)
	own := w.Spec.instance(id, w.Spec.IsolationGroup, port.Facts.Address)
	if id == "" {
		return live{}, fmt.Errorf("%w: its port has no address, or its volume is not there", kind.ErrNotYet)
	}
	at := d.cluster(m3.Environment(w.Key.Namespace, w.Spec.Cluster))
	l := live{ID: own.ID, Name: w.Key.Name, Mine: true, Mark: &w.Mark, Phase: kind.Pending, Message: "is told which shards it has", Uses: []string{port.ID}, State: &State{Address: port.Facts.Address, env: at.Environment}}
	addresses := []string{port.Facts.Address}
	for _, p := range w.Spec.Peers {
		if address := w.Ref("Port", p.PortRef).Facts.Address; address != "" && !slices.Contains(addresses, address) {
			addresses = append(addresses, address)
		}
	}
	seen := look(ctx, at, addresses)
	switch {
	case seen.agreed == nil:
		return live{}, fmt.Errorf("%w: no machine of the cluster %s answers, or they do not agree", kind.ErrBusy, w.Spec.Cluster)
	case seen.placement() != nil:
		return l, d.add(ctx, at, seen, own, w.Key.Name)
	case w.Spec.AfterRef != "":
		return live{}, fmt.Errorf("%w: the placement of the cluster %s has not begun", kind.ErrBusy, w.Spec.Cluster)
	}
	return l, d.begin(ctx, at, seen, w)
}

func (d driver) add(ctx context.Context, at m3.Client, seen seen, own m3.Instance, machine string) error {
	p := seen.placement()
	if p.Find(own.ID) != nil {
		return nil // an answer was lost, or the placement began with it
	}
	if slices.ContainsFunc(p.Instances, func(h m3.Held) bool { return m3.MachineOf(h.ID) == machine }) {
		return fmt.Errorf("%w: the placement has an instance of this machine on another disk", kind.ErrBusy)
	}
	if err := seen.calm(""); err != nil {
		return err
	}
	return classed(at.Add(ctx, seen.agreed.Address, own))
}

// begin makes the placement of all instances, unless there was one before.
func (d driver) begin(ctx context.Context, at m3.Client, seen seen, w want) error {
	recorded, err := record.Ports(ctx, d.cloud)
	if err != nil {
		return err
	}
	var first []m3.Instance
	for _, p := range w.Spec.Peers {
		port := w.Ref("Port", p.PortRef)
		if recorded[port.ID] {
			return fmt.Errorf("%w: there was a placement, of which port %s has the tag %s, so no new one is begun", kind.ErrBusy, port.ID, record)
		}
		id := m3.InstanceID(p.PortRef, w.Ref("Volume", p.VolumeRef).ID, port.Facts.Address)
		if id == "" {
			return fmt.Errorf("%w: %s has no address or no volume yet", kind.ErrNotYet, p.PortRef)
		}
		first = append(first, w.Spec.instance(id, p.IsolationGroup, port.Facts.Address))
	}
	for _, a := range seen.answers {
		if a.Err != nil {
			return fmt.Errorf("%w: the machine at %s does not say that there is no placement, so none is begun", kind.ErrBusy, a.Address)
		}
	}
	err = at.Init(ctx, seen.agreed.Address, first, w.Spec.NumberOfShards, w.Spec.ReplicationFactor)
	var refused *m3.Refused
	if errors.As(err, &refused) && refused.Exists() {
		return nil // somebody was faster
	}
	return classed(err)
}

// Update implements kind.Driver: it records that there was an instance, and has one on another disk replace it.
func (d driver) Update(ctx context.Context, w want, have live, changes []kind.Change) error {
	s := have.State
	if s.unrecorded {
		if err := record.Put(ctx, d.cloud, s.portID); err != nil {
			return err
		}
	}
	if !kind.Has(changes, "instance") {
		return nil
	}
	at := d.cluster(s.env)
	seen := look(ctx, at, append([]string{s.Address}, s.others...))
	if seen.placement().Find(s.wanted) != nil {
		return nil // an answer was lost
	}
	if !seen.answered[s.Address] {
		return fmt.Errorf("%w: the machine at %s does not answer yet", kind.ErrBusy, s.Address)
	}
	if err := seen.calm(s.ID); err != nil {
		return err
	}
	return classed(at.Replace(ctx, seen.agreed.Address, s.ID, w.Spec.instance(s.wanted, s.IsolationGroup, s.Address)))
}

// Delete implements kind.Driver.
func (d driver) Delete(ctx context.Context, have live) (gone bool, err error) {
	s := have.State
	if s.ID == "" {
		return false, fmt.Errorf("%w: %s", kind.ErrBusy, have.Message)
	}
	at := d.cluster(s.env)
	seen := look(ctx, at, append(slices.Clone(s.others), s.Address))
	p := seen.placement()
	if p == nil {
		return false, fmt.Errorf("%w: no machine of the cluster answers, or they do not agree", kind.ErrBusy)
	}
	held := p.Find(s.ID)
	if held == nil || held.Leaving > 0 {
		return held == nil, nil
	}
	if err := seen.calm(s.ID); err != nil {
		return false, err
	}
	err = at.Remove(ctx, seen.agreed.Address, s.ID)
	var refused *m3.Refused
	if errors.As(err, &refused) && refused.NotFound() {
		return true, nil
	}
	return false, classed(err)
}

func (d driver) cluster(environment string) m3.Client {
	return m3.Client{Machines: d.machines, Port: m3.CoordinatorPort, Environment: environment}
}

// classed says of what a coordinator refuses when to ask again: the cluster may be in another state then.
func classed(err error) error {
	var refused *m3.Refused
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("%w: %w", kind.ErrBusy, err)
	case errors.Is(err, m3.ErrSilent):
		return fmt.Errorf("%w: %w", kind.ErrUnanswered, err)
	}
	return err
}
