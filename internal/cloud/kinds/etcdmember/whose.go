package etcdmember

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdquorum"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Manifests decide the addresses of the stack's ports, and so whom the agent asks there. It may be somebody else's etcd, without TLS and in reach of the
// agent. A cluster is the stack's only if tags of its ports say so:
//
//	etcd-begins:ADDRESS   a machine at this address had no data, by the word of its boot script, and is asked to begin a cluster
//	etcd-cluster:ID       there was a member of the cluster of this ID
//
// The agent changes nothing in any other cluster.
const clusterTag = ownertext.Prefix + "etcd-cluster:"

// clusters are the IDs of those that there was a member of.
func (m *machine) clusters() (ids []uint64) {
	for _, tag := range m.Tags {
		text, ok := strings.CutPrefix(tag, clusterTag)
		if id, err := strconv.ParseUint(text, 16, 64); ok && err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// claims reports whether the tags of these machines say that the cluster which one of them knows is the stack's. Where earlier versions have
// recorded that there was a member, and not of which cluster, it is.
func claims(machines []*machine, knows *etcdquorum.Voice) bool {
	recorded, identified := false, false
	for _, m := range machines {
		switch {
		case !m.Recorded:
		case slices.Contains(m.clusters(), knows.Status.ClusterID):
			return true
		default:
			recorded, identified = true, identified || len(m.clusters()) > 0
		}
	}
	if recorded {
		return !identified
	}
	return slices.ContainsFunc(machines, func(m *machine) bool { return m.Begins && knows.At(m.Address) != nil })
}

// foreign says that a cluster is somebody else's, and what to do.
func foreign(knows *etcdquorum.Voice) string {
	return fmt.Sprintf("etcd of a cluster that the stack has not begun (ID %x) answers: nothing is changed in it; correct the addresses, or, if it is the stack's own, run openstack port set --tag %s --tag %s and the ID of its port",
		knows.Status.ClusterID, record, identity(knows.Status.ClusterID))
}

func identity(cluster uint64) member.Record {
	return member.Record(clusterTag + strconv.FormatUint(cluster, 16))
}

// note records of a member that there was one, and of which cluster.
func (d driver) note(ctx context.Context, s *State) error {
	if err := identity(s.cluster).Put(ctx, d.members.Cloud, s.PortID); err != nil {
		return err
	}
	return record.Put(ctx, d.members.Cloud, s.PortID)
}
