package etcdbackup_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/s3"
	simulator "github.com/stackreeve/stackreeve/internal/standin/s3"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const bucket = "backups"

var inBucket = strings.Replace(object, "storageType: Swift\n  swift: {container: backups}", "storageType: S3\n  s3: {path: backups, forcePathStyle: true}", 1)

// beside starts an S3 store beside the cloud. It returns the store, and the kinds of a stack whose configuration names
// it.
func beside(t *testing.T) (*simulator.World, kindtest.Kinds) {
	t.Helper()
	w := simulator.New("key", bucket, "others")
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	return w, func(c *cloud.Client, d defaults.Defaults) []*kind.Kind {
		d.S3 = &defaults.S3{Endpoint: server.URL, Buckets: []string{bucket, "others"}}
		d.Keys.S3 = func() (s3.Keys, error) { return s3.Keys{ID: "key", Secret: "hunter2"}, nil }
		return kinds(c, d)
	}
}

func TestLawsOfABucket(t *testing.T) {
	_, machines := members(t)
	_, kinds := beside(t)
	kindtest.Suite{
		Kinds: kinds, Needs: needs, Object: inBucket, Key: key, Machines: machines, Partial: true,
		Edits:     []kindtest.Edit{{Field: kind.MarkField, Old: "3600", New: "7200"}},
		Unadopted: "what people copy there by hand is no part of a series",
	}.Run(t)
}

// bucketed returns the store of beside, and a stack that writes its backups to it.
func bucketed(t *testing.T) (*simulator.World, *kindtest.Target) {
	t.Helper()
	w, kinds := beside(t)
	g := kindtest.NewTarget(t, kinds)
	_, g.Machines = members(t)
	return w, g
}

// Objects that others write to the bucket do not belong to a series, even if they are copies of snapshots with all their
// metadata. The agent does not change them.
func TestAttackForgedInABucket(t *testing.T) {
	w, g := bucketed(t)
	g.MustSync(inBucket)
	mine := w.Keys(bucket)[0]
	for _, c := range []struct {
		key    string
		change map[string]string
	}{
		{strings.Replace(mine, "/hourly/20", "/hourly/19", 1), nil},
		{strings.Replace(mine, "/default/", "/default/../", 1), map[string]string{"stackreeve-self": ""}},
		{"people/" + mine, nil},
		{strings.Replace(mine, "/hourly/20", "/hourly/18", 1), map[string]string{"stackreeve": "nobody"}},
	} {
		w.Copy(bucket, mine, c.key, c.change)
	}
	before := w.Keys(bucket)
	t.Cleanup(func() { w.Empty(bucket) })
	once := strings.Replace(inBucket, "maxBackups: 2", "maxBackups: 1", 1)
	g.Sync(once)
	g.Sync("")
	for _, key := range before {
		if key != mine && !slices.Contains(w.Keys(bucket), key) {
			t.Errorf("%s, which is not its own, is gone", key)
		}
	}
}

// A stack of the same name in another cloud may write its snapshots to the same bucket. Neither stack removes snapshots
// of the other.
func TestANamesakeInTheSameBucket(t *testing.T) {
	w, g := bucketed(t)
	g.MustSync(inBucket)
	other := w.Keys(bucket)[0]
	w.Copy(bucket, other, other, map[string]string{"stackreeve-project": "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"})
	t.Cleanup(func() { w.Empty(bucket) })
	world, machines := members(t) // fill the cluster, because names differ only by the second and the revision
	world.Fill("all the keys and values, and more")
	g.Machines = machines
	g.MustSync(strings.Replace(inBucket, "maxBackups: 2", "maxBackups: 1", 1))
	if got := w.Keys(bucket); len(got) != 2 {
		t.Errorf("with one of its own there are %q", got)
	}
	g.MustSync("")
	if got := w.Keys(bucket); len(got) != 1 || got[0] != other {
		t.Errorf("in the end there are %q, want %s", got, other)
	}
}

// A manifest is refused if it names no bucket, or a bucket or store that the configuration does not name.
func TestABucketThatIsNotNamed(t *testing.T) {
	for field, c := range map[string]struct{ path, want string }{
		"path":     {"s3: {path: elsewhere}", "spec.s3.path"},
		"endpoint": {"s3: {path: backups, endpoint: \"https://s3.example.org\"}", "spec.s3.endpoint"},
		"nothing":  {"", "spec.s3"},
	} {
		_, g := bucketed(t)
		_, err := g.TryResolve(strings.Replace(inBucket, "s3: {path: backups, forcePathStyle: true}", c.path, 1))
		if !kindtest.Refuses(err, c.want) {
			t.Errorf("%s: %v", field, err)
		}
	}
	g := kindtest.NewTarget(t, kinds)
	if _, err := g.TryResolve(inBucket); err == nil || !strings.Contains(err.Error(), "spec.defaults.s3") {
		t.Errorf("without such a store: %v", err)
	}
}

