package etcdbackup_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/standin/etcd"
)

// shelf is a target with functions to read and change the container as people do.
type shelf struct {
	*kindtest.Target
	t     *testing.T
	c     *cloud.Client
	world *etcd.World
	grown int // how often age has made the cluster's data longer
}

const all = needs + "---" + object

func newShelf(t *testing.T) *shelf {
	t.Helper()
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("takes members that are simulated")
	}
	w, machines := members(t)
	g.Machines = machines
	return &shelf{g, t, g.Client(nil), w, 0}
}

// names returns the names of all objects in the container.
func (s *shelf) names() (names []string) {
	s.t.Helper()
	list, err := cloud.List[struct{ Name string }](s.t.Context(), s.c, cloud.Call{Service: cloud.ObjectStore, Path: "backups"}, "")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, one := range list {
		names = append(names, one.Name)
	}
	return names
}

func (s *shelf) head(name string) http.Header {
	s.t.Helper()
	h, err := s.c.Head(s.t.Context(), cloud.ObjectStore, "backups/"+name)
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func (s *shelf) send(method, name string, headers map[string]string) {
	s.t.Helper()
	if err := s.c.Do(s.t.Context(), cloud.Call{Service: cloud.ObjectStore, Method: method, Path: "backups/" + name, Headers: headers}); err != nil {
		s.t.Fatal(err)
	}
}

func meta(h http.Header) map[string]string {
	out := map[string]string{}
	for name := range h {
		if strings.HasPrefix(name, "X-Object-Meta-") {
			out[name] = h.Get(name)
		}
	}
	return out
}

// age moves the times of all snapshots back by a duration. It also writes to the cluster, so that the next snapshot has
// another revision and another name.
func (s *shelf) age(by time.Duration) {
	s.t.Helper()
	s.grown++
	s.world.Fill("all the keys and values" + strings.Repeat("+", s.grown))
	for _, name := range s.names() {
		if strings.Contains(name, "..") {
			continue // its path has another form
		}
		headers := meta(s.head(name))
		at, err := time.Parse(time.RFC3339, headers["X-Object-Meta-Stackreeve-Moment"])
		if err != nil {
			continue // the object is not a snapshot of the stack
		}
		headers["X-Object-Meta-Stackreeve-Moment"] = at.Add(-by).Format(time.RFC3339)
		s.send(http.MethodPost, name, headers)
	}
}

// A snapshot is taken when it is due, and the oldest one is removed when a newer one exists. Neither counts as drift.
func TestTakenWhenDueAndRemovedWhenOld(t *testing.T) {
	s := newShelf(t)
	s.MustSync(all)
	first := s.names()
	form := regexp.MustCompile(`^` + s.Stack + `/default/hourly/[0-9]{8}T[0-9]{6}Z-[0-9]+\.db$`)
	if len(first) != 1 || !form.MatchString(first[0]) {
		t.Fatalf("there are %q", first)
	}
	data := "all the keys and values"
	inner := sha256.Sum256([]byte(data))
	sum := sha256.Sum256(append([]byte(data), inner[:]...))
	if h := s.head(first[0]); h.Get("X-Object-Meta-Stackreeve-Sha256") != hex.EncodeToString(sum[:]) || h.Get("X-Object-Meta-Stackreeve-Version") != "3.5.35" ||
		h.Get("X-Object-Meta-Stackreeve-Cluster-Id") == "" || h.Get("Content-Length") != "55" {
		t.Errorf("it has %v", h)
	}
	if pass := s.MustSync(all); len(pass.Results) > 0 || len(s.names()) != 1 {
		t.Errorf("a second pass did %v", pass.Results)
	}
	for n := range 4 {
		s.age(90 * time.Minute)
		if p := s.Plan(all); p.Steps[len(p.Steps)-1].Action != plan.Keep {
			t.Errorf("the plan has %v", p.Steps)
		}
		s.MustSync(all) // this pass takes a snapshot
		s.MustSync(all) // if there are too many, this pass removes one
		if got := s.names(); len(got) != min(n+2, 2) || n == 0 && got[0] != first[0] {
			t.Errorf("after %d there are %q", n+1, got)
		}
	}
}

// The agent never changes objects of others, whatever their names are. It does not change copies that have the stack's
// mark either.
func TestAttackObjectsOfOthers(t *testing.T) {
	s := newShelf(t)
	s.MustSync(all)
	name := s.names()[0]
	folder, own := name[:strings.LastIndex(name, "/")+1], meta(s.head(name))
	owner := own["X-Object-Meta-Stackreeve"]
	for form, headers := range map[string]map[string]string{
		folder + "20200101T000000Z-1.db":             {},
		folder + "20200101T000000Z-2.db":             own, // a copy: its mark is that of another object
		folder + "20200101T000000Z-3.db":             {"X-Object-Meta-Stackreeve": strings.Replace(owner, s.Stack, "other", 1), "X-Object-Meta-Stackreeve-Sha256": "x", "X-Object-Meta-Stackreeve-Applied": "x"},
		folder + "20200101T000000Z-4.db":             {"X-Object-Meta-Stackreeve": strings.Replace(owner, "EtcdBackup", "Volume", 1)},
		folder + "notes.txt":                         {"X-Object-Meta-Stackreeve": owner},
		"other/default/hourly/20200101T000000Z-1.db": {"X-Object-Meta-Stackreeve": owner},
		folder + "../20200101T000000Z-5.db":          {},
	} {
		s.send(http.MethodPut, strings.ReplaceAll(form, "..", "%2E%2E"), headers)
	}
	others := len(s.names()) - 1
	for range 4 {
		s.age(0)
		s.Sync(all)
	}
	if got := s.names(); len(got) < others+1 {
		t.Errorf("of %d objects of others there are %q", others, got)
	}
	s.Sync(needs) // the manifest is removed, and all of its snapshots are deleted
	if got := s.names(); len(got) < others {
		t.Errorf("of %d objects of others there are %q", others, got)
	}
	for _, name := range s.names() {
		s.send(http.MethodDelete, strings.ReplaceAll(name, "..", "%2E%2E"), nil)
	}
}

// through makes all members answer requests for snapshots with the handler answer.
func (s *shelf) through(answer http.HandlerFunc) {
	s.t.Helper()
	servers := map[string]string{}
	for _, address := range []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"} {
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/v3/maintenance/snapshot" {
				answer(rw, req)
				return
			}
			s.world.Serve(address, rw, req)
		}))
		s.t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		servers[address+":2379"] = server.Listener.Addr().String()
	}
	s.Machines = outbound.Machines{Within: s.Machines.Within, Through: func(ctx context.Context, network, at string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, servers[at])
	}}
	s.Target = s.Target.Through(func(next http.RoundTripper) http.RoundTripper { return next }) // agents that start after this use it
}

