package etcdstore

import (
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Object is an object as its container describes it.
type Object struct {
	Container, Name, ETag string
	MD5                   string // of its data, in hexadecimal digits; "" if the store does not report it.
	Size                  int64
	Written               time.Time         // the last time when its data or its metadata was written.
	Mark                  *kind.Mark        // nil if there is none.
	Copied                string            // the reason why the mark is that of another object; "" if nothing shows that.
	Elsewhere             bool              // whether it belongs to another project, or to another container that shows the same object.
	Notes                 map[string]string // its other reserved metadata, by the names below.
}

// Names of an object's notes, in addition to its mark.
const (
	Sum       = mark.OwnerKey + "-sha256"     // digest of all its data; an object without this note is half-made.
	Moment    = mark.OwnerKey + "-moment"     // time of the snapshot, in RFC 3339.
	Revision  = mark.OwnerKey + "-revision"   // revision of etcd's data.
	Version   = mark.OwnerKey + "-version"    // version of etcd.
	ClusterID = mark.OwnerKey + "-cluster-id" // ID of the cluster, in hexadecimal digits.
	Project   = mark.ProjectKey               // project of the stack that wrote it; only for objects in buckets.
)

// Whole reports whether all requests that create the object were made.
func (o *Object) Whole() bool {
	return o.Notes[Sum] != "" && o.Mark != nil && o.Mark.Applied != kind.HalfMade
}

// Skew is the largest difference between the clocks of a machine and of a store.
const Skew = 15 * time.Minute

// At is the time of the snapshot. If its writer gave none, or one much later than the object was
// written, it is the time when the object was written.
func (o *Object) At() time.Time {
	at, ok := o.Noted()
	if !ok || at.After(o.Written.Add(Skew)) {
		return o.Written
	}
	return at
}

// Noted is the time of the snapshot that its writer gave. ok is false if there is none.
func (o *Object) Noted() (at time.Time, ok bool) {
	at, err := time.Parse(time.RFC3339, o.Notes[Moment])
	return at, err == nil
}

// Number returns the number in a note; 0 if the note is missing or is not a number.
func (o *Object) Number(note string) int64 {
	n, _ := strconv.ParseInt(o.Notes[note], 10, 64)
	return n
}

// ID joins the container and the name.
func (o *Object) ID() string { return o.Container + "/" + o.Name }

// Split returns the container and the name in an object's ID.
func Split(id string) (container, name string) {
	rest, is := strings.CutPrefix(id, scheme)
	container, name, _ = strings.Cut(rest, "/")
	if is {
		container = Bucket(container)
	}
	return container, name
}