// If a store refuses requests or fails, the pass reports that without the keys of the store. No snapshot is removed or
// taken because of it.
func TestABucketThatFails(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	w, g := bucketed(t)
	g.MustSync(inBucket)
	fail := func(method string, status int, code string) {
		w.Fail = func(r *http.Request) (int, string) {
			if r.Method == method {
				return status, code
			}
			return 0, ""
		}
	}
	for _, c := range []struct {
		method string
		status int
		code   string
		want   string
	}{
		{http.MethodGet, http.StatusForbidden, "AccessDenied", "spec.defaults.s3.credentialsFile"},
		{http.MethodGet, http.StatusServiceUnavailable, "SlowDown", "503 SlowDown"},
		{http.MethodHead, http.StatusInternalServerError, "", "500"},
	} {
		fail(c.method, c.status, c.code)
		pass := g.Sync(inBucket)
		said := ""
		for _, f := range pass.Failures {
			said += f.Reason() + "\n"
		}
		for _, step := range pass.Last.Steps {
			said += step.ShortCause() + "\n"
		}
		if pass.Outcome() == plan.InSync || !strings.Contains(said, c.want) || strings.Contains(said, "hunter2") {
			t.Errorf("%s %d: %s: %q", c.method, c.status, pass.Outcome(), said)
		}
	}
	w.Fail = nil
	if got := w.Keys(bucket); len(got) != 1 {
		t.Errorf("%q are there", got)
	}
	if p := g.Plan(inBucket); !p.InSync() {
		t.Errorf("after that: %s", p.Summary())
	}
}

// A missing bucket counts as empty and is not created, so no snapshot can be stored.
func TestABucketThatIsNotThere(t *testing.T) {
	elsewhere := strings.Replace(inBucket, "path: backups", "path: others", 1)
	store, kinds := beside(t)
	store.Drop("others")
	g := kindtest.NewTarget(t, kinds)
	_, g.Machines = members(t)
	pass := g.Sync(elsewhere)
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "bucket others;") {
		t.Errorf("%v", pass.Failures)
	}
}

// A real Swift stores exactly the snapshot that its S3 API receives, shows its digest, and deletes it in the end.
func TestSnapshotsInARealStore(t *testing.T) {
	keeper := kindtest.NewTarget(t, kinds)
	if keeper.Simulator != nil {
		t.Skip("the others judge the simulated one")
	}
	endpoint, keys := kindtest.S3(t, keeper.Client(nil)) // the keys must exist longer than the objects that need them
	g := kindtest.NewTarget(t, func(c *cloud.Client, d defaults.Defaults) []*kind.Kind {
		d.S3 = &defaults.S3{Endpoint: endpoint, Buckets: []string{d.Network}}
		d.Keys.S3 = func() (s3.Keys, error) { return keys, nil }
		return kinds(c, d)
	})
	world, machines := members(t)
	g.Machines, g.Defaults.Network = machines, "bucket-"+g.Stack // the stack's own
	container := "apiVersion: stackreeve.dev/v1alpha1\nkind: SwiftContainer\nmetadata: {name: bucket}\nspec: {resource: {name: bucket-" + g.Stack + "}}\n---\n"
	g.MustSync(container)
	own := strings.Replace(inBucket, "path: backups", "path: bucket-"+g.Stack, 1)
	world.Fill(strings.Repeat("all the keys and values", 1<<17))
	pass := g.MustSync(container + own)
	if p := g.Plan(container + own); !p.InSync() || len(pass.Results) != 1 {
		t.Errorf("%v, and then %s", pass.Results, p.Summary())
	}
	of, _ := url.Parse(endpoint)
	store := s3.Client{Endpoint: of, Region: "us-east-1", Keys: func() (s3.Keys, error) { return keys, nil }, Way: outbound.New(outbound.Config{Home: []string{of.Hostname()}})}
	n := 0
	err := store.List(t.Context(), "bucket-"+g.Stack, "", func(name string) error {
		n++
		o, err := store.Head(t.Context(), "bucket-"+g.Stack, name)
		if err != nil {
			return err
		}
		hash := sha256.New()
		for from := int64(0); from < o.Size; from += 1 << 20 {
			part, err := store.Part(t.Context(), "bucket-"+g.Stack, name, o.ETag, from, min(from+1<<20, o.Size)-1)
			if err != nil {
				return err
			}
			hash.Write(part)
		}
		if sum := hex.EncodeToString(hash.Sum(nil)); sum != o.Meta["stackreeve-sha256"] || o.Size < 3_000_000 {
			t.Errorf("%s of %d bytes is %s, and says %v", name, o.Size, sum, o.Meta)
		}
		return nil
	})
	if err != nil || n != 1 {
		t.Errorf("%d snapshots: %v", n, err)
	}
	g.MustSync(container)
	if err := store.List(t.Context(), "bucket-"+g.Stack, "", func(name string) error { t.Errorf("%s is left", name); return nil }); err != nil {
		t.Error(err)
	}
}
