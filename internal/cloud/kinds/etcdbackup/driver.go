package etcdbackup

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdtls"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

type driver struct {
	store    etcdstore.Store
	etcd     etcd.Client
	now      func() time.Time
	failures *failures
	master   *pki.Master // nil if there is no master key
}

// client returns a client for the members, with the TLS settings of the cluster.
func (d driver) client(w want) (c etcd.Client, err error) {
	var entries map[string]string
	if t := w.Spec.TLS; t != nil {
		entries = w.Ref("Secret", t.SecretRef).Data
	}
	c = d.etcd
	c.TLS, err = etcdtls.Config(w.Spec.TLS, entries, d.master, etcdtls.ScopeOf(w.Mark.Owner, w.Key.Namespace, w.Spec.ClusterRef))
	return c, err
}

// List implements [typed.Kind]. It lists the objects of all containers of the project that have the mark of a series,
// and groups them by series. If an object has several marks or a copied mark, its owner is uncertain, so it is listed
// separately.
func (d driver) List(ctx context.Context, asked kind.Listing) (all []typed.Live[series], err error) {
	ctx = cloud.At(ctx, asked.Shared)
	around := asked.Hosts
	containers, err := d.store.Containers(around)
	if err != nil {
		return nil, err
	}
	folder := etcdstore.Folder(wordOf(ownertext.Of(around.Stack, manifest.Key{Kind: Name, Name: "x"})))
	found := map[string][]item{}
	var owners []string
	for _, c := range containers {
		objects, err := d.store.List(ctx, c, folder, etcdstore.IsSnapshot)
		if err != nil {
			return nil, err
		}
		for _, i := range objects {
			switch {
			case !i.Mark.For(Name), i.Elsewhere:
			case i.Copied != "" || i.Mark.Rivals != "":
				all = append(all, live([]item{i}, failure{}))
			default:
				if found[i.Mark.Owner] == nil {
					owners = append(owners, i.Mark.Owner)
				}
				found[i.Mark.Owner] = append(found[i.Mark.Owner], i)
			}
		}
	}
	for _, owner := range owners {
		slices.SortFunc(found[owner], newestFirst)
		all = append(all, live(found[owner], d.failures.failureOf(owner)))
	}
	return all, nil
}

// Create implements [typed.Kind]. It takes the first snapshot of the series.
func (d driver) Create(ctx context.Context, w want) (typed.Live[series], error) {
	i, err := d.takeSnapshot(ctx, w)
	if err != nil {
		return typed.Live[series]{}, err
	}
	return live([]item{i}, failure{}), nil
}

// Update implements [typed.Kind]. It removes snapshots that are due for that, takes the snapshot that is due, and then
// writes the marks. If one part fails, the other parts still run: otherwise one object whose mark cannot be written, such as
// one in an archive, would stop all backups.
func (d driver) Update(ctx context.Context, w want, have typed.Live[series], changes []kind.Change) error {
	of := have.State.itemsIn(container(w))
	gone, err := d.removeDue(ctx, w, of, changes)
	errs := []error{err}
	if countUsable(of) == 0 || hasNewSnapshot(changes) || hasNewSnapshot(w.Spec.upkeep(of, have.State.failed, d.now()).Due) {
		_, err := d.takeSnapshot(ctx, w)
		errs = append(errs, err)
	}
	if kind.Has(changes, kind.MarkField) {
		errs = append(errs, d.rewrite(ctx, w.Mark, slices.DeleteFunc(slices.Clone(have.State.Items), func(i item) bool { return gone[i.ID()] })))
	}
	return errors.Join(errs...)
}

// hasNewSnapshot reports whether the changes include a new snapshot.
func hasNewSnapshot(changes []kind.Change) bool {
	return slices.ContainsFunc(changes, func(c kind.Change) bool { return c.Field == itemsField })
}

// removeDue removes the surplus and the half-made snapshots that the changes name. It returns the IDs of the removed
// snapshots.
func (d driver) removeDue(ctx context.Context, w want, of []item, changes []kind.Change) (gone map[string]bool, err error) {
	gone = map[string]bool{}
	for _, i := range slices.Concat(w.Spec.surplus(of), w.Spec.incomplete(of, d.now())) { // no other snapshot is removed, whatever the changes are
		if !kind.Has(changes, itemsField+"["+i.Name+"]") && (!i.Whole() || !kind.Has(changes, keepField)) {
			continue
		}
		if err := d.remove(ctx, i); err != nil {
			return gone, err
		}
		gone[i.ID()] = true
	}
	if countUsable(of) > 0 {
		return gone, nil
	}
	for _, i := range of { // half-made snapshots of a process that ended
		if err := d.remove(ctx, i); err != nil {
			return gone, err
		}
	}
	return gone, nil
}

