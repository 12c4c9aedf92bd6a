package etcdstore

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// S3 says where a manifest has its snapshots in the S3 store of the stack's configuration.
// (coreos/etcd-operator, pkg/apis/etcd/v1beta2/backup_types.go: S3BackupSource)
type S3 struct {
	Path           string `json:"path" rule:"required,min=1,max=1100" doc:"BUCKET, or BUCKET/NAME to restore one snapshot. The stack's configuration must name the bucket." example:"backups"`
	AWSSecret      string `json:"awsSecret,omitempty" doc:"Has no effect, and a plan notes it. The stack's configuration has the keys."`
	Endpoint       string `json:"endpoint,omitempty" doc:"Address of the store. If given, it must be the address in the stack's configuration."`
	ForcePathStyle bool   `json:"forcePathStyle,omitempty" doc:"Has no effect, because requests always have the bucket in the path."`
}

// Container is the bucket.
func (s *S3) Container() string {
	bucket, _, _ := strings.Cut(s.Path, "/")
	return Bucket(bucket)
}

// Object is the part after the bucket; "" if there is none.
func (s *S3) Object() string {
	_, name, _ := strings.Cut(s.Path, "/")
	return name
}

// Check reports mistakes in spec.s3. configured is the store in the stack's configuration; it is nil if there is none.
func (s *S3) Check(configured *defaults.S3, r *kind.Report) {
	const field = "spec.s3"
	switch bucket, _, _ := strings.Cut(s.Path, "/"); {
	case configured == nil:
		r.Problem(field, "is given, but the stack's configuration names no such store", "set spec.defaults.s3 in the configuration of the stack: endpoint, buckets, credentialsFile; or keep snapshots in Swift")
		return
	case !slices.Contains(configured.Buckets, bucket):
		r.Problem(field+".path", "is in a bucket that the stack's configuration does not name", "write one of "+strings.Join(configured.Buckets, ", ")+", or ask the operator to add the bucket to spec.defaults.s3.buckets")
	case s.Endpoint != "" && strings.TrimSuffix(s.Endpoint, "/") != strings.TrimSuffix(configured.Endpoint, "/"):
		r.Problem(field+".endpoint", "is a different store than in the stack's configuration", "remove it, or ask the operator to change spec.defaults.s3.endpoint")
	}
	if s.AWSSecret != "" {
		r.Note(field+".awsSecret", "has no effect: the stack's configuration has the keys (spec.defaults.s3.credentialsFile)")
	}
}

// SayingSum is the command with which a person records the SHA-256 digest of an object.
func SayingSum(container, name string) string {
	if bucket, is := strings.CutPrefix(container, scheme); is {
		return "aws s3api copy-object --metadata-directive REPLACE --metadata stackreeve-sha256=DIGEST --copy-source " + printable.Word(bucket+"/"+name) + " --bucket " + bucket + " --key " + printable.Word(name)
	}
	return "openstack object set --property stackreeve-sha256=DIGEST " + printable.Word(container) + " " + printable.Word(name)
}
