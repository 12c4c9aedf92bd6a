package etcdrestore

import (
	"cmp"
	"fmt"
	"path"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Validate implements [typed.Kind].
func (x rules) Validate(s *Spec, r *kind.Report) {
	const where = "set backupRef, the name of an EtcdBackup of the stack, or swift: {container, object}, or backupStorageType: S3 and s3: {path}"
	switch in := s.storageType(); {
	case in == "S3" && s.S3 == nil && s.BackupRef == "":
		r.Problem("spec.s3", "is missing", where)
	case in == "S3" && s.S3 != nil && s.BackupRef != "":
		r.Problem("spec.backupRef", "is given together with s3", "keep one of them")
	case in == "S3" && s.S3 != nil:
		s.S3.Check(x.s3, r)
	case in == "S3":
	case in != "Swift":
		r.Problem("spec.backupStorageType", "is "+in+", and snapshots are read from Swift and S3 only", "copy the snapshot to Swift with its SHA-256 digest as metadata stackreeve-sha256, set backupStorageType: Swift, and name it in swift: {container, object}")
	case s.Swift == nil && s.BackupRef == "":
		r.Problem("spec.swift", "is missing", where)
	case s.Swift != nil && s.BackupRef != "":
		r.Problem("spec.backupRef", "is given together with swift", "keep one of them")
	}
	for field, name := range s.objects() {
		if name == "" || path.Clean("/"+name) == "/"+name {
			continue
		}
		r.Problem(field, "is not a possible name of an object: it has empty parts, or . or .. in it", "copy the name from a list of the container")
	}
	for _, other := range []struct {
		name  string
		given bool
	}{{"swift", s.Swift != nil && s.storageType() == "S3"}, {"s3", s.S3 != nil && s.storageType() == "Swift"}, {"abs", s.ABS != nil}, {"gcs", s.GCS != nil}, {"oss", s.OSS != nil}} {
		if other.given && (s.storageType() == "Swift" || s.storageType() == "S3") {
			r.Note("spec."+other.name, "has no meaning for "+s.storageType())
		}
	}
}

// storageType returns the kind of store that the manifest names.
func (s *Spec) storageType() string { return cmp.Or(s.StorageType, "Swift") }

// objects returns the names of objects in the manifest, by field.
func (s *Spec) objects() map[string]string {
	all := map[string]string{}
	if s.Swift != nil {
		all["spec.swift.object"] = s.Swift.Object
	}
	if s.S3 != nil {
		all["spec.s3.path"] = s.S3.Object()
	}
	return all
}

// source is the field of the manifest that selects the snapshot.
type source int

const (
	fromBackup source = iota // backupRef
	fromS3                   // s3
	fromSwift                // swift
)

// source returns the field that selects the snapshot. Fields for the other kind of store have no effect.
func (s *Spec) source() source {
	switch in := s.storageType(); {
	case in == "S3" && s.S3 != nil:
		return fromS3
	case in != "S3" && s.Swift != nil:
		return fromSwift
	}
	return fromBackup
}

// digest returns a short digest of the snapshot that the manifest names. Tags of ports contain it, so the texts that it is computed
// from must never change.
func (s *Spec) digest() string {
	switch s.source() {
	case fromS3:
		return checksum.Short("s3 " + s.S3.Path)
	case fromSwift:
		return checksum.Short("swift " + s.Swift.Container + "/" + s.Swift.Object)
	default:
		return checksum.Short("backup " + s.BackupRef)
	}
}

// Diff implements [typed.Kind]. A restore that was already carried out shows no difference.
func (rules) Diff(w want, have *State, c *kind.Changes) {
	cluster := w.Spec.EtcdCluster.Name
	switch {
	case have.restored != "" && have.restored != w.Spec.digest():
		c.Note("spec", "was changed after the restore was complete, which has no effect: only a cluster with another name can start from another snapshot")
	case have.restored == "" && !have.begun && have.source != nil:
		c.Add(kind.Change{Field: beginsField, Have: "", Want: fmt.Sprintf("%s starts from the snapshot %s", cluster, described(have.source))})
	}
	if len(have.untagged) > 0 {
		c.Add(kind.Change{Field: "record", Have: "", Want: "started from a snapshot"})
	}
}

// beginsField is the field at which a plan shows the snapshot that a cluster begins with.
const beginsField = "spec.etcdCluster.name"

// described returns the snapshot as a text for people, with its project if the metadata contain it.
func described(o *etcdstore.Object) string {
	text := fmt.Sprintf("%s of %s, revision %d, %d bytes", printable.Line(o.ID()), o.At().UTC().Format(time.RFC3339), o.Number(etcdstore.Revision), o.Size)
	if project := o.Notes[etcdstore.Project]; project != "" {
		text += ", written by project " + printable.Name(printable.Clip(project, 64))
	}
	return text
}

// shown is the status of a restore. The first two fields are etcd-operator's. (v1beta2: RestoreStatus)
type shown struct {
	Succeeded bool   `json:"succeeded"`
	Reason    string `json:"reason,omitempty"`
	Object    string `json:"object,omitempty"`
	At        string `json:"at,omitempty"`
	Revision  int64  `json:"revision,omitempty"`
	Size      int64  `json:"size,omitempty"`
}

// Status implements [typed.Kind].
func (rules) Status(have *State) any {
	out := shown{Succeeded: have.restored != "" && have.begun}
	switch {
	case out.Succeeded:
		return out
	case have.begun:
		out.Reason = "the cluster was started without the snapshot"
	case have.restored != "":
		out.Reason = "the cluster is starting"
	default:
		out.Reason = have.trouble
	}
	if o := have.source; o != nil && !have.begun {
		out.Object, out.At, out.Revision, out.Size = printable.Line(o.ID()), o.At().UTC().Format(time.RFC3339), o.Number(etcdstore.Revision), o.Size
	}
	return out
}
