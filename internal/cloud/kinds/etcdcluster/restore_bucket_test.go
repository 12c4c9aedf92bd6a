package etcdcluster_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/s3"
	simulator "github.com/stackreeve/stackreeve/internal/standin/s3"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// inBucket has manifests that use an S3 store instead of Swift. The first one is as etcd-operator publishes it.
const inBucket = `
---
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdBackup
metadata: {name: kv-once}
spec: {clusterRef: kv, storageType: S3, s3: {path: backups/etcd.backup, awsSecret: aws}}
`

// A cluster that has lost everything starts from a snapshot in a bucket. The restore selects the newest snapshot of a
// series, the newest of the bucket, or one by its name.
func TestEverythingIsLostAndRestoredFromABucket(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	for name, source := range map[string]string{"series": "backupRef: kv-once", "bucket": "s3: {path: backups}", "object": "s3: {path: backups/NAME}"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			store := simulator.New("key", "backups")
			server := httptest.NewServer(store)
			t.Cleanup(server.Close)
			w.Defaults.S3 = &defaults.S3{Endpoint: server.URL, Buckets: []string{"backups"}}
			w.Defaults.Keys.S3 = func() (s3.Keys, error) { return s3.Keys{ID: "key", Secret: "hunter2"}, nil }
			w.MustSync(sized(3))
			w.Fill(keys)
			w.MustSync(sized(3) + inBucket)
			there := store.Keys("backups")
			if len(there) != 1 || !strings.HasPrefix(there[0], w.Stack+"/default/kv-once/") {
				t.Fatalf("%q", there)
			}
			w.forget()
			restore := strings.Replace(restoreOf(strings.Replace(source, "NAME", there[0], 1)), "backupStorageType: Swift", "backupStorageType: S3", 1)
			if _, step := w.restore(w.Plan(sized(3) + shelf + restore)); !strings.Contains(begins(step), "s3://backups/"+there[0]) {
				t.Errorf("the plan says %q", begins(step))
			}
			w.MustSync(sized(3) + shelf + restore)
			w.restored(3)
		})
	}
}
