package etcdstore

import (
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Object is one as its container has it.
type Object struct {
	Container, Name, ETag string
	MD5                   string // of its data, in hexadecimal digits; "" where the store does not say
	Size                  int64
	Written               time.Time         // when its data or its metadata were written last
	Mark                  *kind.Mark        // nil for none
	Copied                string            // why the mark is that of another object; "" where nothing shows that
	Elsewhere             bool              // it counts elsewhere: in another project, or another container that shows the same object
	Notes                 map[string]string // what is said of it besides, by the names below
}

// What is said of an object besides its mark.
const (
	Sum       = mark.OwnerKey + "-sha256"     // of all its data; an object without it is half-made
	Moment    = mark.OwnerKey + "-moment"     // RFC 3339
	Revision  = mark.OwnerKey + "-revision"   // of etcd's data
	Version   = mark.OwnerKey + "-version"    // of etcd
	ClusterID = mark.OwnerKey + "-cluster-id" // in hexadecimal digits
	Project   = mark.ProjectKey               // of the stack that wrote it; of objects in buckets only
)

// Whole reports whether all requests were made that make the object.
func (o *Object) Whole() bool { return o.Notes[Sum] != "" && o.Mark != nil && o.Mark.Applied != "" }

// Skew is by how much the clock of a machine and that of a store may differ.
const Skew = 15 * time.Minute

// At is the moment that it is of, which is never after it was written.
func (o *Object) At() time.Time {
	at, ok := o.Noted()
	if !ok || at.After(o.Written.Add(Skew)) {
		return o.Written
	}
	return at
}

// Noted is the moment that whoever wrote it says it is of.
func (o *Object) Noted() (at time.Time, ok bool) {
	at, err := time.Parse(time.RFC3339, o.Notes[Moment])
	return at, err == nil
}

// Number is a note that is one; 0 for any other.
func (o *Object) Number(note string) int64 {
	n, _ := strconv.ParseInt(o.Notes[note], 10, 64)
	return n
}

// ID is what a container and a name are together.
func (o *Object) ID() string { return o.Container + "/" + o.Name }

// Split is the container and the name in an object's ID.
func Split(id string) (container, name string) {
	rest, is := strings.CutPrefix(id, scheme)
	container, name, _ = strings.Cut(rest, "/")
	if is {
		container = Bucket(container)
	}
	return container, name
}
