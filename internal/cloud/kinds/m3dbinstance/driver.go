package m3dbinstance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Create implements [typed.Kind]. It asks all machines once more whether there is a placement. The first instance begins the
// placement only if every machine answers that there is none.
func (d driver) Create(ctx context.Context, w want) (live, error) {
	var ports, addresses []string
	for _, p := range w.Spec.Peers {
		ports = append(ports, p.PortRef)
	}
	peers, err := d.members.Peers(ctx, w, ports)
	if err != nil {
		return live{}, err
	}
	for _, p := range peers {
		addresses = append(addresses, p.Address)
	}
	peers[0].VolumeID = w.Ref("Volume", w.Spec.VolumeRef).ID
	own := w.Spec.instance(idOf(peers[0]), w.Spec.IsolationGroup, peers[0].Address)
	if own.ID == "" {
		return live{}, fmt.Errorf("%w: its port has no address, or its volume does not exist", kind.ErrNotYet)
	}
	at := m3.Over(d.machines, m3.Environment(w.Key.Namespace, w.Spec.Cluster))
	l := member.Live(d.members, peers[0], &State{State: member.State{Address: own.Hostname}, env: at.Environment})
	l.ID, l.Mark, l.Phase, l.Message = own.ID, w.CopyMark(), kind.Pending, "learns which shards it has"
	seen := ask(ctx, at, addresses)
	switch {
	case seen.agreed == nil:
		return live{}, fmt.Errorf("%w: no machine of the cluster %s answers, or they do not agree", kind.ErrBusy, w.Spec.Cluster)
	case seen.placement() != nil && !claims(peers):
		return live{}, fmt.Errorf("%w: %s", kind.ErrRejected, othersPlacement(at.Environment))
	case seen.placement() != nil:
		return l, add(ctx, at, seen, own, w.Key.Name)
	case w.Spec.AfterRef != "":
		return live{}, fmt.Errorf("%w: the placement of the cluster %s has not begun", kind.ErrBusy, w.Spec.Cluster)
	}
	return l, d.begin(ctx, at, seen, w, peers)
}

func add(ctx context.Context, at m3.Client, seen answers, own m3.Instance, machine string) error {
	p := seen.placement()
	if p.Find(own.ID) != nil {
		return nil // an earlier answer was lost, or the new placement already contained it
	}
	if slices.ContainsFunc(p.Instances, func(h m3.Held) bool { return m3.MachineOf(h.ID) == machine }) {
		return fmt.Errorf("%w: the placement has an instance of this machine on another disk", kind.ErrBusy)
	}
	if err := seen.checkQuiet(""); err != nil {
		return err
	}
	return member.Classed(at.Add(ctx, seen.agreed.Address, own))
}

// begin creates the placement with all first instances, unless a placement exists.
func (d driver) begin(ctx context.Context, at m3.Client, seen answers, w want, peers []*machine) error {
	var first []m3.Instance
	for _, p := range w.Spec.Peers {
		address := w.Ref("Port", p.PortRef).Facts.Address
		id := m3.InstanceID(p.PortRef, w.Ref("Volume", p.VolumeRef).ID, address)
		if id == "" {
			return fmt.Errorf("%w: %s has no address or no volume yet", kind.ErrNotYet, p.PortRef)
		}
		first = append(first, w.Spec.instance(id, p.IsolationGroup, address))
	}
	err := d.members.Begin(ctx, peers, func(i int) string {
		a := seen.answers[i]
		if a.Err == nil {
			return ""
		}
		return member.MayHaveData(a.Address, boot.Why(a.Err), "there is none")
	})
	if err != nil {
		return err
	}
	err = at.Init(ctx, seen.agreed.Address, first, w.Spec.NumberOfShards, w.Spec.ReplicationFactor)
	var refused *m3.Refused
	if errors.As(err, &refused) && refused.Exists() {
		return nil // another request created it meanwhile
	}
	return member.Classed(err)
}

// Update implements [typed.Kind]: it records on the port that there was an instance. If the machine has another disk or address
// than the placement lists, Update replaces the instance.
func (d driver) Update(ctx context.Context, w want, have live, changes []kind.Change) error {
	s := have.State
	if s.Unrecorded {
		if err := member.PlacementBegun.Put(ctx, d.members.Cloud, s.PortID); err != nil {
			return err
		}
	}
	if !kind.Has(changes, "instance") {
		return nil
	}
	at := m3.Over(d.machines, s.env)
	seen := ask(ctx, at, append([]string{s.Address}, s.Others...))
	if seen.placement().Find(s.wanted) != nil {
		return nil // an earlier request replaced it, but its answer was lost
	}
	if !seen.answered[s.Address] {
		return fmt.Errorf("%w: the machine at %s does not answer yet", kind.ErrBusy, s.Address)
	}
	if err := seen.checkQuiet(s.held.ID); err != nil {
		return err
	}
	return member.Classed(at.Replace(ctx, seen.agreed.Address, s.held.ID, w.Spec.instance(s.wanted, s.held.IsolationGroup, s.Address)))
}

// Delete implements [typed.Kind].
func (d driver) Delete(ctx context.Context, have live) (gone bool, err error) {
	s := have.State
	if s.held.ID == "" {
		return false, fmt.Errorf("%w: %s", kind.ErrBusy, have.Message)
	}
	at := m3.Over(d.machines, s.env)
	seen := ask(ctx, at, append(slices.Clone(s.Others), s.Address))
	p := seen.placement()
	if p == nil {
		return false, errDisagree
	}
	held := p.Find(s.held.ID)
	if held == nil || held.Leaving > 0 {
		return held == nil, nil
	}
	if err := seen.checkQuiet(s.held.ID); err != nil {
		return false, err
	}
	err = at.Remove(ctx, seen.agreed.Address, s.held.ID)
	if member.Absent(err) {
		return true, nil
	}
	return false, member.Classed(err)
}