const (
	// maxFailed is the number of failed marks after which no more are tried. A mark that the store refuses is not
	// counted.
	maxFailed = 10
	// maxNamed is the number of failed marks that the error names.
	maxNamed = 3
)

// rewrite writes the mark of each complete snapshot, the newest first.
func (d driver) rewrite(ctx context.Context, m kind.Mark, items []item) error {
	var errs []error
	failed, more := 0, 0
	for _, i := range items {
		if !i.Whole() || *i.Mark == m {
			continue
		}
		if ctx.Err() != nil || failed == maxFailed {
			errs = append(errs, errors.New("the marks of the other snapshots were not written"))
			break
		}
		err := d.store.Write(ctx, i, m, notesOf(i))
		if err == nil || errors.Is(err, kind.ErrGone) {
			continue
		}
		if !errors.Is(err, kind.ErrRejected) {
			failed++
		}
		if len(errs) < maxNamed {
			errs = append(errs, fmt.Errorf("the mark of %s: %w", i.ID(), err))
		} else {
			more++
		}
	}
	if more > 0 {
		errs = append(errs, fmt.Errorf("and the marks of %d others", more))
	}
	return errors.Join(errs...)
}

// remove removes a listed snapshot. If the snapshot was half-made, remove reads it again first, and does not remove it
// if another process has completed or replaced it.
func (d driver) remove(ctx context.Context, i item) error {
	if !i.Whole() {
		now, err := d.store.Head(ctx, i.Container, i.Name)
		switch {
		case errors.Is(err, kind.ErrGone):
			return nil
		case err != nil:
			return err
		case now.Whole(), now.ETag != i.ETag:
			return nil
		}
	}
	return d.store.Remove(ctx, i.Container, i.Name)
}

func notesOf(i item) map[string]string {
	out := map[string]string{}
	for _, name := range []string{etcdstore.Sum, etcdstore.Moment, etcdstore.Revision, etcdstore.Version, etcdstore.ClusterID} {
		if i.Notes[name] != "" {
			out[name] = i.Notes[name]
		}
	}
	return out
}

// Delete implements [typed.Kind]. It removes all snapshots of the series, the oldest first, so that the newest remain if
// it is interrupted.
func (d driver) Delete(ctx context.Context, have typed.Live[series]) (gone bool, err error) {
	for _, i := range slices.Backward(have.State.Items) {
		if err := d.store.Remove(ctx, i.Container, i.Name); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Unmark implements [typed.Kind].
func (driver) Unmark(context.Context, typed.Live[series]) error {
	return fmt.Errorf("%w: the mark of an %s cannot be removed", kind.ErrRejected, Name)
}

func classed(err error) error {
	if errors.Is(err, etcd.ErrTooLarge) {
		return tooLarge()
	}
	return err
}

// wordOf returns the word for the stack in the names of its objects. The owner text contains the same word.
func wordOf(owner string) string {
	o, _ := ownertext.Parse(owner)
	return o.Stack
}

// inNetworks reports whether an address is in one of the networks.
func inNetworks(networks []netip.Prefix, at netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(at.WithZone("").Unmap()) })
}

// allowed refuses endpoints of the manifest that are in no subnet of the stack. It checks this only if the configuration
// does not list the allowed networks, see [outbound.Machines].
func (d driver) allowed(w want) error {
	if len(d.etcd.Machines.Within) > 0 || len(w.Spec.EtcdEndpoints) == 0 {
		return nil
	}
	var own []string
	for _, name := range w.Spec.SubnetRefs {
		own = append(own, w.Ref("Subnet", name).Facts.CIDR)
	}
	return inSubnets(own, addresses(w))
}

func inSubnets(own []string, list []netip.AddrPort) error {
	var networks []netip.Prefix
	for _, cidr := range own {
		if p, err := netip.ParsePrefix(cidr); err == nil { // an unknown subnet has no CIDR, so it is skipped
			networks = append(networks, p.Masked())
		}
	}
	for _, at := range list {
		if !inNetworks(networks, at.Addr()) {
			return fmt.Errorf("%w: spec.etcdEndpoints: %s is in no Subnet that the stack makes; correct the address, or ask the operator to add its network to spec.defaults.machineNetworks of the stack's configuration", kind.ErrRejected, at.Addr())
		}
	}
	return nil
}

// addresses returns the addresses of the members.
func addresses(w want) (list []netip.AddrPort) {
	for _, endpoint := range w.Spec.EtcdEndpoints {
		if at, what, _ := addressOf(endpoint); what == "" {
			list = append(list, at)
		}
	}
	for _, name := range w.Spec.MemberRefs {
		if at, err := netip.ParseAddr(w.Ref("EtcdMember", name).Facts.Address); err == nil {
			list = append(list, netip.AddrPortFrom(at, etcd.ClientPort))
		}
	}
	return list
}
