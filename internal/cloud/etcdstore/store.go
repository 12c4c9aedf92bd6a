// Package etcdstore stores snapshots of etcd: as objects of Swift, or of an S3 store in the stack's configuration. Each object has the
// mark of its creator and describes its content. The package knows the names, the metadata and the requests. It does not know when a
// snapshot is made, removed or restored.
//
// An object is created in three requests. It has its mark from the first one on. It is half-made until the last one, which writes its
// SHA-256 digest:
//
//	PUT    writes the data, with a mark that says that nothing is applied yet; an incomplete request stores nothing
//	HEAD   compares the stored data with the data sent
//	POST   writes all metadata; S3 cannot change metadata, so there a PUT copies the object onto itself
package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

const (
	// Largest is how many bytes a snapshot may have: the limit of Swift and S3 for one object. (swift/common/constraints.py:
	// MAX_FILE_SIZE; AWS: PutObject)
	Largest = 5 << 30
	// most is how many snapshots one folder may have: twice the largest number that an EtcdBackup keeps.
	most = 2000
	// maxSnapshots is how many snapshots one list may have, over all folders.
	maxSnapshots = 20_000
	// parallel is how many objects are requested at the same time.
	parallel = 16
)

// ErrTooMany is the error of a list that is longer than the limit for one folder, or for one container.
var ErrTooMany = errors.New("too many objects")

// ErrReplaced says that the data of an object has changed.
var ErrReplaced = fmt.Errorf("%w: the object was replaced by another one", kind.ErrRejected)

// Store stores the snapshots of a stack: in containers of Swift, or in buckets, which are containers with a name from [Bucket].
type Store struct {
	cloud  *cloud.Client
	bucket *buckets // nil if the configuration names none
}

// New returns the store of a stack. Only the main entry of clouds.yaml can use the buckets outside its cloud.
func New(c *cloud.Client, d defaults.Defaults) Store {
	if c == nil || d.S3 == nil || d.Keys.S3 == nil || c.Further() {
		return Store{cloud: c}
	}
	return Store{c, newBuckets(c, *d.S3, d.Keys)}
}

// container sends requests for the objects of one container.
type container interface {
	names(ctx context.Context, begin string, each func(name string) error) error
	head(ctx context.Context, name string) (described, error)
	part(ctx context.Context, name, etag string, from, to int64) ([]byte, error)
	// put writes an object that does not exist yet.
	put(ctx context.Context, name string, metadata map[string]string, data io.ReadCloser, size int64) error
	describe(ctx context.Context, name, etag string, metadata map[string]string) error
	remove(ctx context.Context, name string) error
}

// described is a container's description of an object.
type described struct {
	etag, md5 string
	size      int64
	written   time.Time
	metadata  map[string]string
}

func (s Store) containerOf(container string) (container, error) {
	name, is := strings.CutPrefix(container, scheme)
	switch {
	case !is:
		return swift{s.cloud, container}, nil
	case s.bucket == nil || !s.bucket.has(name):
		return nil, fmt.Errorf("%w: the stack's configuration does not name the bucket %s (spec.defaults.s3)", kind.ErrRejected, name)
	}
	return s.bucket.named(name), nil
}

// Containers returns all containers that may contain snapshots of the stack. around contains those of Swift.
func (s Store) Containers(around kind.Hosts) (names []string, err error) {
	containers, known := around.Have["SwiftContainer"]
	for _, err := range containers.Errs() {
		if s.bucket == nil || !errors.Is(err, kind.ErrNoService) {
			return nil, fmt.Errorf("the list of containers is unknown: %w", err)
		}
	}
	if !known {
		return nil, errors.New("the list of containers is unknown")
	}
	for _, c := range containers.Items {
		if c.InOwnProject {
			names = append(names, c.ID)
		}
	}
	if s.bucket != nil {
		names = append(names, s.bucket.all()...)
	}
	return names, nil
}

