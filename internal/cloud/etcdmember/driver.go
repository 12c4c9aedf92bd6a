package etcdmember

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Create implements kind.Driver. Whether there is a cluster is asked again, of all machines: one of them begins it only when
// every machine answers that it has no data.
func (d driver) Create(ctx context.Context, w want) (live, error) {
	client, err := d.clientFor(w)
	if err != nil {
		return live{}, err
	}
	own := &machine{client: client, key: w.Key, portID: w.Ref("Port", w.Spec.PortRef).ID, address: w.Ref("Port", w.Spec.PortRef).Facts.Address}
	machines := []*machine{own}
	for _, name := range w.Spec.PeerRefs {
		if port := w.Ref("Port", name); name != w.Spec.PortRef && port.Facts.Address != "" {
			machines = append(machines, &machine{client: client, portID: port.ID, address: port.Facts.Address})
		}
	}
	knows := consult(ctx, machines, spokesman) // members that are not wanted any more are not asked
	l := live{ID: "port " + own.portID, Name: w.Key.Name, Mine: true, Mark: &w.Mark, Phase: kind.Pending, Message: "is a member, and has not joined yet", Uses: []string{own.portID}, State: &State{client: client, address: own.address}}
	if knows != nil {
		return l, d.join(ctx, own, knows)
	}
	if w.Spec.AfterRef != "" {
		return live{}, fmt.Errorf("%w: no machine of the cluster %s answers that has a majority", kind.ErrBusy, w.Spec.Cluster)
	}
	return l, d.begin(ctx, w, own, machines)
}

// join makes a learner of a machine that waits.
func (driver) join(ctx context.Context, own, knows *machine) error {
	if slices.ContainsFunc(knows.members.List, func(o etcd.Member) bool { return peerAt(o, own.address) }) {
		return nil // an answer was lost
	}
	if !own.waits || own.waiting.State != etcd.Blank {
		return fmt.Errorf("%w: its machine does not wait to join, with an empty disk", kind.ErrBusy)
	}
	_, err := knows.client.AddLearner(ctx, knows.address, own.peerURL())
	return classed(err)
}

// begin has the first machine begin the cluster, with the snapshot where there shall be one. A machine that has a part of a snapshot never begins without.
func (d driver) begin(ctx context.Context, w want, own *machine, machines []*machine) error {
	recorded, err := record.Ports(ctx, d.cloud)
	if err != nil {
		return err
	}
	for _, m := range machines {
		if recorded[m.portID] {
			return fmt.Errorf("%w: there was a cluster, of which port %s has the tag %s, so no new one is begun", kind.ErrBusy, m.portID, record)
		}
	}
	for _, m := range machines {
		blank := m.waiting.State == etcd.Blank || m == own && (m.waiting.Empty() || m.waiting.Beginning())
		if !m.waits || !blank {
			return fmt.Errorf("%w: the machine at %s does not say that it has no data, so no new cluster is begun", kind.ErrBusy, m.address)
		}
	}
	switch {
	case own.waiting.Beginning():
		return nil
	case w.Spec.RestoreRef != "":
		return d.restore(ctx, w, own, machines)
	case own.waiting.State != etcd.Blank:
		return fmt.Errorf("%w: its machine has a snapshot, or a part of one, and begins with a snapshot only: bring the manifest of the EtcdRestore back, or delete the machine and its volume", kind.ErrRejected)
	}
	return own.client.Begin(ctx, own.address)
}

// Update implements kind.Driver: it records that there was a member, promotes a learner, and has a leader hand over.
func (d driver) Update(ctx context.Context, _ want, have live, changes []kind.Change) error {
	if have.State.unrecorded {
		if err := record.Put(ctx, d.cloud, have.State.portID); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(changes, func(c kind.Change) bool { return c.Have == "leader" }) {
		return d.handOver(ctx, have.State)
	}
	if !have.State.IsLearner {
		return nil
	}
	return d.anywhere(have.State.others, func(address string) error { return have.State.client.Promote(ctx, address, have.State.ID) })
}

// handOver has a leader give way. Where nobody can lead in its place it stays one.
func (d driver) handOver(ctx context.Context, s *State) error {
	next, err := d.successor(ctx, s)
	if err != nil {
		return err
	}
	return classed(s.client.MoveLeader(ctx, s.address, next))
}

// Delete implements kind.Driver. A leader hands over first, where it can.
func (d driver) Delete(ctx context.Context, have live) (gone bool, err error) {
	s := have.State
	if s.ID == 0 {
		return false, fmt.Errorf("%w: %s", kind.ErrBusy, have.Message)
	}
	next, err := d.successor(ctx, s)
	if err != nil {
		return false, err
	}
	if s.Leads {
		_ = s.client.MoveLeader(ctx, s.address, next) // without it the others elect one
	}
	err = d.anywhere(s.others, func(address string) error { return s.client.Remove(ctx, address, s.ID) })
	var refused *etcd.Refused
	if errors.As(err, &refused) && refused.NotFound() {
		return true, nil // it is no member any more
	}
	return err == nil, err
}

// successor is a member that can lead without one that goes; an error says that the others would have no majority then.
func (d driver) successor(ctx context.Context, s *State) (id uint64, err error) {
	var others []*machine
	for _, address := range s.others {
		others = append(others, &machine{client: s.client, address: address})
	}
	asked := slices.Clone(others)
	if s.portID != "" { // it still has its part in what most say
		asked = append(asked, &machine{client: s.client, address: s.address})
	}
	knows := consult(ctx, asked, authority)
	if knows == nil {
		return 0, fmt.Errorf("%w: no other member is in touch with a leader, or they do not agree who the members are", kind.ErrBusy)
	}
	others = slices.DeleteFunc(inTouch(asked), func(m *machine) bool { return !slices.Contains(others, m) })
	voters, healthy := 0, 0
	for _, o := range knows.members.List {
		if o.IsLearner || o.ID == s.ID {
			continue
		}
		voters++
		if slices.ContainsFunc(others, func(m *machine) bool { return m.status.MemberID == o.ID }) {
			healthy++
			id = o.ID
		}
	}
	if healthy < voters/2+1 {
		return 0, fmt.Errorf("%w: only %d of the %d other voters answer, and they must keep a majority", kind.ErrBusy, healthy, voters)
	}
	return id, nil
}

// anywhere asks one machine after the other, until one of them does it, or says that there is no such member. Of several refusals
// the first one counts: those of learners come after the authority's.
func (d driver) anywhere(addresses []string, do func(address string) error) error {
	var first error
	for _, address := range addresses {
		err := do(address)
		var refused *etcd.Refused
		if err == nil || errors.As(err, &refused) && refused.NotFound() {
			return classed(err)
		}
		if first == nil || errors.Is(first, etcd.ErrSilent) {
			first = err
		}
	}
	if first == nil {
		return fmt.Errorf("%w: there is no other member", kind.ErrBusy)
	}
	return classed(first)
}

// classed says of what etcd refuses when to ask again.
func classed(err error) error {
	var refused *etcd.Refused
	switch {
	case errors.As(err, &refused) && refused.Later():
		return fmt.Errorf("%w: %w", kind.ErrBusy, err)
	case errors.Is(err, etcd.ErrSilent):
		return fmt.Errorf("%w: %w", kind.ErrUnanswered, err)
	}
	return err
}
