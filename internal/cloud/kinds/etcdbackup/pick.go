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

// answer is the answer of one member.
type answer struct {
	at      netip.AddrPort
	status  etcd.Status
	members etcd.Members
	answers bool
	unlike  string // how its protocol differs from the expected one, for example that it has no TLS
}

// ask asks all members in parallel.
func ask(ctx context.Context, client etcd.Client, addresses []netip.AddrPort) []answer {
	all := make([]answer, len(addresses))
	var asking sync.WaitGroup
	for i, at := range addresses {
		asking.Go(func() {
			c, a := withPort(client, at), &all[i]
			a.at = at
			var err error
			if a.status, err = c.Status(ctx, at.Addr().String()); err != nil {
				a.unlike = etcd.HowUnlike(err)
				return
			}
			a.answers = true
			if a.members, err = c.Members(ctx, at.Addr().String()); err != nil {
				a.members = etcd.Members{} // a learner refuses this request
			}
		})
	}
	asking.Wait()
	return all
}

// withPort returns a copy of the client that uses the port of an address.
func withPort(c etcd.Client, at netip.AddrPort) etcd.Client {
	c.Port = int(at.Port())
	return c
}

// choose returns the member from which the snapshot is taken. It is a healthy voter that names the same leader as the
// majority of its cluster, if possible not the leader itself. So one member that lies, or lags behind, does not outvote
// the other members.
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
		return answer{}, fmt.Errorf("only %d of the %d voters of the cluster answer and can reach the leader, which is not a majority%s", len(healthy), len(voters), otherwise(all))
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

// otherwise returns a text about a member whose protocol is not the expected one, because that may be why answers are
// missing. It returns "" if there is none.
func otherwise(all []answer) string {
	for _, a := range all {
		if a.unlike != "" {
			return fmt.Sprintf("; %s %s", a.at, a.unlike)
		}
	}
	return ""
}

// counted returns the IDs of the voters, as listed by a member that is a voter itself. healthy are the voters that
// answer, each once.
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

// ill reports whether a member's status has an error about its data. NOSPACE is not counted, because the data is still
// good.
func ill(s etcd.Status) bool {
	return slices.ContainsFunc(s.Errors, func(e string) bool { return !strings.Contains(e, "NOSPACE") })
}
