package etcdmember

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
)

// Whose word counts. What a machine says may be a lie: whoever has taken it over says what it likes. So
//
//   - it is the member that it claims to be only if no other machine claims that, too;
//   - a list of members counts when more than half of the voters in it tell the same, as they do for each decision of etcd itself,
//     and more than half of all that tell one;
//   - of those that tell it, the one counts whose leader most machines name, and then the leader itself.

// authority is the machine whose word counts; nil for none.
func authority(machines []*machine) *machine { return chosen(machines, true) }

// spokesman is the same where only some machines of a cluster are asked: most of those have to agree.
func spokesman(machines []*machine) *machine { return chosen(machines, false) }

func chosen(machines []*machine, whole bool) *machine {
	in := inTouch(machines)
	votes := map[[2]uint64]int{}
	of := func(m *machine) [2]uint64 { return [2]uint64{m.status.ClusterID, m.status.Leader} }
	for _, m := range in {
		votes[of(m)]++
	}
	tell := slices.DeleteFunc(slices.Clone(in), func(m *machine) bool { return len(m.members.List) == 0 })
	same := member.Most(tell, (*machine).alike)
	if len(same) == 0 || whole && !same[0].most(same) {
		return nil
	}
	return slices.MaxFunc(same, func(a, b *machine) int {
		return cmp.Or(votes[of(a)]-votes[of(b)], a.leads()-b.leads(), cmp.Compare(a.status.AppliedIndex, b.status.AppliedIndex))
	})
}

// inTouch are the machines that know of a leader, and that nobody else claims to be.
func inTouch(machines []*machine) (list []*machine) {
	claims := map[uint64]int{}
	for _, m := range machines {
		if m.answers {
			claims[m.status.MemberID]++
		}
	}
	for _, m := range machines {
		if m.answers && m.status.Leader != 0 && claims[m.status.MemberID] == 1 {
			list = append(list, m)
		}
	}
	return list
}

// most reports whether these machines are more than half of the voters that the first of them lists.
func (m *machine) most(machines []*machine) bool {
	voters, there := 0, 0
	for _, o := range m.members.List {
		if o.IsLearner {
			continue // it does not tell who the members are
		}
		voters++
		if slices.ContainsFunc(machines, func(m *machine) bool { return m.status.MemberID == o.ID }) {
			there++
		}
	}
	return 2*there > voters
}

// alike is what the machines of a cluster have in common that know the same members.
func (m *machine) alike() string {
	list := slices.SortedFunc(slices.Values(m.members.List), func(a, b etcd.Member) int { return cmp.Compare(a.ID, b.ID) })
	var text strings.Builder
	fmt.Fprintf(&text, "%x", m.status.ClusterID)
	for _, o := range list {
		fmt.Fprintf(&text, "\n%x %t %q", o.ID, o.IsLearner, slices.Sorted(slices.Values(o.PeerURLs)))
	}
	return text.String()
}

// leads is 1 of a leader, and 0 of others.
func (m *machine) leads() int {
	if m.status.Leader == m.status.MemberID {
		return 1
	}
	return 0
}

// beat is how long a change of the members takes to be known to all of them: a heartbeat of etcd is 100 ms.
const beat = 300 * time.Millisecond

// consult asks machines, and once more if they are in touch with a leader and do not agree: a change may just have been decided.
func consult(ctx context.Context, machines []*machine, choose func([]*machine) *machine) *machine {
	ask(ctx, machines)
	if knows := choose(machines); knows != nil || len(inTouch(machines)) < 2 {
		return knows
	}
	select {
	case <-ctx.Done():
	case <-time.After(beat):
		ask(ctx, machines)
	}
	return choose(machines)
}
