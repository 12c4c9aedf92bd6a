package etcdrestore

import (
	"context"
	"errors"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// List implements [typed.Kind]. It returns the state of each restore that manifests declare. No other restores exist.
func (d driver) List(ctx context.Context, asked kind.Listing) (all []live, err error) {
	ctx = cloud.At(ctx, asked.Shared)
	around := asked.Hosts
	if len(around.Want) == 0 {
		return nil, nil
	}
	if errs := around.Have["Port"].Errs(); len(errs) > 0 {
		return nil, fmt.Errorf("it is not known what a restore needs: %w", errors.Join(errs...))
	}
	containers, err := d.store.Containers(around)
	if err != nil {
		return nil, err
	}
	tags, err := member.RecordsOfPorts(ctx, d.cloud)
	if err != nil {
		return nil, err
	}
	for i := range around.Want {
		spec, ok := around.Want[i].Spec.(*Spec)
		if !ok {
			continue
		}
		one, err := d.find(ctx, around, containers, around.Want[i].Key, spec, tags)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// find returns the state of one restore.
func (d driver) find(ctx context.Context, around kind.Hosts, containers []string, key manifest.Key, spec *Spec, tags map[string][]string) (live, error) {
	cluster := spec.EtcdCluster.Name
	s := &State{}
	s.record(portsOf(around, key.Namespace, cluster), tags)
	l := live{Live: kind.Live{ID: "restore " + key.Namespace + "/" + key.Name, Name: key.Name, InOwnProject: true, Mark: &kind.Mark{Owner: ownertext.Of(around.Stack, key)}, Phase: kind.Ready}, State: s}
	switch {
	case s.begun && s.restored == "":
		l.Phase, l.Down = kind.Degraded, "refused"
		l.Message = "there was a cluster " + cluster + " before, and no snapshot is restored over its data: remove this manifest, or name an EtcdCluster with another name in it, which is then created from the snapshot beside this cluster"
	case !s.begun:
		if err := d.seek(ctx, around, containers, key, spec, s); err != nil {
			return l, err
		}
		if s.source != nil {
			l.Facts.Points = []kind.Point{{At: s.source.At(), SourceID: spec.digest(), ID: s.source.ID()}}
		} else if s.restored == "" {
			l.Phase, l.Down, l.Message = kind.Degraded, "no snapshot", s.trouble
		}
	}
	return l, nil
}

// portsOf returns the IDs of the ports of a cluster's members.
func portsOf(around kind.Hosts, namespace, cluster string) (ids []string) {
	ports := around.Owned("Port")
	for name := range etcdstore.MemberNames(cluster) {
		owner := ownertext.Of(around.Stack, manifest.Key{Kind: "Port", Namespace: namespace, Name: name})
		if port := ports[owner]; port != nil {
			ids = append(ids, port.ID)
		}
	}
	return ids
}

// record reads what the tags of the members' ports record about the cluster.
func (s *State) record(ports []string, tags map[string][]string) {
	for _, id := range ports {
		here := ""
		for _, tag := range tags[id] {
			if tag == etcdstore.BegunTag {
				s.begun = true
			}
			if digest, ok := etcdstore.RestoredFrom(tag); ok {
				here = digest
			}
		}
		if here == "" {
			s.untagged = append(s.untagged, id)
		} else {
			s.restored = here
		}
	}
	if s.restored == "" {
		s.untagged = nil
	}
}

// Create implements [typed.Kind]. It always fails: it is called only if List found no state for the restore.
func (driver) Create(context.Context, want) (live, error) {
	return live{}, fmt.Errorf("%w: it is not known yet whether the cluster has started", kind.ErrBusy)
}

// Update implements [typed.Kind]. It writes the record of a restore on ports of members that lack it, for example of
// members that were added later. The cluster's first member carries out the restore itself.
func (d driver) Update(ctx context.Context, w want, have live, changes []kind.Change) error {
	if kind.Has(changes, beginsField) {
		return fmt.Errorf("%w: the first member of %s has not started from the snapshot yet", kind.ErrNotYet, w.Spec.EtcdCluster.Name)
	}
	for _, id := range have.State.untagged {
		if err := member.Record(etcdstore.RestoredTag(have.State.restored)).Put(ctx, d.cloud, id); err != nil && !errors.Is(err, kind.ErrGone) {
			return err
		}
	}
	return nil
}

// Delete implements [typed.Kind]: there is nothing to delete.
func (driver) Delete(context.Context, live) (gone bool, err error) { return true, nil }

// Unmark implements [typed.Kind].
func (driver) Unmark(context.Context, live) error { return nil }
