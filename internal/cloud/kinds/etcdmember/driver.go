package etcdmember

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdquorum"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Create implements [typed.Kind]. It asks all machines again whether there is a cluster. The first machine begins one
// only if every machine answers that it has no data. Members that are not wanted any more are not asked.
func (d driver) Create(ctx context.Context, w want) (live, error) {
	client, err := d.clientFor(w)
	if err != nil {
		return live{}, err
	}
	peers, err := d.members.Peers(ctx, w, w.Spec.PeerRefs)
	if err != nil {
		return live{}, err
	}
	var machines []*machine
	for _, p := range peers {
		machines = append(machines, &machine{Machine: *p, client: client})
	}
	own, knows := machines[0], consult(ctx, machines, etcdquorum.TrustedOfSome)
	l := member.Live(d.members, peers[0], &State{client: client, State: member.State{Address: own.Address}})
	l.Mark, l.Phase, l.Message = w.CopyMark(), kind.Pending, "is a member, but has not joined yet"
	switch {
	case knows != nil && !claims(machines, knows):
		return live{}, fmt.Errorf("%w: %s", kind.ErrRejected, foreign(knows))
	case knows != nil:
		return l, join(ctx, own, knows)
	case w.Spec.AfterRef != "":
		return live{}, fmt.Errorf("%w: no machine of the cluster %s with a majority answers", kind.ErrBusy, w.Spec.Cluster)
	}
	l.Uncertain = true // the machine answers first, and then begins the cluster
	return l, d.begin(ctx, w, peers, machines)
}

// join adds a waiting machine to the cluster as a learner.
func join(ctx context.Context, own *machine, knows *etcdquorum.Answer) error {
	if knows.At(own.Address) != nil {
		return nil // the machine is a member already: the answer to an earlier request was lost
	}
	if !own.waits || own.waiting.State != etcd.Blank {
		return fmt.Errorf("%w: %s", kind.ErrBusy, member.Failure("its machine", own.failure, "its machine is not waiting to join with an empty disk"))
	}
	_, err := own.client.AddLearner(ctx, knows.Address, own.peerURL())
	return member.Classed(err)
}

// begin makes the first machine begin the cluster, with a snapshot if RestoreRef names one. A machine that has part of a
// snapshot never begins without a snapshot.
func (d driver) begin(ctx context.Context, w want, peers []*member.Machine[Spec], machines []*machine) error {
	own := machines[0]
	err := d.members.Begin(ctx, peers, func(i int) string {
		m := machines[i]
		if blank := m.waiting.State == etcd.Blank || m == own && (m.waiting.Empty() || m.waiting.Beginning()); m.waits && blank {
			return ""
		}
		return member.MayHaveData(m.Address, m.failure, "it has no data")
	})
	switch {
	case err != nil, own.waiting.Beginning():
		return err
	case w.Spec.RestoreRef != "":
		return d.restore(ctx, w, own, peers)
	case own.waiting.State != etcd.Blank:
		return fmt.Errorf("%w: its machine has a snapshot, or a part of a snapshot, and can only start from a snapshot: restore the manifest of the EtcdRestore, or delete the machine and its volume", kind.ErrRejected)
	}
	return own.client.Begin(ctx, own.Address)
}

// Update implements [typed.Kind]. It records that the member existed, promotes a learner, and lets another member lead if a leader has to hand over.
func (d driver) Update(ctx context.Context, _ want, have live, changes []kind.Change) error {
	s := have.State
	if s.Unrecorded {
		if err := d.note(ctx, s); err != nil {
			return err
		}
	}
	switch role := s.role(); {
	case role == learner:
		return anywhere(s.Others, func(address string) error { return s.client.Promote(ctx, address, s.ID) })
	case role == leader && kind.Has(changes, roleField):
		return handOver(ctx, s)
	}
	return nil
}

// handOver makes another member the leader. If no other member can lead, it fails, and the leader remains.
func handOver(ctx context.Context, s *State) error {
	next, err := successor(ctx, s)
	if err != nil {
		return err
	}
	return member.Classed(s.client.MoveLeader(ctx, s.Address, next))
}

// Delete implements [typed.Kind]. If the member is the leader, another member first becomes the leader.
func (d driver) Delete(ctx context.Context, have live) (gone bool, err error) {
	s := have.State
	if s.ID == 0 {
		return false, fmt.Errorf("%w: %s", kind.ErrBusy, have.Message)
	}
	next, err := successor(ctx, s)
	if err != nil {
		return false, err
	}
	if s.Leads {
		_ = s.client.MoveLeader(ctx, s.Address, next) // if this fails, the others elect a leader
	}
	err = anywhere(s.Others, func(address string) error { return s.client.Remove(ctx, address, s.ID) })
	if member.Absent(err) {
		return true, nil
	}
	return err == nil, err
}

// successor returns the ID of a member that can lead after this member leaves. It fails if the others would have no
// majority.
func successor(ctx context.Context, s *State) (id uint64, err error) {
	asked := slices.Clone(s.Others)
	if s.PortID != "" { // its answer also counts for the majority
		asked = append(asked, s.Address)
	}
	var machines []*machine
	for _, address := range asked {
		machines = append(machines, &machine{client: s.client, Machine: member.Machine[Spec]{Address: address}})
	}
	knows := consult(ctx, machines, etcdquorum.Trusted)
	if knows != nil && knows.Status.ClusterID != s.cluster {
		return 0, fmt.Errorf("%w: %s", kind.ErrBusy, foreign(knows))
	}
	if knows == nil {
		return 0, fmt.Errorf("%w: no other member can reach a leader, or the members do not agree who the members are", kind.ErrBusy)
	}
	others := slices.DeleteFunc(etcdquorum.WithLeader(voices(machines)), func(v *etcdquorum.Answer) bool { return !slices.Contains(s.Others, v.Address) })
	voters, healthy := knows.Voters(s.ID, others)
	if len(healthy) < voters/2+1 {
		return 0, fmt.Errorf("%w: only %d of the %d other voters answer, and they must keep a majority", kind.ErrBusy, len(healthy), voters)
	}
	return healthy[len(healthy)-1], nil
}

// anywhere sends a request to one machine after the other, until one carries it out or answers that there is no such
// member. If all refuse, the first error is returned: the first machine is the authority, and errors of learners come
// after it.
func anywhere(addresses []string, do func(address string) error) error {
	var first error
	for _, address := range addresses {
		err := do(address)
		if err == nil || member.Absent(err) {
			return member.Classed(err)
		}
		if first == nil || errors.Is(first, etcd.ErrSilent) {
			first = err
		}
	}
	if first == nil {
		return fmt.Errorf("%w: there is no other member", kind.ErrBusy)
	}
	return member.Classed(first)
}
