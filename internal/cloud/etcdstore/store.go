// Package etcdstore is where snapshots of etcd are kept: objects of Swift, of which each bears the mark of what made it and says what
// it holds. It knows their names, their metadata and the requests, and not when one is made, removed or restored.
//
// An object is made in three requests. It bears its mark from the first one on, and is half-made until the last one, which says
// its SHA-256 digest:
//
//	PUT    the data, with a mark to which nothing is applied; Swift keeps nothing of it unless it is sent to its end
//	HEAD   compares what Swift has with what was sent
//	POST   all metadata
package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const (
	// Largest is how many bytes a snapshot may have: what Swift takes as one object. (swift/common/constraints.py: MAX_FILE_SIZE)
	Largest = 5 << 30
	// most is how many objects a stack may have in one container, of each kind.
	most = 2000
	// parallel is how many objects are asked for at once.
	parallel = 16

	prefix = "X-Object-Meta-"
)

// ErrTooMany is that of a list which would be longer than what is read of one container.
var ErrTooMany = errors.New("too many objects")

// ErrReplaced says that the data of an object is not what it was.
var ErrReplaced = fmt.Errorf("%w: it has been replaced by another one", kind.ErrRejected)

// Store is Swift, as a stack uses it.
type Store struct{ Client *cloud.Client }

// Object is one as Swift has it.
type Object struct {
	Container, Name, ETag string
	Size                  int64
	Written               time.Time         // when its data or its metadata were written last
	Mark                  *kind.Mark        // nil for none
	Copied                string            // why the mark is that of another object; "" where nothing shows that
	Notes                 map[string]string // what is said of it besides, by the names below
}

// What is said of an object besides its mark.
const (
	Sum       = mark.OwnerKey + "-sha256"     // of all its data; an object without it is half-made
	Moment    = mark.OwnerKey + "-moment"     // RFC 3339
	Revision  = mark.OwnerKey + "-revision"   // of etcd's data
	Version   = mark.OwnerKey + "-version"    // of etcd
	ClusterID = mark.OwnerKey + "-cluster-id" // in hexadecimal digits
)

// Whole reports whether all requests were made that make the object.
func (o *Object) Whole() bool { return o.Notes[Sum] != "" && o.Mark != nil && o.Mark.Applied != "" }

// At is the moment that it is of, which is never after it was written.
func (o *Object) At() time.Time {
	const skew = 15 * time.Minute
	at, err := time.Parse(time.RFC3339, o.Notes[Moment])
	if err != nil || at.After(o.Written.Add(skew)) {
		return o.Written
	}
	return at
}

// Number is a note that is one; 0 for any other.
func (o *Object) Number(note string) int64 {
	n, _ := strconv.ParseInt(o.Notes[note], 10, 64)
	return n
}

// List reads the objects of a container whose names begin so, and that is accepts. An object that is gone since is left out; more than
// can be read are [ErrTooMany].
func (s Store) List(ctx context.Context, container, begin string, is func(name string) bool) ([]Object, error) {
	var names []string
	path := pathOf(container, "") + "?prefix=" + url.QueryEscape(begin)
	err := cloud.Each(ctx, s.Client, cloud.Call{Service: cloud.ObjectStore, Path: path}, "", func(one struct{ Name string }) error {
		if !strings.HasPrefix(one.Name, begin) || !is(one.Name) {
			return nil
		}
		if names = append(names, one.Name); len(names) > most {
			return fmt.Errorf("%w: container %s has more than %d whose names begin with %q; remove some by hand", ErrTooMany, container, most, begin)
		}
		return nil
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

// Head reads what Swift says of an object.
func (s Store) Head(ctx context.Context, container, name string) (Object, error) {
	h, err := s.Client.Head(ctx, cloud.ObjectStore, pathOf(container, name))
	if err != nil {
		return Object{}, err
	}
	o := Object{Container: container, Name: name, ETag: strings.Trim(h.Get("Etag"), `"`), Notes: map[string]string{}}
	o.Size, _ = strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	o.Written, _ = http.ParseTime(h.Get("Last-Modified"))
	all := map[string]string{}
	for header, texts := range h {
		if key, ok := strings.CutPrefix(header, prefix); ok {
			all[strings.ToLower(key)] = strings.Join(texts, ", ") // a header that comes twice is no mark
		}
	}
	o.Mark = mark.InMetadata(all)
	for key, value := range all {
		if kind.ReservedKey(key) {
			o.Notes[key] = value
		}
	}
	if self := all[mark.SelfKey]; self != "" && self != selfOf(container, name) {
		o.Copied = "has the metadata of another object"
	}
	return o, nil
}

// selfOf stands for the address of an object, which may be longer than a header.
func selfOf(container, name string) string { return kind.Digest(container + "/" + name) }

// headers are those of an object with a mark and notes.
func headers(container, name string, m kind.Mark, notes map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range notes {
		out[prefix+key] = value
	}
	for key, value := range mark.Metadata(m, nil) {
		out[prefix+key] = value
	}
	out[prefix+mark.SelfKey] = selfOf(container, name)
	return out
}

// Part reads bytes of an object, the last one included, as long as its data is what it was; else it is [ErrReplaced].
func (s Store) Part(ctx context.Context, o Object, from, to int64) ([]byte, error) {
	part, err := s.Client.Part(ctx, cloud.Call{Service: cloud.ObjectStore, Path: pathOf(o.Container, o.Name), Headers: map[string]string{"If-Match": `"` + o.ETag + `"`}}, from, to)
	if unmet(err) {
		return nil, ErrReplaced
	}
	return part, err
}

// unmet reports whether Swift did nothing since what the request had to find was not so.
func unmet(err error) bool {
	return errors.Is(err, kind.ErrBusy) && strings.Contains(err.Error(), ": "+strconv.Itoa(http.StatusPreconditionFailed))
}

// Put writes an object that is not there yet, and is half-made.
func (s Store) Put(ctx context.Context, container, name string, m kind.Mark, notes map[string]string, data io.ReadCloser, longest time.Duration) error {
	all := headers(container, name, mark.Begun(m), notes)
	all["If-None-Match"], all["Content-Type"] = "*", "application/octet-stream"
	err := s.Client.Do(ctx, cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: pathOf(container, name), Stream: data, Longest: longest, Headers: all})
	if unmet(err) {
		return fmt.Errorf("%w: there is an object %s already", kind.ErrBusy, name)
	}
	return err
}

// Write replaces all that is said of an object.
func (s Store) Write(ctx context.Context, o Object, m kind.Mark, notes map[string]string) error {
	return s.Client.Do(ctx, cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPost, Path: pathOf(o.Container, o.Name), Headers: headers(o.Container, o.Name, m, notes)})
}

// Remove deletes an object; that it is gone is no error.
func (s Store) Remove(ctx context.Context, container, name string) error {
	err := s.Client.Do(ctx, cloud.Call{Service: cloud.ObjectStore, Method: http.MethodDelete, Path: pathOf(container, name)})
	if errors.Is(err, kind.ErrGone) {
		return nil
	}
	return err
}

// pathOf is that of an object below the address of the account; of the container for "".
func pathOf(container, name string) string {
	path := url.PathEscape(container)
	if name == "" {
		return path
	}
	for part := range strings.SplitSeq(name, "/") {
		path += "/" + url.PathEscape(part)
	}
	return path
}