// If a snapshot is incomplete, forged or endless, it is not stored, the failure is reported, and no existing snapshot is
// removed for it.
func TestAttackSnapshots(t *testing.T) {
	const data = "some data that is longer than a digest of 32 bytes"
	whole := httptest.NewRecorder()
	etcd.SendSnapshot(whole, []byte(data), sha256.Sum256([]byte(data)))
	first := whole.Body.String()[:strings.Index(whole.Body.String(), "\n")+1]
	for name, answer := range map[string]http.HandlerFunc{
		"cut": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(rw, first)
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		},
		"without its digest": func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, first) },
		"forged":             func(rw http.ResponseWriter, _ *http.Request) { etcd.SendSnapshot(rw, []byte(data), [32]byte{}) },
		"refused":            func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) },
		"endless": func(rw http.ResponseWriter, req *http.Request) {
			for req.Context().Err() == nil {
				if _, err := io.WriteString(rw, strings.Repeat("A", 64<<10)); err != nil {
					return
				}
			}
		},
		"huge": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(rw, `{"result": {"remaining_bytes": "99999999999", "blob": ""}}`+"\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			s.MustSync(all)
			s.age(90 * time.Minute)
			before := s.names()
			s.through(answer)
			pass := s.Sync(all)
			if got := s.names(); strings.Join(got, " ") != strings.Join(before, " ") {
				t.Errorf("there are %q, and there were %q", got, before)
			}
			text, err := json.Marshal(status.Of(pass.Last, kinds(nil, s.Defaults)))
			waits := strings.Contains(string(text), `"Reason":"`) && strings.Contains(string(text), `"succeeded":false`)
			if err != nil || len(pass.Failures) == 0 && !waits {
				t.Errorf("the pass is %s, with the status %s, %v", pass.Outcome(), text, err)
			}
		})
	}
}

