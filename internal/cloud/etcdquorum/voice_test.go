package etcdquorum

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd"
)

// saying returns a machine that answers as the member id, in a cluster with these voters. The first voter is the
// leader.
func saying(id uint64, voters ...uint64) *Answer {
	v := &Answer{Address: address(id), Answers: true, Status: etcd.Status{MemberID: id, ClusterID: 1, Leader: voters[0], AppliedIndex: 7}}
	for _, id := range voters {
		v.Members.List = append(v.Members.List, etcd.Member{ID: id, Name: "kv", PeerURLs: []string{"http://" + address(id) + ":2380"}})
	}
	return v
}

func address(id uint64) string { return "10.0.0." + strconv.FormatUint(id, 10) }

// lies returns a machine that claims that it is the leader of the same cluster, with a higher applied index than all
// others.
func lies(as uint64, voters ...uint64) *Answer {
	v := saying(as, voters...)
	v.Address, v.Status.Leader, v.Status.AppliedIndex = address(3), 1, 1<<60
	return v
}

func learning(id uint64) *Answer {
	v := saying(id, 1)
	v.Status.IsLearner, v.Members = true, etcd.Members{}
	return v
}

func with(v *Answer, learners ...uint64) *Answer {
	for _, id := range learners {
		v.Members.List = append(v.Members.List, etcd.Member{ID: id, IsLearner: true, PeerURLs: []string{"http://" + address(id) + ":2380"}})
	}
	return v
}

// If only one machine reports a list of members, the list is never used, whatever that machine claims to be.
func TestAuthority(t *testing.T) {
	dead := &Answer{Address: address(9)}
	for name, c := range map[string]struct {
		voices []*Answer
		want   string // address; "" if there is none
		some   string // the same if only some machines are asked
	}{
		"all agree":                      {[]*Answer{saying(2, 1, 2, 3), saying(1, 1, 2, 3), saying(3, 1, 2, 3)}, "10.0.0.1", "10.0.0.1"},
		"one of three is dead":           {[]*Answer{dead, saying(2, 1, 2, 3), saying(3, 1, 2, 3)}, "10.0.0.2", "10.0.0.2"},
		"two of three are dead":          {[]*Answer{dead, saying(2, 1, 2, 3), dead}, "", "10.0.0.2"},
		"a cluster of one":               {[]*Answer{saying(1, 1), dead}, "10.0.0.1", "10.0.0.1"},
		"one voter and a learner":        {[]*Answer{with(saying(1, 1), 2), learning(2)}, "10.0.0.1", "10.0.0.1"},
		"a learner and a dead voter":     {[]*Answer{with(saying(1, 1, 2, 3), 4), dead, with(saying(3, 1, 2, 3), 4), learning(4)}, "10.0.0.1", "10.0.0.1"},
		"one is left behind":             {[]*Answer{saying(1, 1, 2, 3), saying(2, 1, 2), saying(3, 1, 2, 3)}, "10.0.0.1", "10.0.0.1"},
		"a list in another order":        {[]*Answer{saying(1, 1, 2, 3), saying(2, 1, 3, 2)}, "10.0.0.1", "10.0.0.1"},
		"the leader twice":               {[]*Answer{saying(1, 1, 2, 3), saying(2, 1, 2, 3), lies(1, 1, 9)}, "", "10.0.0.2"},
		"the leader twice, of five":      {[]*Answer{saying(1, 1, 2, 3, 4, 5), saying(2, 1, 2, 3, 4, 5), lies(1, 1, 9), saying(4, 1, 2, 3, 4, 5), saying(5, 1, 2, 3, 4, 5)}, "10.0.0.2", "10.0.0.2"},
		"a list of its own":              {[]*Answer{saying(1, 1, 2, 3), saying(2, 1, 2, 3), lies(3, 3, 9)}, "10.0.0.1", "10.0.0.1"},
		"only its own list":              {[]*Answer{dead, saying(2, 1, 2, 3), lies(3, 3)}, "", ""},
		"learners, one of them dead":     {[]*Answer{dead, saying(2, 1, 2, 3), with(lies(3, 3), 1, 2)}, "", ""},
		"the peer's address of another":  {[]*Answer{saying(1, 1, 2), moved(saying(2, 1, 2))}, "", ""},
		"others in touch with no leader": {[]*Answer{apart(saying(1, 1, 2, 3)), apart(saying(2, 1, 2, 3)), saying(3, 1, 2, 3)}, "", "10.0.0.3"},
		"a false leader":                 {[]*Answer{saying(2, 1, 2, 3), saying(1, 1, 2, 3), lies(3, 1, 2, 3)}, "10.0.0.1", "10.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			at := func(v *Answer) string {
				if v == nil {
					return ""
				}
				return v.Address
			}
			if got, some := at(Trusted(c.voices)), at(TrustedOfSome(c.voices)); got != c.want || some != c.some {
				t.Errorf("it is %q, and of some machines %q; want %q and %q", got, some, c.want, c.some)
			}
		})
	}
}

func moved(v *Answer) *Answer {
	v.Members.List[0].PeerURLs = []string{"http://192.0.2.7:2380"}
	return v
}

func apart(v *Answer) *Answer {
	v.Status.Leader = 0
	return v
}

// A learner is no voter. A voter that leaves is not counted among those that stay.
func TestVoters(t *testing.T) {
	knows := with(saying(1, 1, 2, 3), 4)
	all, there := knows.Voters(1, []*Answer{knows, saying(3, 1), learning(4)})
	if all != 2 || !slices.Equal(there, []uint64{3}) {
		t.Errorf("%d voters, of which %v are there", all, there)
	}
	if o := knows.At(address(4)); o == nil || o.ID != 4 || knows.At(address(5)) != nil {
		t.Errorf("at the learner's address is %v", o)
	}
}
