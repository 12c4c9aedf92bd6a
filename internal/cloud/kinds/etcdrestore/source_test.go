package etcdrestore

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
)

// Tags of ports contain the digest of the snapshot that a manifest names, so the digest must never change. It covers only the fields
// that are read. Fields of another kind of store do not affect it.
func TestDigest(t *testing.T) {
	swift, s3 := &Swift{Container: "c", Object: "o"}, &etcdstore.S3{Path: "b/o"}
	for name, c := range map[string]struct {
		spec Spec
		want string
	}{
		"a backup":                        {Spec{BackupRef: "x"}, "backup x"},
		"a backup, in Swift":              {Spec{StorageType: "Swift", BackupRef: "x"}, "backup x"},
		"a backup, in S3":                 {Spec{StorageType: "S3", BackupRef: "x"}, "backup x"},
		"a backup in S3, swift left over": {Spec{StorageType: "S3", BackupRef: "x", Swift: swift}, "backup x"},
		"a backup in Swift, s3 left over": {Spec{StorageType: "Swift", BackupRef: "x", S3: s3}, "backup x"},
		"in Swift":                        {Spec{Swift: swift}, "swift c/o"},
		"in Swift, s3 left over":          {Spec{Swift: swift, S3: s3}, "swift c/o"},
		"in S3":                           {Spec{StorageType: "S3", S3: s3}, "s3 b/o"},
		"in S3, swift left over":          {Spec{StorageType: "S3", S3: s3, Swift: swift}, "s3 b/o"},
	} {
		if got := c.spec.digest(); got != checksum.Short(c.want) {
			t.Errorf("%s: it is not that of %q", name, c.want)
		}
	}
}