// A new login does not cause an immediate retry of a failed snapshot. A new login happens, for example, after a pass in
// which a list failed.
func TestAttackALoginPerPass(t *testing.T) {
	s := newShelf(t)
	s.Defaults.Memory = &defaults.Memory{}
	s.MustSync(all)
	s.age(90 * time.Minute)
	asked := 0
	s.through(func(rw http.ResponseWriter, _ *http.Request) { asked++; rw.WriteHeader(http.StatusServiceUnavailable) })
	for range 3 {
		s.Engine(s.Target.Client(nil)).Sync(t.Context(), engine.Revision{Commit: "test", Want: s.Resolve(all)})
	}
	if asked != 1 {
		t.Errorf("a snapshot was asked for %d times", asked)
	}
}

// If a commit keeps fewer snapshots, the plan shows the removed ones as a loss, and the brake counts them.
func TestFewerAreALoss(t *testing.T) {
	s := newShelf(t)
	s.MustSync(all)
	s.age(90 * time.Minute)
	s.MustSync(all)
	p := s.Plan(strings.Replace(all, "maxBackups: 2", "maxBackups: 1", 1))
	if step := p.Steps[len(p.Steps)-1]; step.Action != plan.Update || len(step.Changes) == 0 || !strings.Contains(step.Changes[0].Loss+step.Changes[len(step.Changes)-1].Loss, "1 of the 2 snapshots") {
		t.Errorf("the plan has %v %v", step, step.Changes)
	}
}

func TestRefused(t *testing.T) {
	kindtest.NewTarget(t, kinds).RefusesEdits(needs, object, map[string][3]string{
		"ABS":            {"storageType: Swift", "storageType: ABS", "spec.storageType"},
		"no bucket":      {"storageType: Swift", "storageType: S3", "spec.s3"},
		"no container":   {"  swift: {container: backups}\n", "", "spec.swift"},
		"another's":      {"container: backups", "container: elsewhere", "spec.swift.container"},
		"no endpoints":   {"  etcdEndpoints: [\"http://10.0.0.1:2379\", \"http://10.0.0.2:2379\", \"http://10.0.0.3:2379\"]\n", "", "spec.clusterRef"},
		"a name":         {"10.0.0.3", "kv-client", "spec.etcdEndpoints[2]"},
		"TLS in part":    {"http://10.0.0.3", "https://10.0.0.3", "spec.etcdEndpoints"},
		"TLS by nobody":  {`["http://10.0.0.1:2379", "http://10.0.0.2:2379", "http://10.0.0.3:2379"]`, `["https://10.0.0.1:2379"]`, "spec.clientTLSSecret"},
		"no TLS":         {"  onDelete: delete", "  clientTLSSecret: kv", "spec.clientTLSSecret"},
		"another scheme": {"http://10.0.0.3", "unix://10.0.0.3", "spec.etcdEndpoints[2]"},
		"a login":        {"10.0.0.3", "root:pw@10.0.0.3", "spec.etcdEndpoints[2]"},
		"a path":         {"3:2379", "3:2379/v3", "spec.etcdEndpoints[2]"},
		"too often":      {"3600", "59", "spec.backupPolicy.backupIntervalInSecond"},
		"too many":       {"maxBackups: 2", "maxBackups: 1001", "spec.backupPolicy.maxBackups"},
		"too long":       {"timeoutInSecond: 60", "timeoutInSecond: 999999", "spec.backupPolicy.timeoutInSecond"},
		"unknown fields": {"onDelete: delete", "onDelete: delete\n  clusterName: x", "spec.clusterName"},
	})
}
