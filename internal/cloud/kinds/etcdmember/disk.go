package etcdmember

import (
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// ownDisk says why the data of a member is taken to be on the disk of its machine, and to go with it; "" where it is on a volume, or there is no machine.
func ownDisk(server *kind.Live[any], volumes kind.Collection) string {
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
	return "its data is on its own disk and goes with it"
}

// onlyHere says why a machine is not recreated without which, and without its data, the others have no majority; "" when it may be. A cluster that
// does not work, of which knows is nil, has none.
func (m *machine) onlyHere(machines []*machine, knows *machine) string {
	if m.ownDisk == "" || !m.Wanted || !m.Recorded {
		return ""
	}
	why := m.ownDisk + ", and the others have no majority without it: grow the cluster to 3 members first (spec.size), each of which then gets the data again from the others"
	if knows == nil {
		return why
	}
	voters, healthy := 0, 0
	for _, o := range knows.members.List {
		switch its := peerAt(o, m.Address); {
		case its && (o.IsLearner || o.Name == ""):
			return "" // it has nothing yet that the others need
		case o.IsLearner:
			continue
		case !its && slices.ContainsFunc(inTouch(machines), func(m *machine) bool { return m.status.MemberID == o.ID }):
			healthy++
		}
		voters++
	}
	if !knows.lists(m.Address) || m.waits && m.waiting.State == etcd.Blank || 2*healthy > voters {
		return ""
	}
	return why
}
