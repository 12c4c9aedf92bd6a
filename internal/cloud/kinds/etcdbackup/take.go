package etcdbackup

import (
	"bufio"
	"context"
	"crypto/md5" //nolint:gosec // stores report their content with it
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// takeSnapshot takes a snapshot and records whether that failed.
func (d driver) takeSnapshot(ctx context.Context, w want) (i item, err error) {
	bound, stop := context.WithTimeout(ctx, w.Spec.longest())
	defer stop()
	i, err = d.snapshot(bound, w)
	if errors.Is(err, context.DeadlineExceeded) || err != nil && bound.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("the snapshot was not complete after %s; if the snapshot needs longer, set backupPolicy.timeoutInSecond", w.Spec.longest())
	}
	if ctx.Err() == nil {
		d.failures.note(w.Mark.Owner, err, d.now())
	}
	return i, err
}

// snapshot requests the data from a member and sends it to the store while it arrives.
func (d driver) snapshot(ctx context.Context, w want) (item, error) {
	client, err := d.client(w)
	if err != nil {
		return item{}, err
	}
	if err := d.allowed(w); err != nil {
		return item{}, err
	}
	at, err := choose(ask(ctx, client, addresses(w)))
	if err != nil {
		return item{}, err
	}
	if at.status.DBSize > etcdstore.Largest {
		return item{}, tooLarge()
	}
	data, err := withPort(client, at.at).Snapshot(ctx, at.at.Addr().String(), etcdstore.Largest)
	if err != nil {
		return item{}, fmt.Errorf("%s: %w", at.at, err)
	}
	defer func() { _ = data.Close() }() // all data was read, so an error of Close does not matter
	size, err := data.Length()
	if err != nil {
		return item{}, classed(fmt.Errorf("%s: %w", at.at, err))
	}
	moment := d.now()
	name := etcdstore.SnapshotName(etcdstore.Series(wordOf(w.Mark.Owner), w.Key), moment, at.status.Revision)
	notes := map[string]string{etcdstore.Moment: text(moment), etcdstore.Revision: strconv.FormatInt(at.status.Revision, 10),
		etcdstore.Version: printable.Clip(printable.Line(at.status.Version), 40), etcdstore.ClusterID: strconv.FormatUint(at.status.ClusterID, 16)}
	sent := newSent(data)
	if err := d.store.Put(ctx, container(w), name, w.Mark, notes, sent, size, w.Spec.longest()); err != nil {
		if sent.err != nil {
			err = fmt.Errorf("%s: %w", at.at, sent.err)
		}
		return item{}, classed(err)
	}
	return d.finish(ctx, w, name, notes, sent)
}

// finish compares the stored data with the sent data, and marks the object as complete.
func (d driver) finish(ctx context.Context, w want, name string, notes map[string]string, sent *sent) (item, error) {
	i, err := d.store.Head(ctx, container(w), name)
	if err != nil {
		return item{}, err
	}
	if i.Size != sent.Size() || i.MD5 != "" && i.MD5 != hex.EncodeToString(sent.sum.Sum(nil)) {
		err := fmt.Errorf("the store has different data than it was sent (%d bytes of %d)", i.Size, sent.Size())
		return item{}, errors.Join(err, d.store.Remove(ctx, i.Container, i.Name))
	}
	notes[etcdstore.Sum] = sent.Sum()
	if err := d.store.Write(ctx, i, w.Mark, notes); err != nil {
		return item{}, err
	}
	i.Mark, i.Notes = w.CopyMark(), notes
	return i, nil
}

// sent is a snapshot that is being sent to the store. Read returns its last byte only after all data has arrived and
// matches etcd's digest. This is needed because a store that knows the length creates the object when it gets the last
// byte.
type sent struct {
	*etcd.Snapshot
	ahead *bufio.Reader // buffers the snapshot's data
	sum   hash.Hash     // the checksum of the data that Read has returned
	err   error         // the cause of an incomplete read
}

func newSent(data *etcd.Snapshot) *sent {
	return &sent{Snapshot: data, ahead: bufio.NewReaderSize(data, 64<<10), sum: md5.New()} //nolint:gosec // see above
}

// Read implements [io.Reader].
func (s *sent) Read(p []byte) (n int, err error) {
	_, err = s.ahead.Peek(2)
	ready := s.ahead.Buffered()
	switch {
	case err == nil:
		ready-- // the last buffered byte may be the last of all
	case !errors.Is(err, io.EOF):
		s.err = err
		return 0, err
	case ready == 0:
		return 0, io.EOF
	}
	n, err = s.ahead.Read(p[:min(len(p), ready)])
	s.sum.Write(p[:n])
	return n, err
}

func tooLarge() error {
	return fmt.Errorf("%w: the database is larger than %d GiB, which is the limit for backups; compact and defragment the database", kind.ErrRejected, int64(etcdstore.Largest)>>30)
}
