package etcdstore

import (
	"fmt"
	"iter"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// moments is the format of the time in names of objects. The name of a snapshot is STACK/NAMESPACE/NAME/20260601T030000Z-4711.db. It
// contains the name of its EtcdBackup, its time, and the revision of etcd's data.
const moments = "20060102T150405Z"

var snapshotName = pattern.Of(`^[^/]+/[^/]+/[^/]+/[0-9]{8}T[0-9]{6}Z-[0-9]{1,19}\.db$`)

// Folder is the prefix of the names of all objects of a stack.
func Folder(stack string) string { return stack + "/" }

// Series is the prefix of the names of an object's snapshots.
func Series(stack string, key manifest.Key) string {
	return Folder(stack) + namespace(key) + "/" + key.Name + "/"
}

// SnapshotName is the name of a snapshot.
func SnapshotName(series string, at time.Time, revision int64) string {
	return fmt.Sprintf("%s%s-%d.db", series, at.UTC().Format(moments), revision)
}

// IsSnapshot reports whether a name has the form of a snapshot's name. A name with .. in it would be the address of another object.
func IsSnapshot(name string) bool {
	return snapshotName.MatchString(name) && path.Clean(name) == name
}

func namespace(key manifest.Key) string {
	if key.Namespace == "" {
		return "default"
	}
	return key.Namespace
}

// ShortName is the last part of a name.
func ShortName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// members is how many numbers the members of a cluster can have, including former members. At one time, a cluster has at most nine
// members.
const members = 16

// MemberName is the name of a cluster's member, of its machine and of its port.
func MemberName(cluster string, number int) string { return cluster + "-" + strconv.Itoa(number) }

// MemberNames are the names that members of a cluster can have.
func MemberNames(cluster string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := 0; n < members && yield(MemberName(cluster, n)); n++ {
		}
	}
}

// Tags on the ports of a cluster's members. BegunTag says that there was a member, restoredTag with which snapshot the cluster started.
// (member.Record)
const (
	BegunTag    = ownertext.Prefix + "etcd"
	restoredTag = ownertext.Prefix + "etcd-restore:"
)

// RestoredTag says that a cluster started from a snapshot; the argument of is a digest of the manifest's source.
func RestoredTag(of string) string { return restoredTag + of }

// RestoredFrom returns the digest in a tag of [RestoredTag]. ok is false for other tags.
func RestoredFrom(tag string) (of string, ok bool) { return strings.CutPrefix(tag, restoredTag) }
