package etcdmember

import (
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdquorum"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// ownDisk returns the reason why the data of a member counts as being on its machine's own disk, and so is lost with the
// machine. It returns "" if the data is on a volume, or if there is no machine.
func ownDisk(server *kind.Live, volumes kind.Collection) string {
	if server == nil {
		return ""
	}
	for _, v := range volumes.Items {
		if v.InOwnProject && slices.Contains(server.Uses, v.ID) {
			return ""
		}
	}
	for _, err := range volumes.Errs() {
		if !errors.Is(err, kind.ErrNoService) {
			return "it is not known whether its data is on a volume"
		}
	}
	return "its data is on its own disk and is deleted with the machine"
}

// onlyHere returns the reason why a machine must not be recreated: its data would be lost, and the other members have no
// majority without it. It returns "" if the machine may be recreated. If the cluster does not work, knows is nil, and
// the other members have no majority.
func (m *machine) onlyHere(machines []*machine, knows *etcdquorum.Answer) string {
	if m.ownDisk == "" || !m.Wanted || !m.Recorded {
		return ""
	}
	why := m.ownDisk + ", and the other members have no majority without it: first grow the cluster to 3 members (spec.size); a new member then copies the data from the others"
	if knows == nil {
		return why
	}
	own := knows.At(m.Address)
	if own == nil || own.IsLearner || own.Name == "" || m.waits && m.waiting.State == etcd.Blank {
		return "" // the member has no data, or no data yet, that the others need
	}
	if others, healthy := knows.Voters(own.ID, etcdquorum.WithLeader(voices(machines))); 2*len(healthy) > others+1 {
		return ""
	}
	return why
}
