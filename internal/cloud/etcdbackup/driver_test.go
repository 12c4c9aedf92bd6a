package etcdbackup

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/s3"
	members "github.com/stackreeve/stackreeve/internal/simulator/etcd"
	simulator "github.com/stackreeve/stackreeve/internal/simulator/s3"
)

// bench is a driver, a member of etcd and a bucket, without an engine: requests come in the order in which a test has them.
type bench struct {
	t *testing.T
	driver
	bucket *simulator.World
	etcd   *members.World
	want   want
}

func newBench(t *testing.T) *bench {
	t.Helper()
	bucket := simulator.New("key", "backups")
	server := httptest.NewServer(bucket)
	t.Cleanup(server.Close)
	with := defaults.Defaults{S3: &defaults.S3{Endpoint: server.URL, Buckets: []string{"backups"}}}
	with.Keys.S3 = func() (s3.Keys, error) { return s3.Keys{ID: "key", Secret: "hunter2"}, nil }
	member := members.New(func(string) *members.Machine { return &members.Machine{Disk: "a"} })
	member.Start("10.0.0.1")
	member.Fill("all the keys and values")
	network := member.Network()
	t.Cleanup(network.Close)
	d := driver{store: etcdstore.New(&cloud.Client{ProjectID: "p"}, with), etcd: etcd.Client{Machines: outbound.Machines{Through: network.Dial}}, now: time.Now, failures: &failures{}}
	key := manifest.Key{Kind: Name, Namespace: "default", Name: "hourly"}
	spec := &Spec{EtcdEndpoints: []string{"http://10.0.0.1:2379"}, StorageType: "S3", S3: &etcdstore.S3{Path: "backups"}, BackupPolicy: &Policy{Interval: 3600, MaxBackups: 5}}
	return &bench{t, d, bucket, member, want{Key: key, Spec: spec, Mark: kind.Mark{Owner: kind.OwnerText("shop", key), Applied: "new"}}}
}

// put has a snapshot of so long ago there, which is half-made where nothing is applied.
func (b *bench) put(ago time.Duration, data, applied string) item {
	b.t.Helper()
	at := time.Now().Add(-ago)
	name := etcdstore.SnapshotName(etcdstore.Series("shop", b.want.Key), at, 1)
	m := kind.Mark{Owner: b.want.Mark.Owner, Applied: applied}
	if err := b.store.Put(b.t.Context(), container(b.want), name, m, nil, io.NopCloser(strings.NewReader(data)), int64(len(data)), time.Minute); err != nil {
		b.t.Fatal(err)
	}
	i := b.head(name)
	if applied != "" {
		b.finish(i, m, at)
	}
	return b.head(name)
}

// finish has an object say that it is whole.
func (b *bench) finish(i item, m kind.Mark, at time.Time) {
	b.t.Helper()
	if err := b.store.Write(b.t.Context(), i, m, map[string]string{etcdstore.Sum: "0a", etcdstore.Moment: text(at)}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) head(name string) item {
	b.t.Helper()
	i, err := b.store.Head(b.t.Context(), container(b.want), name)
	if err != nil {
		b.t.Fatal(err)
	}
	return i
}

func (b *bench) remove(i item) {
	b.t.Helper()
	if err := b.store.Remove(context.WithoutCancel(b.t.Context()), i.Container, i.Name); err != nil {
		b.t.Fatal(err)
	}
}

// have is a series as it was listed, the newest first.
func have(items ...item) kind.Live[*series] { return live(items, failure{}) }

// What was half-made when it was listed may be another process's work, which has ended since.
func TestAttackHalfMadeWhenItWasListed(t *testing.T) {
	for name, c := range map[string]struct {
		since func(b *bench, half item)
		stays bool
	}{
		"as it was":    {func(*bench, item) {}, false},
		"gone":         {func(b *bench, half item) { b.remove(half) }, false},
		"made whole":   {func(b *bench, half item) { b.finish(half, b.want.Mark, time.Now()) }, true},
		"another one":  {func(b *bench, half item) { b.remove(half); b.put(3*time.Hour, "other data", "") }, true},
		"out of reach": {func(b *bench, _ item) { b.bucket.Fail = failing("HEAD", ".db") }, true},
	} {
		for _, alone := range []bool{true, false} {
			b := newBench(t)
			half := b.put(3*time.Hour, "data", "")
			items := []item{half}
			if !alone {
				items = []item{b.put(time.Minute, "data", "new"), half}
			}
			c.since(b, half)
			b.now = func() time.Time { return time.Now().Add(2 * time.Hour) } // long after it was written
			err := b.Update(t.Context(), b.want, have(items...), []kind.Change{{Field: itemsField + "[" + half.Name + "]"}})
			if stays := slices.Contains(b.bucket.Keys("backups"), half.Name); stays != c.stays || (err != nil) != (name == "out of reach") {
				t.Errorf("%s, alone %v: it stays: %v, %v", name, alone, stays, err)
			}
		}
	}
}

// failing has a store refuse some requests.
func failing(method, end string) func(r *http.Request) (int, string) {
	return func(r *http.Request) (int, string) {
		if r.Method == method && strings.HasSuffix(r.URL.Path, end) {
			return http.StatusForbidden, ""
		}
		return 0, ""
	}
}
