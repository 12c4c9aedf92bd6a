package etcdmember

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdquorum"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// found returns the members of a cluster that exist.
func (d driver) found(around kind.Hosts, machines []*machine) (all []live) {
	knows := etcdquorum.Trusted(voices(machines))
	alien := knows != nil && !claims(machines, knows)
	at, differs := stageOf(machines), whyTLSDiffers(machines)
	var leaving member.Queue
	for _, m := range machines {
		l := member.Live(d.members, &m.Machine, &State{client: m.client, State: member.State{PortID: m.PortID, Address: m.Address, Others: others(machines, knows, m.Address), Failure: m.failure}})
		there := true
		switch {
		case alien:
			member.ClusterDown(&l.Live, &l.State.State, "foreign", foreign(knows), "its machines are at the addresses of another cluster")
		case knows != nil:
			there = m.describe(knows, &l)
			l.Interruptible = kind.Interruptible{Stay: cmp.Or(m.whyNotLeaving(machines, knows), m.whyNotAlarm(machines, knows), m.whyNotUpgrade(machines, knows), m.onlyHere(machines, knows)), Last: l.State.Leads}
			if l.Drained = map[string]time.Time{}; !l.State.Leads {
				l.Drained[m.Host.ID] = time.Unix(0, 0) // the member leads nobody
			}
		default:
			there = m.stateWithoutCluster(at, &l)
			if at != lost && !m.waits {
				l.Interruptible.Stay = m.onlyHere(machines, nil)
			}
		}
		if !there {
			continue
		}
		if m.unlike != "" {
			l.Message = m.unlike
		}
		if m.unlike != "" && m.Recorded {
			l.Phase, l.Down = kind.Degraded, "unlike" // the member will not recover without a change of the manifest
		}
		l.Interruptible.Stay = cmp.Or(differs, l.Interruptible.Stay)
		if member.Judge(&l.Live, &l.State.State); !m.Wanted {
			l.Uses = leaving.Join(l.ID, l.Uses)
		}
		all = append(all, l)
	}
	if alien {
		return all
	}
	return append(all, strays(around, machines, knows, leaving)...)
}

// whyNotLeaving returns the reason why a machine that works is not changed yet: a member that is not wanted is removed first.
// It returns "" if the machine may be changed.
func (m *machine) whyNotLeaving(machines []*machine, knows *etcdquorum.Answer) string {
	leaves := slices.IndexFunc(machines, func(o *machine) bool { return !o.Wanted && knows.At(o.Address) != nil })
	if leaves < 0 || !m.Wanted || !m.voice.Answers {
		return ""
	}
	return member.WaitsForLeaving(machines[leaves].Key.Name)
}

// whyNotUpgrade returns the reason why a machine is not changed to the wanted version of etcd yet. It returns "" if the machine
// may be changed.
func (m *machine) whyNotUpgrade(machines []*machine, knows *etcdquorum.Answer) string {
	if !m.Wanted {
		return ""
	}
	return voices([]*machine{m})[0].Follows(m.Spec.Version, voices(machines), knows).String()
}

// whyNotAlarm returns the reason why a machine that works is not changed while a member reports a problem: a change of
// machines does not solve the problem. It returns "" if no member reports one. A machine that does not answer may be
// changed.
func (m *machine) whyNotAlarm(machines []*machine, knows *etcdquorum.Answer) string {
	at := slices.IndexFunc(machines, func(o *machine) bool { return knows.At(o.Address) != nil && o.alarm() != "" })
	if at < 0 || !m.voice.Answers {
		return ""
	}
	return machines[at].Key.Name + " " + machines[at].alarm() + ": no working machine is changed until that has ended"
}

// alarm returns the problem that a member in touch with its leader reports, or "" if there is none.
func (m *machine) alarm() string {
	if !m.voice.Answers || m.voice.Status.Leader == 0 || len(m.voice.Status.Errors) == 0 {
		return ""
	}
	return "reports: " + cmp.Or((&etcd.Refused{Message: m.voice.Status.Errors[0]}).Error(), "an error")
}

// others returns the addresses of a cluster's machines except one. The address of the authority comes first.
func others(machines []*machine, knows *etcdquorum.Answer, besides string) (list []string) {
	if knows != nil {
		list = append(list, knows.Address)
	}
	for _, m := range machines {
		if knows == nil || m.Address != knows.Address {
			list = append(list, m.Address)
		}
	}
	return slices.DeleteFunc(list, func(address string) bool { return address == besides })
}

