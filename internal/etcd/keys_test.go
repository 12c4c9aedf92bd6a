package etcd_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/etcd"
	simulated "github.com/stackreeve/stackreeve/internal/standin/etcd"
)

// keysSuite checks the behaviour on which agents depend, for a real etcd and for the simulated one. pass waits
// or advances the clock.
func keysSuite(t *testing.T, e *etcd.Endpoints, pass func(time.Duration)) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	grant := func(ttl time.Duration) int64 {
		t.Helper()
		id, err := e.Grant(ctx, ttl)
		must(err)
		return id
	}
	hold := func(lease int64, key, value string, want bool) {
		t.Helper()
		held, err := e.Hold(ctx, lease, key, []byte(value))
		must(err)
		if held != want {
			t.Errorf("%s: held is %t", key, held)
		}
	}
	a, b := grant(3*time.Second), grant(60*time.Second)
	hold(a, "/suite/stacks/one", "a", true)
	hold(b, "/suite/stacks/one", "b", false)
	hold(a, "/suite/stacks/one", "a again", true)
	hold(b, "/suite/stacks/two", "b", true)
	hold(b, "/suitf", "outside", true)
	list, err := e.List(ctx, "/suite/", 10)
	must(err)
	if len(list) != 2 || list[0].Key != "stacks/one" || string(list[0].Value) != "a again" || list[0].Lease != a || list[1].Lease != b || list[0].Created >= list[1].Created {
		t.Errorf("listed: %+v", list)
	}
	if _, err := e.List(ctx, "/suite/", 1); !errors.Is(err, etcd.ErrTooMany) {
		t.Errorf("a list with a bound of 1: %v", err)
	}
	must(e.Let(ctx, a, "/suite/stacks/two")) // the key has the lease b
	must(e.Renew(ctx, a))
	for range 4 {
		pass(time.Second)
		must(e.Renew(ctx, a))
	}
	if list, _ := e.List(ctx, "/suite/", 10); len(list) != 2 {
		t.Errorf("a lease that is renewed, and a key that another lease has: %+v", list)
	}
	for end := 0; ; end++ { // etcd ends leases a little later
		list, err := e.List(ctx, "/suite/", 10)
		must(err)
		if len(list) == 1 && list[0].Key == "stacks/two" {
			break
		}
		if end > 20 {
			t.Fatalf("a lease that is not renewed still has its key: %+v", list)
		}
		pass(time.Second)
	}
	if err := e.Renew(ctx, a); !errors.Is(err, etcd.ErrNoLease) {
		t.Errorf("a lease that has ended is renewed: %v", err)
	}
	if _, err := e.Hold(ctx, a, "/suite/stacks/one", nil); !errors.Is(err, etcd.ErrNoLease) {
		t.Errorf("a lease that has ended holds a key: %v", err)
	}
	hold(b, "/suite/stacks/one", "b", true)
	must(e.Let(ctx, b, "/suite/stacks/one"))
	must(e.Revoke(ctx, b))
	if list, _ := e.List(ctx, "/suite/", 10); len(list) != 0 {
		t.Errorf("keys of a revoked lease: %+v", list)
	}
	if err := e.Revoke(ctx, b); !errors.Is(err, etcd.ErrNoLease) {
		t.Errorf("revoked twice: %v", err)
	}
}

func TestKeysOfTheSimulator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := etcd.NewEndpoints([]string{"http://127.0.0.1:2379"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		keysSuite(t, e.Through(simulated.NewKeys()), time.Sleep)
	})
}

// TestKeysOfARealEtcd runs the suite on the etcd at the address in an environment variable.
func TestKeysOfARealEtcd(t *testing.T) {
	address := os.Getenv("STACKREEVE_TEST_ETCD_URL")
	if address == "" {
		t.Skip("STACKREEVE_TEST_ETCD_URL names no etcd; see `make test-etcd`")
	}
	e, err := etcd.NewEndpoints([]string{"http://127.0.0.1:1", address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	keysSuite(t, e, func(d time.Duration) {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		<-ctx.Done()
	})
}

// answers is a network in which each host always gives the same answer.
type answers struct {
	said  map[string]func() (int, string) // nil if no host answers
	asked []string
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	a.asked = append(a.asked, req.URL.Host)
	say := a.said[req.URL.Host]
	if say == nil {
		return nil, io.ErrUnexpectedEOF
	}
	code, text := say()
	return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader(text)), Request: req}, nil
}

func TestEndpointsAreAskedInTurn(t *testing.T) {
	net := &answers{said: map[string]func() (int, string){
		"b": func() (int, string) { return 503, `{"code":14,"message":"etcdserver: no leader"}` },
		"c": func() (int, string) { return 200, `{"ID":"7","TTL":"60"}` },
	}}
	e, err := etcd.NewEndpoints([]string{"http://a", "http://b", "http://c"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e = e.Through(net)
	for range 2 {
		if id, err := e.Grant(t.Context(), time.Minute); err != nil || id != 7 {
			t.Fatal(id, err)
		}
	}
	if want := []string{"a", "b", "c", "c"}; !slices.Equal(net.asked, want) {
		t.Errorf("asked: %v, want %v", net.asked, want)
	}
}

// silence is a network in which one host accepts requests and does not answer them.
type silence struct {
	*answers
	host string
}

func (s silence) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host == s.host {
		s.asked = append(s.asked, req.URL.Host)
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return s.answers.RoundTrip(req)
}

// TestASilentEndpointLeavesTime uses a silent member. However short the time is, enough of it remains for the
// next member. The next request is not sent to the silent member first.
func TestASilentEndpointLeavesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := silence{&answers{said: map[string]func() (int, string){"b": func() (int, string) { return 200, `{"ID":"7","TTL":"12"}` }}}, "a"}
		e, err := etcd.NewEndpoints([]string{"http://a", "http://b"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		e = e.Through(net)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			if id, err := e.Grant(ctx, 12*time.Second); err != nil || id != 7 {
				t.Error(id, err)
			}
			cancel()
		}
		if want := []string{"a", "b", "b"}; !slices.Equal(net.asked, want) {
			t.Errorf("asked: %v, want %v", net.asked, want)
		}
	})
}

// TestAttackAnswersThatAreNotOfEtcd uses another server instead of etcd. Its answers are neither repeated nor
// trusted.
func TestAttackAnswersThatAreNotOfEtcd(t *testing.T) {
	for name, text := range map[string]string{
		"html": "<html>", "no number": `{}`, "another shape": `{"ID":{}}`, "long": string(bytes.Repeat([]byte("x"), 1<<20)),
	} {
		net := &answers{said: map[string]func() (int, string){"a": func() (int, string) { return 200, text }}}
		e, _ := etcd.NewEndpoints([]string{"http://a"}, nil)
		e = e.Through(net)
		if _, err := e.Grant(t.Context(), time.Minute); !errors.Is(err, etcd.ErrSilent) || len(err.Error()) > 200 {
			t.Errorf("%s: grant: %.300v", name, err)
		}
		if err := e.Renew(t.Context(), 7); err == nil {
			t.Errorf("%s: a lease is taken for renewed", name)
		}
		if held, err := e.Hold(t.Context(), 7, "k", nil); held || err == nil {
			t.Errorf("%s: a key is taken for held: %v", name, err)
		}
	}
}
