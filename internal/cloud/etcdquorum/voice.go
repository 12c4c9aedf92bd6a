// Package etcdquorum decides which answers count among the machines of an etcd cluster, and which of its voters know a leader. It also decides which
// versions of etcd can follow each other. Its functions are pure: other packages send requests to the machines, and decide what follows for a member.
//
// The answer of a machine may be false: an attacker on it can answer anything. So there are three rules:
//   - A machine is the member that it claims to be only if no other machine claims the same.
//   - A list of members counts only with two majorities. More than half of its voters must report it, as etcd itself requires
//     for each decision. So must more than half of all machines that report a list.
//   - Several machines may report that list. The chosen one names the leader that most of them name. If possible, it is that
//     leader itself.
package etcdquorum

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
)

// Answer is the answer of a machine as a member of a cluster.
type Answer struct {
	Name    string // of the machine
	Address string
	Answers bool // whether it answers in etcd's protocol
	Status  etcd.Status
	Members etcd.Members // none for a learner, which does not report them
}

// Trusted is the machine of a cluster whose answer counts; nil if there is none.
func Trusted(voices []*Answer) *Answer { return ofMajority(voices, true) }

// TrustedOfSome returns the same if only some machines of a cluster were asked: a majority of those machines has to agree.
func TrustedOfSome(voices []*Answer) *Answer { return ofMajority(voices, false) }

func ofMajority(voices []*Answer, whole bool) *Answer {
	in := WithLeader(voices)
	votes := map[[2]uint64]int{}
	of := func(v *Answer) [2]uint64 { return [2]uint64{v.Status.ClusterID, v.Status.Leader} }
	for _, v := range in {
		votes[of(v)]++
	}
	tell := slices.DeleteFunc(slices.Clone(in), func(v *Answer) bool { return len(v.Members.List) == 0 })
	same := member.Most(tell, (*Answer).agrees)
	if len(same) == 0 {
		return nil
	}
	if voters, there := same[0].Voters(0, same); whole && 2*len(there) <= voters {
		return nil
	}
	return slices.MaxFunc(same, func(a, b *Answer) int {
		return cmp.Or(votes[of(a)]-votes[of(b)], a.leads()-b.leads(), cmp.Compare(a.Status.AppliedIndex, b.Status.AppliedIndex))
	})
}

// WithLeader are the machines that know a leader, and whose member ID no other machine claims.
func WithLeader(voices []*Answer) (list []*Answer) {
	claims := map[uint64]int{}
	for _, v := range voices {
		if v.Answers {
			claims[v.Status.MemberID]++
		}
	}
	for _, v := range voices {
		if v.Answers && v.Status.Leader != 0 && claims[v.Status.MemberID] == 1 {
			list = append(list, v)
		}
	}
	return list
}

// Voters counts the voters in a machine's list. Learners do not vote. The member with the ID besides does not count, either, unless besides is 0. The result there
// are the IDs of those voters that are also in among.
func (v *Answer) Voters(besides uint64, among []*Answer) (all int, there []uint64) {
	for _, o := range v.Members.List {
		if o.IsLearner || o.ID == besides && besides != 0 {
			continue
		}
		all++
		if slices.ContainsFunc(among, func(v *Answer) bool { return v.Status.MemberID == o.ID }) {
			there = append(there, o.ID)
		}
	}
	return all, there
}

// agrees is a text that is equal for machines of one cluster that know the same members.
func (v *Answer) agrees() string {
	list := slices.SortedFunc(slices.Values(v.Members.List), func(a, b etcd.Member) int { return cmp.Compare(a.ID, b.ID) })
	var text strings.Builder
	fmt.Fprintf(&text, "%x", v.Status.ClusterID)
	for _, o := range list {
		fmt.Fprintf(&text, "\n%x %t %q", o.ID, o.IsLearner, slices.Sorted(slices.Values(o.PeerURLs)))
	}
	return text.String()
}

// leads is 1 for a leader, and 0 for others.
func (v *Answer) leads() int {
	if v.Status.Leader == v.Status.MemberID {
		return 1
	}
	return 0
}

// At is the member at an address, according to a machine; nil if there is none.
func (v *Answer) At(address string) *etcd.Member {
	for i := range v.Members.List {
		if slices.ContainsFunc(v.Members.List[i].PeerURLs, func(peer string) bool { return Host(peer) == address }) {
			return &v.Members.List[i]
		}
	}
	return nil
}

// Host is the address in the URL of a peer; "" if there is none.
func Host(peer string) string {
	u, err := url.Parse(peer)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
