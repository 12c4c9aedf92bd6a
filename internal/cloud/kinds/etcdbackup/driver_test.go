package etcdbackup

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/s3"
	members "github.com/stackreeve/stackreeve/internal/standin/etcd"
	simulator "github.com/stackreeve/stackreeve/internal/standin/s3"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// bench has a driver, a member of etcd and a bucket, but no engine, so that each test chooses the order of requests.
type bench struct {
	t *testing.T
	driver
	bucket *simulator.World
	want   want
}

func newBench(t *testing.T) *bench {
	t.Helper()
	bucket := simulator.New("key", "backups")
	server := httptest.NewServer(bucket)
	t.Cleanup(server.Close)
	with := defaults.Defaults{S3: &defaults.S3{Endpoint: server.URL, Buckets: []string{"backups"}}}
	with.Keys.S3 = func() (s3.Keys, error) { return s3.Keys{ID: "key", Secret: "hunter2"}, nil }
	member := members.New(func(address string) *members.Machine {
		if address != "10.0.0.1" {
			return nil
		}
		return &members.Machine{Disk: "a"}
	})
	member.Start("10.0.0.1")
	member.Fill("all the keys and values")
	network := member.Network()
	t.Cleanup(network.Close)
	d := driver{store: etcdstore.New(&cloud.Client{ProjectID: "p"}, with), etcd: etcd.Client{Machines: outbound.Machines{Through: network.Dial, Within: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}}}, now: time.Now, failures: &failures{}}
	key := manifest.Key{Kind: Name, Namespace: "default", Name: "hourly"}
	spec := &Spec{EtcdEndpoints: []string{"http://10.0.0.1:2379"}, StorageType: "S3", S3: &etcdstore.S3{Path: "backups"}, BackupPolicy: &Policy{Interval: 3600, MaxBackups: 5}}
	return &bench{t, d, bucket, want{Want: kind.Want{Key: key, Mark: kind.Mark{Owner: ownertext.Of("shop", key), Applied: "new"}}, Spec: spec}}
}

// put adds a snapshot of the given age. The snapshot is half-made if applied is "".
func (b *bench) put(ago time.Duration, data, applied string) item {
	b.t.Helper()
	at := time.Now().Add(-ago)
	return b.write(etcdstore.SnapshotName(etcdstore.Series("shop", b.want.Key), at, 1), at, data, applied)
}

func (b *bench) write(name string, at time.Time, data, applied string) item {
	b.t.Helper()
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

// finish marks an object as complete.
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

// have returns a series as a list shows it, with the newest item first.
func have(items ...item) typed.Live[series] { return live(items, failure{}) }

// A half-made object in a list may belong to another process, which may have completed it since the list was read.
func TestAttackHalfMadeWhenItWasListed(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	for name, c := range map[string]struct {
		since func(b *bench, half item)
		stays bool
	}{
		"as it was":    {func(*bench, item) {}, false},
		"gone":         {func(b *bench, half item) { b.remove(half) }, false},
		"made whole":   {func(b *bench, half item) { b.finish(half, b.want.Mark, time.Now()) }, true},
		"another one":  {func(b *bench, half item) { b.remove(half); b.write(half.Name, time.Now(), "other data", "") }, true},
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
			b.now = func() time.Time { return time.Now().Add(2 * time.Hour) } // a time at which half-made snapshots are removed
			err := b.Update(t.Context(), b.want, have(items...), []kind.Change{{Field: itemsField + "[" + half.Name + "]"}})
			if stays := slices.Contains(b.bucket.Keys("backups"), half.Name); stays != c.stays || (err != nil) != (name == "out of reach") {
				t.Errorf("%s, alone %v: it stays: %v, %v", name, alone, stays, err)
			}
		}
	}
}

// failing returns a function that makes the store refuse requests with this method whose paths end in end.
func failing(method, end string) func(r *http.Request) (int, string) {
	return func(r *http.Request) (int, string) {
		if r.Method == method && strings.HasSuffix(r.URL.Path, end) {
			return http.StatusForbidden, ""
		}
		return 0, ""
	}
}

// listed returns all current objects of the bucket, the newest first.
func (b *bench) listed() (items []item) {
	b.t.Helper()
	for _, name := range b.bucket.Keys("backups") {
		items = append(items, b.head(name))
	}
	slices.SortFunc(items, newestFirst)
	return items
}

// refusing makes the store refuse to write the marks of some objects. puts are the objects that the agent tries to
// write.
func (b *bench) refusing(status int, code string, these ...item) (puts *[]string) {
	puts = new([]string)
	var mu sync.Mutex
	b.bucket.Fail = func(r *http.Request) (int, string) {
		if r.Method != http.MethodPut {
			return 0, ""
		}
		mu.Lock()
		defer mu.Unlock()
		name := strings.TrimPrefix(r.URL.Path, "/backups/")
		*puts = append(*puts, name)
		if slices.ContainsFunc(these, func(i item) bool { return i.Name == name }) {
			return status, code
		}
		return 0, ""
	}
	return puts
}

