package etcdbackup

import (
	"context"
	"crypto/md5" //nolint:gosec // it is how Swift says what it has stored
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
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
	containers, known := around.Have["SwiftContainer"]
	if errs := containers.Errs(); !known || len(errs) > 0 {
		return nil, fmt.Errorf("it is not known which containers there are: %w", errors.Join(errs...))
	}
	folder := etcdstore.Folder(wordOf(kind.OwnerText(around.Stack, manifest.Key{Kind: Name, Name: "x"})))
	found := map[string][]item{}
	var owners []string
	for _, c := range containers.Items {
		objects, err := d.store.List(ctx, c.ID, folder, etcdstore.IsSnapshot)
		if err != nil {
			return nil, err
		}
		for _, i := range objects {
			switch {
			case !i.Mark.For(Name):
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
		if err := d.store.Remove(ctx, i.Container, i.Name); err != nil {
			return err
		}
		gone[i.Name] = true
	}
	if usable(of) == 0 { // a process that ended has left them
		if err := d.removeHalfMade(ctx, of); err != nil {
			return err
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

func (d driver) removeHalfMade(ctx context.Context, of []item) error {
	for _, i := range of {
		if err := d.store.Remove(ctx, i.Container, i.Name); err != nil {
			return err
		}
	}
	return nil
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

// take takes a snapshot, and remembers when that fails.
func (d driver) take(ctx context.Context, w want) (i item, err error) {
	bound, stop := context.WithTimeout(ctx, w.Spec.longest())
	defer stop()
	i, err = d.snapshot(bound, w)
	if errors.Is(err, context.DeadlineExceeded) || err != nil && bound.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("the snapshot was not taken within %s; set backupPolicy.timeoutInSecond if it needs longer", w.Spec.longest())
	}
	if ctx.Err() == nil {
		d.failures.note(w.Mark.Owner, err, d.now())
	}
	return i, err
}

// snapshot asks a member for its data and hands it on to Swift as it comes in.
func (d driver) snapshot(ctx context.Context, w want) (item, error) {
	at, err := choose(d.ask(ctx, addresses(w)))
	if err != nil {
		return item{}, err
	}
	if at.status.DBSize > etcdstore.Largest {
		return item{}, tooLarge()
	}
	data, err := d.client(at.at).Snapshot(ctx, at.at.Addr().String(), etcdstore.Largest)
	if err != nil {
		return item{}, fmt.Errorf("%s: %w", at.at, err)
	}
	defer func() { _ = data.Close() }() // what matters is what was read
	moment := d.now()
	name := etcdstore.SnapshotName(etcdstore.Series(wordOf(w.Mark.Owner), w.Key), moment, at.status.Revision)
	notes := map[string]string{etcdstore.Moment: text(moment), etcdstore.Revision: strconv.FormatInt(at.status.Revision, 10),
		etcdstore.Version: printable.Clip(printable.Line(at.status.Version), 40), etcdstore.ClusterID: strconv.FormatUint(at.status.ClusterID, 16)}
	sent := &sent{Snapshot: data, sum: md5.New()} //nolint:gosec // see above
	if err := d.store.Put(ctx, container(w), name, w.Mark, notes, sent, w.Spec.longest()); err != nil {
		if sent.err != nil {
			err = fmt.Errorf("%s: %w", at.at, sent.err)
		}
		return item{}, classed(err)
	}
	return d.finish(ctx, w, name, notes, sent)
}

// finish compares what Swift has with what was sent, and says that it is whole.
func (d driver) finish(ctx context.Context, w want, name string, notes map[string]string, sent *sent) (item, error) {
	i, err := d.store.Head(ctx, container(w), name)
	if err != nil {
		return item{}, err
	}
	if i.Size != sent.Size() || i.ETag != hex.EncodeToString(sent.sum.Sum(nil)) {
		err := fmt.Errorf("swift has stored something else than it was sent (%d bytes of %d)", i.Size, sent.Size())
		return item{}, errors.Join(err, d.store.Remove(ctx, i.Container, i.Name))
	}
	notes[etcdstore.Sum] = sent.Sum()
	if err := d.store.Write(ctx, i, w.Mark, notes); err != nil {
		return item{}, err
	}
	i.Mark, i.Notes = &w.Mark, notes
	return i, nil
}

// sent is a snapshot on its way to Swift.
type sent struct {
	*etcd.Snapshot
	sum hash.Hash
	err error // why it could not be read to its end
}

// Read implements [io.Reader].
func (s *sent) Read(p []byte) (int, error) {
	n, err := s.Snapshot.Read(p)
	s.sum.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

func classed(err error) error {
	if errors.Is(err, etcd.ErrTooLarge) {
		return tooLarge()
	}
	return err
}

func tooLarge() error {
	return fmt.Errorf("%w: the database is larger than %d GiB, which is the most that is backed up; compact and defragment it", kind.ErrRejected, int64(etcdstore.Largest)>>30)
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

// failures are why the last attempts of each series failed, in this process.
type failures struct {
	mu  sync.Mutex
	all map[string]failure
}

func (f *failures) of(owner string) failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all[owner]
}

func (f *failures) note(owner string, err error, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		delete(f.all, owner)
		return
	}
	if f.all == nil {
		f.all = map[string]failure{}
	}
	f.all[owner] = failure{f.all[owner].times + 1, now, reason(err)}
}

// reason is why something failed, in words that can be shown.
func reason(err error) string {
	said := err.Error()
	var unquoted kind.Unquoted
	if errors.As(err, &unquoted) {
		said = unquoted.Unquoted()
	}
	return printable.Clip(printable.Line(said), 300)
}