// describe sets the state of a machine in a cluster that works. It returns false if the machine is not a member. A lost member passes
// through some of these states:
//
//	the member                             the object                    its step (package decide)
//	------------------------------------   ---------------------------   ------------------------------------------------
//	its machine is gone                    Degraded, Down                none; the machine has a step of its own
//	its port is gone, too                  Failed, Empty (strays.go)     recreate without approval (broken.go)
//	its new machine boots                  Pending                       waits
//	its machine waits with an empty disk   Failed, Empty                 recreate without approval: the membership ends first
//	its membership has ended               is missing                    create (missing.go), which adds a learner
//	copies data as a learner               Begun                         update, which makes it a voter
//	serves, or serves again with its disk  Ready                         none
func (m *machine) describe(knows *etcdquorum.Answer, l *live) (there bool) {
	is, says := knows.At(m.Address), m.voice.Status
	if is == nil {
		return false
	}
	s := l.State
	s.Member, l.ID = *is, strconv.FormatUint(is.ID, 16)
	s.Leads, s.Version, s.DBSize = knows.Status.Leader == s.ID, says.Version, says.DBSize
	started := s.Name != ""
	s.cluster = knows.Status.ClusterID
	if s.Unrecorded = !m.Recorded || !slices.Contains(m.clusters(), s.cluster); !m.Recorded {
		l.Mark.Applied = kind.Unfinished
	}
	switch {
	case m.voice.Answers && says.ClusterID != s.cluster:
		l.Phase, l.Down, l.Message = kind.Degraded, "apart", "is a cluster of its own; compare both before you delete one: the agent does nothing automatically"
	case m.waits && m.waiting.State == etcd.Refuses:
		l.Phase, l.Down, l.Message = kind.Degraded, "refused", m.waiting.Said()
	case m.waits && started:
		l.Phase, l.Message, l.Empty = kind.Failed, "has lost its data", true
	case !started:
		l.Phase, l.Message = kind.Pending, "is a member, but has not joined yet"
	case !m.voice.Answers:
		l.Phase, l.Down, l.Message = m.Host.Silent()
	case s.IsLearner:
		l.Phase, l.Mark.Applied, l.Message = kind.Begun, kind.Unfinished, "copies missing data from the other members"
	case says.Leader == 0:
		l.Phase, l.Down, l.Message = kind.Degraded, "apart", "cannot reach the other members"
	case m.alarm() != "":
		l.Phase, l.Message = kind.Degraded, m.alarm()
	default:
		l.Phase = kind.Ready
	}
	return true
}

// stage is how much is known about a cluster while no answer of its members is trusted (see [etcdquorum.Trusted]).
type stage int

const (
	boots   stage = iota // not all machines have answered that they have no data.
	blank                // all machines have answered, and none of them has data.
	hasData              // some machine has data.
	lost                 // there was a cluster, and no machine has data.
)

func stageOf(machines []*machine) stage {
	at := blank
	for _, m := range machines {
		switch {
		case m.voice.Answers, m.waits && m.waiting.State == etcd.Refuses:
			return hasData
		case !m.waits || !m.waiting.Empty():
			at = boots
		}
	}
	if at == blank && slices.ContainsFunc(machines, func(m *machine) bool { return m.Recorded }) {
		return lost
	}
	return at
}

// stateWithoutCluster sets the state of a machine while no cluster works. It returns false if nothing is known about the machine.
func (m *machine) stateWithoutCluster(at stage, l *live) (there bool) {
	l.Uncertain = !m.Recorded
	switch {
	case at == blank, at == boots && m.Host.ID == "" && !m.Recorded:
		return false
	case at == lost:
		l.Phase, l.Down, l.Message = kind.Degraded, "blank", "waits with an empty disk: there was a cluster, and all of its data is lost; restore a backup, or start the cluster again without data: openstack port unset --tag "+string(record)+" "+m.PortID
	case at == boots && m.waiting.State == etcd.Restores:
		l.Phase, l.Message = kind.Pending, "restores the snapshot from which it starts"
	case at == boots && m.Host.ID != "" && !m.Host.Boots && !m.waits && !m.voice.Answers:
		l.Phase, l.Message = kind.Pending, silentSoFar
	case at == boots:
		l.Phase, l.Message = kind.Pending, "waits until all machines of the cluster have booted"
	case m.voice.Answers && m.voice.Status.Leader != 0:
		l.Phase, l.Down, l.Message = kind.Degraded, "disputed", "can reach a leader, but no majority agrees on the membership, and the agent does nothing automatically: look at the machines whose list of members is different"
	case m.voice.Answers:
		l.Phase, l.Down, l.Message = kind.Degraded, "without majority", lostMajority
	case m.waits && m.waiting.State == etcd.Refuses:
		l.Phase, l.Down, l.Message = kind.Degraded, "refused", m.waiting.Said()
	case m.waits:
		l.Phase, l.Down, l.Message = kind.Degraded, "blank", "waits with an empty disk; "+lostMajority
	default:
		l.Phase, l.Down, l.Message = kind.Degraded, "silent", "does not answer; "+lostMajority
	}
	switch {
	case at == hasData:
		l.State.Lost = lostMajority
	case at == lost:
		l.State.Lost = "all of its data is lost"
	case m.Recorded:
		l.State.Lost = "none of its members answers"
	}
	return true
}

const lostMajority = "the cluster has no majority, and the agent does nothing automatically: start machines again, or restore a backup (docs/clusters.md)"

// silentSoFar is the message for a machine that was created long ago and does not answer.
const silentSoFar = "does not answer: etcd answers only when it has found a majority; if the cluster was deleted and created again, its data belongs to machines with other addresses (docs/clusters.md)"
