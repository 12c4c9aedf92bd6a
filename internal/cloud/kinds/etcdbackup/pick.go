package etcdbackup

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/etcd"
)

// answer is the answer of a member.
type answer struct {
	at      netip.AddrPort
	status  etcd.Status
	members etcd.Members
	answers bool
	unlike  string // how its protocol differs from the expected one, such as without TLS
}

// ask asks all members at the same time.
func ask(ctx context.Context, client etcd.Client, addresses []netip.AddrPort) []answer {
	all := make([]answer, len(addresses))
	var asking sync.WaitGroup
	for i, at := range addresses {
		asking.Go(func() {
			c, a := on(client, at), &all[i]
			a.at = at
			var err error
			if a.status, err = c.Status(ctx, at.Addr().String()); err != nil {
				a.unlike = etcd.HowUnlike(err)
				return
			}
			a.answers = true
			if a.members, err = c.Members(ctx, at.Addr().String()); err != nil {
				a.members = etcd.Members{} // a learner does not answer this
			}
		})
	}
	asking.Wait()
	return all
}

// on is a client for the port of an address.
func on(c etcd.Client, at netip.AddrPort) etcd.Client {
	c.Port = int(at.Port())
	return c
}

// choose is the member that a snapshot is taken of: a healthy voter that agrees on a leader with the majority of its cluster. It prefers a member
// that does not lead itself. A member that lies, or was left behind, does not outvote the others.
func choose(all []answer) (best answer, err error) {
	type side struct{ cluster, leader uint64 }
	of := func(a answer) side { return side{a.status.ClusterID, a.status.Leader} }
	votes := map[side]int{}
	for _, a := range all {
		if a.answers && a.status.Leader != 0 {
			votes[of(a)]++
		}
	}
	most, tied := side{}, true
	for s, n := range votes {
		switch {
		case n > votes[most]:
			most, tied = s, false
		case n == votes[most]:
			tied = true
		}
	}
	if tied {
		return answer{}, errors.New("no majority of the answering members agrees on a leader" + otherwise(all))
	}
	mine := slices.DeleteFunc(slices.Clone(all), func(a answer) bool { return !a.answers || of(a) != most })
	voters, healthy := counted(mine)
	if len(healthy) < len(voters)/2+1 || len(voters) == 0 {
		return answer{}, fmt.Errorf("only %d of the %d voters of the cluster answer and are in touch with the leader, which is no majority%s", len(healthy), len(voters), otherwise(all))
	}
	best = healthy[0]
	for _, a := range healthy[1:] {
		leads := best.status.MemberID == most.leader
		if leads || a.status.MemberID != most.leader && a.status.AppliedIndex > best.status.AppliedIndex {
			best = a
		}
	}
	return best, nil
}

// otherwise names a member with another protocol than expected, which may be the cause of the missing answers; "" if there is none.
func otherwise(all []answer) string {
	for _, a := range all {
		if a.unlike != "" {
			return fmt.Sprintf("; %s %s", a.at, a.unlike)
		}
	}
	return ""
}

// counted are the IDs of the voters, according to one that is a voter itself, and the voters that answer, each once.
func counted(mine []answer) (voters []uint64, healthy []answer) {
	for _, a := range mine {
		if voters = votersOf(a.members); slices.Contains(voters, a.status.MemberID) {
			break
		}
		voters = nil
	}
	seen := map[uint64]bool{}
	for _, a := range mine {
		if id := a.status.MemberID; slices.Contains(voters, id) && !seen[id] && !ill(a.status) {
			seen[id] = true
			healthy = append(healthy, a)
		}
	}
	return voters, healthy
}

func votersOf(m etcd.Members) (ids []uint64) {
	for _, o := range m.List {
		if !o.IsLearner {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// ill reports whether a member's status has an error about its data. Exhausted space does no harm.
func ill(s etcd.Status) bool {
	return slices.ContainsFunc(s.Errors, func(e string) bool { return !strings.Contains(e, "NOSPACE") })
}
