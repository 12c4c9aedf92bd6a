// Package etcdquorum decides whose word counts among the machines of a cluster of etcd, which of its voters are in touch with each other, and which versions of
// etcd can follow each other. Its functions are pure: what machines say is asked elsewhere, and what follows for a member is decided elsewhere.
//
// What a machine says may be a lie: whoever has taken it over says what it likes. So
//
//   - it is the member that it claims to be only if no other machine claims that, too;
//   - a list of members counts when more than half of the voters in it tell the same, as they do for each decision of etcd itself,
//     and more than half of all that tell one;
//   - of those that tell it, the one counts whose leader most machines name, and then the leader itself.
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

// Voice is what a machine says as a member of a cluster.
type Voice struct {
	Name    string // of the machine
	Address string
	Answers bool // as etcd does
	Status  etcd.Status
	Members etcd.Members // none where it is a learner, which does not say
}

// Authority is the machine of a cluster whose word counts; nil for none.
func Authority(voices []*Voice) *Voice { return chosen(voices, true) }

// Spokesman is the same where only some machines of a cluster are asked: most of those have to agree.
func Spokesman(voices []*Voice) *Voice { return chosen(voices, false) }

func chosen(voices []*Voice, whole bool) *Voice {
	in := InTouch(voices)
	votes := map[[2]uint64]int{}
	of := func(v *Voice) [2]uint64 { return [2]uint64{v.Status.ClusterID, v.Status.Leader} }
	for _, v := range in {
		votes[of(v)]++
	}
	tell := slices.DeleteFunc(slices.Clone(in), func(v *Voice) bool { return len(v.Members.List) == 0 })
	same := member.Most(tell, (*Voice).alike)
	if len(same) == 0 {
		return nil
	}
	if voters, there := same[0].Voters(0, same); whole && 2*len(there) <= voters {
		return nil
	}
	return slices.MaxFunc(same, func(a, b *Voice) int {
		return cmp.Or(votes[of(a)]-votes[of(b)], a.leads()-b.leads(), cmp.Compare(a.Status.AppliedIndex, b.Status.AppliedIndex))
	})
}

// InTouch are the machines that know of a leader, and that nobody else claims to be.
func InTouch(voices []*Voice) (list []*Voice) {
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

// Voters counts the voters that a machine lists besides the member of an ID, where one is given, and names those that are among some machines. Learners do not vote.
func (v *Voice) Voters(besides uint64, among []*Voice) (all int, there []uint64) {
	for _, o := range v.Members.List {
		if o.IsLearner || o.ID == besides && besides != 0 {
			continue
		}
		all++
		if slices.ContainsFunc(among, func(v *Voice) bool { return v.Status.MemberID == o.ID }) {
			there = append(there, o.ID)
		}
	}
	return all, there
}

// alike is what the machines of a cluster have in common that know the same members.
func (v *Voice) alike() string {
	list := slices.SortedFunc(slices.Values(v.Members.List), func(a, b etcd.Member) int { return cmp.Compare(a.ID, b.ID) })
	var text strings.Builder
	fmt.Fprintf(&text, "%x", v.Status.ClusterID)
	for _, o := range list {
		fmt.Fprintf(&text, "\n%x %t %q", o.ID, o.IsLearner, slices.Sorted(slices.Values(o.PeerURLs)))
	}
	return text.String()
}

// leads is 1 of a leader, and 0 of others.
func (v *Voice) leads() int {
	if v.Status.Leader == v.Status.MemberID {
		return 1
	}
	return 0
}

// At is the member at an address, as a machine knows it; nil where there is none.
func (v *Voice) At(address string) *etcd.Member {
	for i := range v.Members.List {
		if slices.ContainsFunc(v.Members.List[i].PeerURLs, func(peer string) bool { return Host(peer) == address }) {
			return &v.Members.List[i]
		}
	}
	return nil
}

// Host is the address in the URL of a peer; "" where there is none.
func Host(peer string) string {
	u, err := url.Parse(peer)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
