package etcdmember

import (
	"strconv"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd"
)

// saying is a machine that answers as the member of an ID, in a cluster with these voters, whose leader is the first of them.
func saying(id uint64, voters ...uint64) *machine {
	m := machineAt(&State{}, "10.0.0."+strconv.FormatUint(id, 10))
	m.said = said{answers: true, status: etcd.Status{MemberID: id, ClusterID: 1, Leader: voters[0], AppliedIndex: 7}}
	for _, id := range voters {
		m.members.List = append(m.members.List, etcd.Member{ID: id, Name: "kv", PeerURLs: []string{"http://10.0.0." + strconv.FormatUint(id, 10) + ":2380"}})
	}
	return m
}

// lies is a machine that claims to be the leader of the same cluster, and to have heard more than all others.
func lies(as uint64, voters ...uint64) *machine {
	m := saying(as, voters...)
	m.Address, m.status.Leader, m.status.AppliedIndex = "10.0.0.3", 1, 1<<60
	return m
}

func learning(id uint64) *machine {
	m := saying(id, 1)
	m.status.IsLearner, m.members = true, etcd.Members{}
	return m
}

func with(m *machine, learners ...uint64) *machine {
	for _, id := range learners {
		m.members.List = append(m.members.List, etcd.Member{ID: id, IsLearner: true, PeerURLs: []string{"http://10.0.0." + strconv.FormatUint(id, 10) + ":2380"}})
	}
	return m
}

// Nobody acts on a list of members that one machine tells, whatever it claims to be.
func TestAuthority(t *testing.T) {
	dead := machineAt(&State{}, "10.0.0.9")
	for name, c := range map[string]struct {
		machines []*machine
		want     string // address; "" for none
		some     string // the same where only some machines are asked
	}{
		"all agree":                            {[]*machine{saying(2, 1, 2, 3), saying(1, 1, 2, 3), saying(3, 1, 2, 3)}, "10.0.0.1", "10.0.0.1"},
		"one of three is dead":                 {[]*machine{dead, saying(2, 1, 2, 3), saying(3, 1, 2, 3)}, "10.0.0.2", "10.0.0.2"},
		"two of three are dead":                {[]*machine{dead, saying(2, 1, 2, 3), dead}, "", "10.0.0.2"},
		"a cluster of one":                     {[]*machine{saying(1, 1), dead}, "10.0.0.1", "10.0.0.1"},
		"a cluster of one, and a learner":      {[]*machine{with(saying(1, 1), 2), learning(2)}, "10.0.0.1", "10.0.0.1"},
		"a learner, and a voter that is dead":  {[]*machine{with(saying(1, 1, 2, 3), 4), dead, with(saying(3, 1, 2, 3), 4), learning(4)}, "10.0.0.1", "10.0.0.1"},
		"one is left behind":                   {[]*machine{saying(1, 1, 2, 3), saying(2, 1, 2), saying(3, 1, 2, 3)}, "10.0.0.1", "10.0.0.1"},
		"a list in another order":              {[]*machine{saying(1, 1, 2, 3), saying(2, 1, 3, 2)}, "10.0.0.1", "10.0.0.1"},
		"the leader twice":                     {[]*machine{saying(1, 1, 2, 3), saying(2, 1, 2, 3), lies(1, 1, 9)}, "", "10.0.0.2"},
		"the leader twice, of five":            {[]*machine{saying(1, 1, 2, 3, 4, 5), saying(2, 1, 2, 3, 4, 5), lies(1, 1, 9), saying(4, 1, 2, 3, 4, 5), saying(5, 1, 2, 3, 4, 5)}, "10.0.0.2", "10.0.0.2"},
		"a list of its own":                    {[]*machine{saying(1, 1, 2, 3), saying(2, 1, 2, 3), lies(3, 3, 9)}, "10.0.0.1", "10.0.0.1"},
		"a list of itself, and nobody else's":  {[]*machine{dead, saying(2, 1, 2, 3), lies(3, 3)}, "", ""},
		"a list of learners, with one dead":    {[]*machine{dead, saying(2, 1, 2, 3), with(lies(3, 3), 1, 2)}, "", ""},
		"the peer's address of another":        {[]*machine{saying(1, 1, 2), moved(saying(2, 1, 2))}, "", ""},
		"others in touch with no leader":       {[]*machine{apart(saying(1, 1, 2, 3)), apart(saying(2, 1, 2, 3)), saying(3, 1, 2, 3)}, "", "10.0.0.3"},
		"the one that claims to lead, and not": {[]*machine{saying(2, 1, 2, 3), saying(1, 1, 2, 3), lies(3, 1, 2, 3)}, "10.0.0.1", "10.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			at := func(m *machine) string {
				if m == nil {
					return ""
				}
				return m.Address
			}
			if got, some := at(authority(c.machines)), at(spokesman(c.machines)); got != c.want || some != c.some {
				t.Errorf("it is %q, and of some machines %q; want %q and %q", got, some, c.want, c.some)
			}
		})
	}
}

func moved(m *machine) *machine {
	m.members.List[0].PeerURLs = []string{"http://192.0.2.7:2380"}
	return m
}

func apart(m *machine) *machine {
	m.status.Leader = 0
	return m
}
