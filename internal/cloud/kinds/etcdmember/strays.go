package etcdmember

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdquorum"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// askOwn asks the machines of a cluster, and removes the machines of others from the list. A machine with a member's
// name belongs to others if no manifest wants it, it was never recorded, and the members do not list it. If the members have
// no majority, one member that lists it is enough.
func askOwn(ctx context.Context, machines []*machine) []*machine {
	own := slices.DeleteFunc(slices.Clone(machines), func(m *machine) bool { return m.Address == "" || !m.Wanted && !m.Recorded })
	knows := consult(ctx, own, etcdquorum.TrustedOfSome) // machines that are left out here may be members, too
	listed := func(address string) bool {
		if knows != nil {
			return knows.At(address) != nil
		}
		return slices.ContainsFunc(own, func(m *machine) bool { return m.voice.At(address) != nil })
	}
	var more []*machine
	for _, m := range machines {
		if m.Address != "" && !m.Wanted && !m.Recorded && listed(m.Address) {
			more = append(more, m)
		}
	}
	ask(ctx, more)
	return slices.DeleteFunc(machines, func(m *machine) bool { return !slices.Contains(own, m) && !slices.Contains(more, m) })
}

// strays returns the members whose address belongs to no port that the cloud shows. A stray counts in every decision of
// the cluster and can never come back, so it is removed. It belongs to the wanted machine with its name if that machine
// has another address now. Otherwise no manifest wants it. Then it joins the queue leaving, whose members are removed
// one after the other.
func strays(around kind.Hosts, machines []*machine, knows *etcdquorum.Answer, leaving member.Queue) (all []live) {
	if knows == nil {
		return nil
	}
	taken := map[string]bool{}
	for _, m := range machines {
		taken[m.Key.Name] = knows.At(m.Address) != nil
	}
	for _, o := range knows.Members.List {
		if slices.ContainsFunc(o.PeerURLs, func(peer string) bool { return ported(around, etcdquorum.Host(peer)) }) || len(o.PeerURLs) == 0 {
			continue
		}
		key := strayKey(machines, o, taken)
		l := live{Live: kind.Live{ID: strconv.FormatUint(o.ID, 16), Name: key.Name, InOwnProject: true, Mark: &kind.Mark{Owner: ownertext.Of(around.Stack, key)}, Phase: kind.Failed, Empty: true,
			Message: fmt.Sprintf("the other members know it by the address %s, at which the stack has no port", etcdquorum.Host(o.PeerURLs[0]))},
			State: &State{client: machines[0].client, Member: o, State: member.State{Address: etcdquorum.Host(o.PeerURLs[0]), Others: others(machines, knows, "")}, cluster: knows.Status.ClusterID}}
		if !slices.ContainsFunc(machines, func(m *machine) bool { return m.Wanted && m.Key == key }) {
			l.Uses = leaving.Join(l.ID, nil)
		}
		all = append(all, l)
	}
	return all
}

// ported reports whether the cloud shows a port with this address, no matter who owns the port.
func ported(around kind.Hosts, address string) bool {
	return slices.ContainsFunc(around.Have["Port"].Items, func(p *kind.Live) bool {
		return p.Facts.Address == address || slices.Contains(p.Facts.Addresses, address)
	})
}

// ordinal matches the end of the names that the boot script gives to members.
var ordinal = pattern.Of(`^-[0-9]{1,4}$`)

// strayKey returns the key of a stray member: the machine with the member's name, unless that key is taken. Otherwise it
// makes a key from the member's ID.
func strayKey(machines []*machine, o etcd.Member, taken map[string]bool) manifest.Key {
	key, cluster := machines[0].Key, machines[0].Spec.Cluster
	key.Name = cluster + "-" + strconv.FormatUint(o.ID, 16)
	if n := len(cluster); len(o.Name) > n && o.Name[:n] == cluster && ordinal.MatchString(o.Name[n:]) && !taken[o.Name] {
		key.Name = o.Name
	}
	taken[key.Name] = true
	return key
}
