package etcdmember

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// longestRestore is the maximal time for which one attempt sends a snapshot. The next attempt continues where it ended.
const longestRestore = time.Hour

// restore makes the first machine begin the cluster with a snapshot. It sends the missing parts and records on all ports
// that the cluster begins with a snapshot. Then it requests that the machine begins.
func (d driver) restore(ctx context.Context, w want, own *machine, machines []*member.Machine[Spec]) error {
	points := w.Ref("EtcdRestore", w.Spec.RestoreRef).Facts.Points
	if len(points) == 0 {
		return fmt.Errorf("%w: the cluster %s can only start from a snapshot, and EtcdRestore/%s has none: its status has the reason", kind.ErrRejected, w.Spec.Cluster, w.Spec.RestoreRef)
	}
	ctx, stop := context.WithTimeout(ctx, longestRestore)
	defer stop()
	container, name := etcdstore.Split(points[0].ID)
	object, err := d.store.Head(ctx, container, name)
	if err != nil {
		return about(points[0].ID, err)
	}
	if err := d.send(ctx, own, object); err != nil {
		return about(points[0].ID, err)
	}
	for _, m := range machines {
		if err := member.Record(etcdstore.RestoredTag(points[0].SourceID)).Put(ctx, d.members.Cloud, m.PortID); err != nil {
			return err
		}
	}
	trouble := own.waiting.Said()
	if err := own.client.BeginWith(ctx, own.Address, sumOf(object)); err != nil || trouble == "" {
		return err
	}
	return fmt.Errorf("%w: its machine could not restore the snapshot and tries again: %s", kind.ErrBusy, trouble)
}

// sumOf returns the SHA-256 digest that the object must have, according to its metadata.
func sumOf(o etcdstore.Object) string { return strings.ToLower(o.Notes[etcdstore.Sum]) }

// about returns err with the name of the object and what people can do.
func about(object string, err error) error {
	fix := ""
	switch {
	case errors.Is(err, kind.ErrGone), errors.Is(err, etcdstore.ErrReplaced):
		fix = "; if the manifest has backupRef, the next pass uses whichever snapshot is then the newest; if it has restoreRef, name another snapshot in that EtcdRestore"
	case errors.Is(err, kind.ErrRejected):
		fix = "; name another snapshot in the EtcdRestore"
	}
	return fmt.Errorf("the snapshot %s: %w%s", printable.Line(object), err, fix)
}

// send sends the parts of a snapshot that a machine does not have yet.
func (d driver) send(ctx context.Context, to *machine, o etcdstore.Object) error {
	sum := sumOf(o)
	if to.waiting.State == etcd.Unfit && to.waiting.Sum == sum {
		return fmt.Errorf("%w: the object does not match its metadata, or is not a snapshot of etcd: %s", kind.ErrRejected, to.waiting.Said())
	}
	from := int64(0)
	if to.waiting.Sum == sum {
		from = to.waiting.Received
	}
	for from < o.Size {
		part, err := d.store.Part(ctx, o, from, min(from+etcd.Part, o.Size)-1)
		if err != nil {
			return err
		}
		has, err := to.client.SendPart(ctx, to.Address, sum, o.Size, from, part)
		if err != nil {
			return member.Classed(err)
		}
		if has.State != etcd.Receives || has.Sum != sum || has.Received <= from || has.Received > o.Size {
			return fmt.Errorf("%w: the machine at %s has %d bytes of the snapshot, and did not accept more", kind.ErrBusy, to.Address, has.Received)
		}
		from = has.Received
	}
	return nil
}