// List reads the objects of a container whose names start with begin and meet the condition is. Objects that are deleted
// meanwhile are left out. The error is [ErrTooMany] if there are more objects than the limit.
func (s Store) List(ctx context.Context, container, begin string, is func(name string) bool) ([]Object, error) {
	on, err := s.containerOf(container)
	if err != nil {
		return nil, err
	}
	var names []string
	of := map[string]int{} // by folder
	err = on.names(ctx, begin, func(name string) error {
		if !strings.HasPrefix(name, begin) || !is(name) {
			return nil
		}
		names = append(names, name)
		of[path.Dir(name)]++
		return tooMany(container, begin, path.Dir(name), of, len(names))
	})
	if errors.Is(err, kind.ErrGone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := make([]Object, len(names))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, name := range names {
		group.Go(func() (err error) {
			if found[i], err = s.Head(within, container, name); errors.Is(err, kind.ErrGone) {
				err = nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	there := found[:0]
	for _, o := range found {
		if o.Name != "" {
			there = append(there, o)
		}
	}
	return there, nil
}

// tooMany is the error of a list that has become too long, in one folder or in all.
func tooMany(container, begin, folder string, of map[string]int, all int) error {
	switch {
	case of[folder] > most:
		return fmt.Errorf("%w: the folder %s of container %s has more than %d snapshots; remove some by hand", ErrTooMany, printable.Line(folder), container, most)
	case all > maxSnapshots:
		fullest := slices.MaxFunc(slices.Sorted(maps.Keys(of)), func(a, b string) int { return of[a] - of[b] })
		return fmt.Errorf("%w: container %s has more than %d snapshots whose names begin with %q, %d of them in the folder %s; remove some by hand, and keep fewer (backupPolicy.maxBackups)",
			ErrTooMany, container, maxSnapshots, begin, of[fullest], printable.Line(fullest))
	}
	return nil
}

// Head reads the description of an object.
func (s Store) Head(ctx context.Context, container, name string) (Object, error) {
	on, err := s.containerOf(container)
	if err != nil {
		return Object{}, err
	}
	d, err := on.head(ctx, name)
	if err != nil {
		return Object{}, err
	}
	o := Object{Container: container, Name: name, ETag: d.etag, MD5: d.md5, Size: d.size, Written: d.written, Notes: map[string]string{}}
	o.Mark = mark.InMetadata(d.metadata)
	for key, value := range d.metadata {
		if ownertext.ReservedKey(key) {
			o.Notes[key] = value
		}
	}
	switch self := d.metadata[mark.SelfKey]; self {
	case "", selfOf(container, name):
		own := s.project(container)
		o.Elsewhere = own != "" && d.metadata[mark.ProjectKey] != own
	case selfOf(twin(container), name):
		o.Elsewhere = true
	default:
		o.Copied = "has the metadata of another object"
	}
	return o, nil
}

// project is the stack's project if several projects may share a container. A stack with the same name in another cloud may store its
// snapshots in the same bucket. It is "" for other containers.
func (s Store) project(container string) string {
	if strings.HasPrefix(container, scheme) {
		return s.cloud.ProjectID
	}
	return ""
}

// selfOf is a digest of an object's address, which itself may be longer than a header.
func selfOf(container, name string) string { return checksum.Short(container + "/" + name) }

// metadata is the metadata of an object with a mark and notes.
func (s Store) metadata(container, name string, m kind.Mark, notes map[string]string) map[string]string {
	all := mark.Metadata(m, notes)
	all[mark.SelfKey] = selfOf(container, name)
	if project := s.project(container); project != "" {
		all[mark.ProjectKey] = project
	}
	return all
}

// Part reads bytes of an object, both from and to included. The error is [ErrReplaced] if its data has changed.
func (s Store) Part(ctx context.Context, o Object, from, to int64) ([]byte, error) {
	on, err := s.containerOf(o.Container)
	if err != nil {
		return nil, err
	}
	return on.part(ctx, o.Name, o.ETag, from, to)
}

// Put writes a new object of size bytes. The object is half-made until [Store.Write] writes its description.
func (s Store) Put(ctx context.Context, container, name string, m kind.Mark, notes map[string]string, data io.ReadCloser, size int64, longest time.Duration) error {
	on, err := s.containerOf(container)
	if err != nil {
		return err
	}
	return on.put(cloud.WithLongest(ctx, longest), name, s.metadata(container, name, mark.HalfMade(m), notes), data, size)
}

// Write replaces the whole description of an object.
func (s Store) Write(ctx context.Context, o Object, m kind.Mark, notes map[string]string) error {
	on, err := s.containerOf(o.Container)
	if err != nil {
		return err
	}
	return on.describe(ctx, o.Name, o.ETag, s.metadata(o.Container, o.Name, m, notes))
}

// Remove deletes an object. A missing object is no error.
func (s Store) Remove(ctx context.Context, container, name string) error {
	on, err := s.containerOf(container)
	if err != nil {
		return err
	}
	err = on.remove(ctx, name)
	if errors.Is(err, kind.ErrGone) {
		return nil
	}
	return err
}
