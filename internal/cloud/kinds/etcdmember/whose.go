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

// Manifests determine the addresses of the stack's ports, and so which servers the agent connects to. Such a server may
// be an etcd of somebody else that the agent can reach and that has no TLS. So a cluster counts as the stack's only if
// tags of its ports say so:
//
//	etcd-begins:ADDRESS   the boot script at this address reported no data, and the agent asks its machine to begin a cluster
//	etcd-cluster:ID       a member of the cluster with this ID existed
//	etcd                  a member existed; enough if no port has an etcd-cluster tag
//
// The agent changes nothing in any other cluster.
const clusterTag = ownertext.Prefix + "etcd-cluster:"

// clusters returns the IDs of the clusters that the machine's port records.
func (m *machine) clusters() (ids []uint64) {
	for _, tag := range m.Tags {
		text, ok := strings.CutPrefix(tag, clusterTag)
		if id, err := strconv.ParseUint(text, 16, 64); ok && err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// claims reports whether the machines' tags say that the cluster in knows is the stack's. Earlier versions recorded a
// member without the ID of its cluster. If only such records exist, the cluster counts as the stack's.
func claims(machines []*machine, knows *etcdquorum.Answer) bool {
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

// foreign returns the message that a cluster is somebody else's, and what to do.
func foreign(knows *etcdquorum.Answer) string {
	return fmt.Sprintf("the etcd that answers belongs to a cluster that the stack did not create (ID %x), so it is not changed; correct the addresses, or, if the cluster is the stack's own, run openstack port set --tag %s --tag %s and the ID of its port",
		knows.Status.ClusterID, record, identity(knows.Status.ClusterID))
}

func identity(cluster uint64) member.Record {
	return member.Record(clusterTag + strconv.FormatUint(cluster, 16))
}

// note records on a member's port that the member existed, and in which cluster.
func (d driver) note(ctx context.Context, s *State) error {
	if err := identity(s.cluster).Put(ctx, d.members.Cloud, s.PortID); err != nil {
		return err
	}
	return record.Put(ctx, d.members.Cloud, s.PortID)
}