// If a mark cannot be written, backups continue, and the other marks are written. For example, a lifecycle rule may have
// moved an object to an archive.
func TestAttackAMarkThatCannotBeWritten(t *testing.T) {
	asked := []kind.Change{{Field: kind.MarkField}, {Field: itemsField}}
	for name, c := range map[string]struct {
		newest  time.Duration
		changes []kind.Change
		takes   int
	}{
		"due by time": {2 * time.Hour, asked[:1], 1},
		"asked for":   {2 * time.Hour, asked, 1},
		"not due":     {time.Minute, asked[:1], 0},
	} {
		b := newBench(t)
		older := b.put(10*time.Hour, "data", "old")
		stuck := b.put(9*time.Hour, "data", "old")
		newest := b.put(c.newest, "data", "old")
		puts := b.refusing(http.StatusForbidden, "InvalidObjectState", stuck)
		for try := range 3 { // each try follows a new list
			items, changes := b.listed(), c.changes
			if try > 0 {
				changes = changes[:1] // nothing is due any more
			}
			err := b.Update(t.Context(), b.want, have(items...), changes)
			if !errors.Is(err, kind.ErrRejected) || !strings.Contains(err.Error(), stuck.Name) {
				t.Errorf("%s: try %d: %v", name, try, err)
			}
		}
		if got := len(b.bucket.Keys("backups")) - 3; got != c.takes {
			t.Errorf("%s: %d snapshots were taken", name, got)
		}
		if got := *puts; c.takes == 1 && slices.Contains([]string{newest.Name, stuck.Name, older.Name}, got[0]) {
			t.Errorf("%s: a mark is written before the snapshot: %q", name, got)
		} else if at := slices.Index(got, newest.Name); at < 0 || !slices.Equal(got[at:at+3], []string{newest.Name, stuck.Name, older.Name}) {
			t.Errorf("%s: marks are not written from the newest on: %q", name, got)
		}
		for _, i := range []item{older, newest} {
			if got := b.head(i.Name).Mark.Applied; got != "new" {
				t.Errorf("%s: the mark of %s says %s", name, i.Name, got)
			}
		}
	}
}

// The agent connects to members at addresses of the manifest only if they are in networks that the configuration lists.
// If it lists none, they must be in subnets of the stack.
func TestAttackEndpointsOfSomebodyElse(t *testing.T) {
	b := newBench(t)
	networks := func(list ...string) (all []netip.Prefix) {
		for _, text := range list {
			all = append(all, netip.MustParsePrefix(text))
		}
		return all
	}
	at := []netip.AddrPort{netip.MustParseAddrPort("10.0.0.1:2379")}
	for name, c := range map[string]struct {
		subnets []string
		asked   bool
	}{
		"no subnet":               {nil, false},
		"a subnet of the stack":   {[]string{"10.0.1.0/24", "10.0.0.0/24"}, true},
		"other ones":              {[]string{"10.0.1.0/24"}, false},
		"one of which is unknown": {[]string{""}, false},
	} {
		if err := inSubnets(c.subnets, at); (err == nil) != c.asked {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		within []netip.Prefix
		taken  bool
	}{"nothing is said": {nil, false}, "in a network": {networks("10.0.0.0/24"), true}, "in none": {networks("10.0.1.0/24"), false}} {
		d := b.driver
		d.etcd.Machines.Within = c.within
		if _, err := d.Create(t.Context(), b.want); (err == nil) != c.taken {
			t.Errorf("%s: %v", name, err)
		}
	}
	problems := func(endpoint string) int {
		var r kind.Report
		spec := *b.want.Spec
		spec.EtcdEndpoints = []string{endpoint}
		rules{within: networks("10.0.0.0/24")}.Validate(&spec, &r)
		return len(r.Problems(&manifest.Object{}))
	}
	if in, out := problems("http://10.0.0.9:2379"), problems("http://10.0.1.9:2379"); out != in+1 {
		t.Errorf("%d problems within the networks, and %d outside", in, out)
	}
}

// Marks are also written if no snapshot can be taken. If the store refuses all of them, the agent stops after some.
func TestMarksWithoutMembersOrAStore(t *testing.T) {
	b := newBench(t)
	only := b.put(2*time.Hour, "data", "old")
	away := b.want
	spec := *away.Spec
	spec.EtcdEndpoints = []string{"http://10.0.0.9:2379"}
	away.Spec = &spec
	err := b.Update(t.Context(), away, have(only), []kind.Change{{Field: kind.MarkField}})
	if got := b.head(only.Name).Mark.Applied; got != "new" || err == nil || b.failures.failureOf(away.Mark.Owner).times != 1 {
		t.Errorf("the mark says %s, %v", got, err)
	}
	b = newBench(t)
	var all []item
	for n := range 15 {
		all = append(all, b.put(time.Duration(n+1)*time.Minute, "data", "old"))
	}
	puts := b.refusing(http.StatusServiceUnavailable, "", all...)
	if err := b.Update(t.Context(), b.want, have(all...), []kind.Change{{Field: kind.MarkField}}); err == nil || !strings.Contains(err.Error(), "were not written") {
		t.Errorf("%d: %v", len(*puts), err)
	}
}
