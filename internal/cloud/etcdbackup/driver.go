package etcdbackup

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type driver struct {
	store    etcdstore.Store
	etcd     etcd.Client
	now      func() time.Time
	failures *failures
}

// List implements kind.Driver: what bears the mark of a series, each series together, in all containers of the project. What nobody can be sure
// of, since it bears several marks or a copied one, stands alone.
func (d driver) List(ctx context.Context) (all []kind.Live[*series], err error) {
	around := kind.AroundOf(ctx)
	containers, err := d.store.Containers(around)
	if err != nil {
		return nil, err
	}
	folder := etcdstore.Folder(wordOf(kind.OwnerText(around.Stack, manifest.Key{Kind: Name, Name: "x"})))
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
		all = append(all, live(found[owner], d.failures.of(owner)))
	}
	return all, nil
}

// Create implements kind.Driver: a series begins with its first snapshot.
func (d driver) Create(ctx context.Context, w want) (kind.Live[*series], error) {
	i, err := d.take(ctx, w)
	if err != nil {
		return kind.Live[*series]{}, err
	}
	return live([]item{i}, failure{}), nil
}

// Update implements kind.Driver: it does what is due, and writes the mark of all last.
func (d driver) Update(ctx context.Context, w want, have kind.Live[*series], changes []kind.Change) error {
	of := have.State.in(container(w))
	gone := map[string]bool{}
	for _, i := range slices.Concat(w.Spec.spare(of), w.Spec.halfMade(of, d.now())) { // nothing else is removed, whatever is asked for
		if !kind.Has(changes, itemsField+"["+i.Name+"]") && (!i.Whole() || !kind.Has(changes, keepField)) {
			continue
		}
		if err := d.remove(ctx, i); err != nil {
			return err
		}
		gone[i.Name] = true
	}
	if usable(of) == 0 { // a process that ended has left them
		for _, i := range of {
			if err := d.remove(ctx, i); err != nil {
				return err
			}
		}
	}
	if slices.ContainsFunc(changes, func(c kind.Change) bool { return c.Field == itemsField }) || usable(of) == 0 {
		if _, err := d.take(ctx, w); err != nil {
			return err
		}
	}
	if !kind.Has(changes, kind.MarkField) {
		return nil
	}
	for _, i := range slices.Backward(have.State.Items) {
		if i.Whole() && *i.Mark != w.Mark && !gone[i.Name] {
			if err := d.store.Write(ctx, i, w.Mark, notesOf(i)); err != nil && !errors.Is(err, kind.ErrGone) {
				return err
			}
		}
	}
	return nil
}

// remove removes a snapshot that was listed. Where that was half-made another process may have made it whole since, or another one of its name: it stays.
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

// Delete implements kind.Driver: all of the series go, the oldest first, so that an interruption leaves the newest.
func (d driver) Delete(ctx context.Context, have kind.Live[*series]) (gone bool, err error) {
	for _, i := range slices.Backward(have.State.Items) {
		if err := d.store.Remove(ctx, i.Container, i.Name); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Unmark implements kind.Driver.
func (driver) Unmark(context.Context, kind.Live[*series]) error {
	return fmt.Errorf("%w: the mark of an %s cannot be taken off", kind.ErrRejected, Name)
}

func classed(err error) error {
	if errors.Is(err, etcd.ErrTooLarge) {
		return tooLarge()
	}
	return err
}

// wordOf is the word for the stack in the names of its objects, which is that of its owner texts.
func wordOf(owner string) string {
	o, _ := kind.ParseOwner(owner)
	return o.Stack
}

// addresses are where the members are asked.
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
