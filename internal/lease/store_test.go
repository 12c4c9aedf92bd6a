package lease

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/kubernetes"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/outbound"
	simulated "github.com/stackreeve/stackreeve/internal/standin/kubernetes"
)

// TestStores checks that every program that can store leases behaves as the agents need it.
func TestStores(t *testing.T) {
	onEach(t, func(t *testing.T, k keys) { judgeStores(t, k.store(t, k), k.store(t, k)) })
}

// TestRealStores does the same on a real etcd ($STACKREEVE_TEST_ETCD_URL, see .ci/etcd), and on a real API server of Kubernetes.
// $STACKREEVE_TEST_KUBERNETES is the folder that .ci/kubernetes describes.
func TestRealStores(t *testing.T) {
	at, folder := os.Getenv("STACKREEVE_TEST_ETCD_URL"), os.Getenv("STACKREEVE_TEST_KUBERNETES")
	if at == "" && folder == "" {
		t.Skip("run .ci/etcd and .ci/kubernetes")
	}
	if at != "" {
		cluster, err := etcd.NewEndpoints([]string{at}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("etcd", func(t *testing.T) { judgeStores(t, Etcd{cluster, prefix}, Etcd{cluster, prefix}) })
	}
	if folder != "" {
		t.Run("kubernetes", func(t *testing.T) { judgeStores(t, onRealKubernetes(t, folder), onRealKubernetes(t, folder)) })
	}
}

// onRealKubernetes reads the address of an API server, its certificate and a token from a folder.
func onRealKubernetes(t *testing.T, folder string) Store {
	t.Helper()
	read := func(name string) string {
		text, err := localfile.Read(folder+"/"+name, 1<<16)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	trust, err := outbound.Trusting(folder + "/ca.crt")
	if err != nil {
		t.Fatal(err)
	}
	all, err := kubernetes.NewLeases(read("server"), "stackreeve", trust, func() (string, error) { return read("token"), nil })
	if err != nil {
		t.Fatal(err)
	}
	return &Kubernetes{Leases: all, Group: "test"}
}

// judgeStores has two agents, each with a lease of 3 seconds.
func judgeStores(t *testing.T, a, b Store) {
	ctx, key, long := t.Context(), "stacks/a_B.c-1", strings.Repeat("€\x00\"", 400)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ttl := 3 * time.Second
	granted := func(s Store) ID {
		id, err := s.Grant(ctx, ttl)
		must(err)
		return id
	}
	write := func(s Store, id ID, key, value string, want bool) {
		t.Helper()
		var text []byte
		if value != "" {
			text = []byte(value)
		}
		held, err := s.Write(ctx, id, key, text)
		if must(err); held != want {
			t.Fatalf("%s: held %t", key, held)
		}
	}
	list := func(s Store) map[string]Record {
		t.Helper()
		records, err := s.List(ctx)
		must(err)
		out := map[string]Record{}
		for _, r := range records {
			out[r.Key] = r
		}
		return out
	}
	one, other := granted(a), granted(b)
	renewed := time.Now()
	write(a, one, key, "first", true)
	write(b, other, key, "second", false)
	write(b, other, key, "", true) // no error, like for a key that does not exist
	first := list(b)[key]
	write(a, one, key, long, true)
	if r := list(b)[key]; string(r.Value) != long || r.Lease != one || r.Since != first.Since || r.Since == 0 {
		t.Errorf("b sees %.40q of %d since %d, and %+v before", r.Value, r.Lease, r.Since, first)
	}
	write(b, other, "agents/b", "b", true)
	write(a, one, "agents/a", "a", true)
	write(a, one, "agents/a", "", true)
	if all := list(a); len(all) != 2 || all["agents/b"].Lease != other {
		t.Errorf("a sees %+v", all)
	}
	for tries := 0; len(list(b)) > 1 && tries < 50; tries++ { // the lease of a is not renewed
		must(b.Renew(ctx, other))
		pause(ctx, ttl/10)
	}
	if after := time.Since(renewed); after < ttl-time.Second/2 || after > 3*ttl {
		t.Errorf("what a had was free after %s", after)
	}
	if err := a.Renew(ctx, one); !errors.Is(err, ErrEnded) {
		t.Errorf("a renews what has ended: %v", err)
	}
	write(b, other, key, "second", true)
	must(b.Revoke(ctx, other))
	if all := list(a); len(all) > 0 {
		t.Errorf("left: %+v", all)
	}
	if err := b.Revoke(ctx, other); !errors.Is(err, ErrEnded) {
		t.Errorf("b ends what has ended: %v", err)
	}
}

// TestAttackRenewedAtTheLastMoment renews a lease just before another agent would end it. Either the lease still has its keys after that,
// or its own agent gets the error that it has ended.
func TestAttackRenewedAtTheLastMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := inKubernetes{simulated.NewLeases()}
		between := &beforeDeletes{RoundTripper: k}
		a, b, ctx := k.store(t, k), k.store(t, between), t.Context()
		id, err := a.Grant(ctx, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Write(ctx, id, "stacks/x", []byte("a"))
		all, listed := b.List(ctx)
		time.Sleep(2 * time.Minute)
		between.do = func() { between.do = nil; err = errors.Join(err, a.Renew(ctx, id)) }
		late, listedLate := b.List(ctx)
		if err := errors.Join(err, listed, listedLate); err != nil {
			t.Fatal(err)
		}
		if len(all) != 1 || len(late) != 1 || string(k.Value("stacks/x")) != "a" {
			t.Errorf("keys: %v, then %v", all, late)
		}
		_, err = b.List(ctx) // the list shows that the lease was renewed
		time.Sleep(2 * time.Minute)
		if late, _ = b.List(ctx); err != nil || len(late) > 0 || len(k.Names()) > 0 || !errors.Is(a.Renew(ctx, id), ErrEnded) {
			t.Errorf("what is left of what was not renewed: %v", late)
		}
	})
}

// beforeDeletes is a transport that calls do before each DELETE request.
type beforeDeletes struct {
	http.RoundTripper
	do func()
}

func (b *beforeDeletes) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodDelete && b.do != nil {
		b.do()
	}
	return b.RoundTripper.RoundTrip(req)
}
