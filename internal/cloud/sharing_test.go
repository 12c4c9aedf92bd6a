package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// keystone answers logins with new tokens, and other requests with their number. It waits for closed before each answer.
type keystone struct {
	logins, asked atomic.Int64
	closed        chan bool // nil lets everything through
	answer        func(*http.Request) (*http.Response, error)
}

// RoundTrip implements [http.RoundTripper].
func (k *keystone) RoundTrip(req *http.Request) (*http.Response, error) {
	n := k.asked.Add(1)
	if k.closed != nil {
		<-k.closed
	}
	if k.answer != nil {
		if resp, err := k.answer(req); resp != nil || err != nil {
			return resp, err
		}
	}
	header, code := http.Header{}, 200
	if isLogin(req) {
		code = 201
		header.Set("X-Subject-Token", fmt.Sprint("token-", k.logins.Add(1)))
	}
	return &http.Response{StatusCode: code, Header: header, Request: req, Body: inMemory([]byte(fmt.Sprint(n)), nil)}, nil
}

// stackOn returns the client of a stack that uses k. Several stacks can share s.
func stackOn(k *keystone, s *Sharing) sharing {
	home := &url.URL{Scheme: "https", Host: "keystone.example.org"}
	return sharing{s.groupFor("clouds.yaml", credentials{name: "prod", home: home, auth: gophercloud.AuthOptions{Username: "u", Password: "p"}}), k}
}

// send returns the body of the answer, or the error.
func send(t *testing.T, by sharing, method, path, token string, more ...string) string {
	return sendIn(t.Context(), t, by, method, path, token, more...)
}

func networksOf(ctx context.Context, t *testing.T, by sharing, token string) string {
	return sendIn(ctx, t, by, "GET", "/v2.0/networks", token)
}

func sendIn(ctx context.Context, t *testing.T, by sharing, method, path, token string, more ...string) string {
	body := strings.NewReader(strings.Join(more, ""))
	req, err := http.NewRequestWithContext(ctx, method, "https://keystone.example.org"+path, body)
	if err != nil {
		t.Error(err)
		return ""
	}
	if token != "" {
		req.Header.Set("X-Auth-Token", token)
	}
	if method == "GET" && len(more) > 0 {
		req.Header.Set("OpenStack-API-Version", more[0])
	}
	resp, err := by.RoundTrip(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	if isLogin(req) {
		return resp.Header.Get("X-Subject-Token")
	}
	return string(text)
}

const logsIn = "/v3/auth/tokens"

// Stacks that start together log in only once. If the token is refused, they log in only once more.
func TestSharingOneLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, s := &keystone{closed: make(chan bool)}, &Sharing{}
		for range 10 {
			go send(t, stackOn(k, s), "POST", logsIn, "", "password")
		}
		synctest.Wait()
		close(k.closed)
		synctest.Wait()
		if n := k.logins.Load(); n > 2 {
			t.Errorf("%d logins", n)
		}
		had, before := send(t, stackOn(k, s), "POST", logsIn, "", "password"), k.logins.Load()
		k.answer = func(req *http.Request) (*http.Response, error) {
			if req.Header.Get("X-Auth-Token") != had {
				return nil, nil
			}
			return &http.Response{StatusCode: 401, Body: http.NoBody, Request: req}, nil
		}
		for range 10 {
			send(t, stackOn(k, s), "GET", "/v2.0/networks", had)
			if now := send(t, stackOn(k, s), "POST", logsIn, "", "password"); now == had {
				t.Error("a token that was refused is given again")
			}
		}
		if n := k.logins.Load(); n != before+1 {
			t.Errorf("%d logins after one token was refused", n-before)
		}
	})
}

// A login is not shared after loginLasts, nor with a client whose login has another body.
func TestSharingALoginLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, s := &keystone{}, &Sharing{}
		token := send(t, stackOn(k, s), "POST", logsIn, "", "password")
		time.Sleep(loginLasts / 2)
		if other := send(t, stackOn(k, s), "POST", logsIn, "", "password"); other != token {
			t.Error("a login of half a minute ago is not given")
		}
		if other := send(t, stackOn(k, s), "POST", logsIn, "", "another"); other == token {
			t.Error("who logs in with something else is given a login")
		}
		time.Sleep(loginLasts)
		if again := send(t, stackOn(k, s), "POST", logsIn, "", "password"); again == token {
			t.Error("a login of a minute ago is given")
		}
	})
}

// A stack's answers are shared with stacks whose snapshots began before, but not with stacks whose snapshots begin later.
func TestSharingSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, s := &keystone{}, &Sharing{}
		one, other := stackOn(k, s), stackOn(k, s)
		token := send(t, one, "POST", logsIn, "", "password")
		early, late := At(t.Context(), &kind.SharedResults{}), At(t.Context(), &kind.SharedResults{})
		sendIn(early, t, other, "GET", "/v2.0/subnets", token)
		time.Sleep(time.Second)
		first := networksOf(t.Context(), t, one, token)
		time.Sleep(time.Second)
		sendIn(late, t, other, "GET", "/v2.0/subnets", token)
		time.Sleep(time.Second)
		if got := networksOf(early, t, other, token); got != first {
			t.Errorf("a snapshot that began before has %s, not %s", got, first)
		}
		second := networksOf(late, t, other, token)
		if second == first {
			t.Error("a snapshot that began later has what was read before it")
		}
		if got := networksOf(t.Context(), t, other, token); got == second {
			t.Error("who reads now has what was read before")
		}
	})
}

// If many clients read the same list at the same time, it is requested at most twice: once for the first client, and once
// for all others.
func TestSharingOneList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, s := &keystone{}, &Sharing{}
		token := send(t, stackOn(k, s), "POST", logsIn, "", "password")
		k.asked.Store(0)
		k.closed = make(chan bool)
		for i := range 40 {
			path, version := "/v2.0/networks", ""
			if i%4 == 0 {
				version = "compute 2.90"
			}
			if i%4 == 1 {
				path += "?marker=7"
			}
			go send(t, stackOn(k, s), "GET", path, token, version)
		}
		synctest.Wait()
		close(k.closed)
		synctest.Wait()
		if n := k.asked.Load(); n != 6 {
			t.Errorf("%d requests for three questions, of which each is asked for who comes first and for those who come later", n)
		}
	})
}

// A client sends its own requests if its token comes from an unknown login, or if it writes.
func TestAttackSharingAmongStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, s := &keystone{}, &Sharing{}
		token := send(t, stackOn(k, s), "POST", logsIn, "", "password")
		other := send(t, stackOn(k, s), "POST", logsIn, "", "of somebody else")
		k.asked.Store(0)
		k.closed = make(chan bool)
		for range 3 {
			go send(t, stackOn(k, s), "GET", "/v2.0/networks", token)
			go send(t, stackOn(k, s), "GET", "/v2.0/networks", other)
			go send(t, stackOn(k, s), "GET", "/v2.0/networks", "forged")
			go send(t, stackOn(k, s), "POST", "/v2.0/networks", token)
		}
		synctest.Wait()
		close(k.closed)
		synctest.Wait()
		if n := k.asked.Load(); n != 2+2+3+3 {
			t.Errorf("%d requests", n)
		}
	})
}

// If a request has no answer, or the cloud forbids it, the clients that wait for it get the same error. If a client had too little time for it,
// another one sends it. After any other refusal, each of the other clients sends its own request, all at the same time.
func TestSharingWhatGoesWrong(t *testing.T) {
	for what, c := range map[string]struct {
		wrong func(*http.Request) (*http.Response, error)
		want  int64
	}{
		"no answer":       {func(*http.Request) (*http.Response, error) { return nil, errors.New("cut off") }, 2},
		"too little time": {func(*http.Request) (*http.Response, error) { return nil, unsentError{errNoTime} }, 10},
		"forbidden": {func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 403, Body: inMemory([]byte("no"), nil), Request: req}, nil
		}, 2},
		"forbidden at length": {func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 403, Body: inMemory(make([]byte, maxRefusal+1), nil), Request: req}, nil
		}, 10},
		"refused": {func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 404, Body: inMemory([]byte("no"), nil), Request: req}, nil
		}, 10},
		"not read to its end": {func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Request: req, Body: io.NopCloser(strings.NewReader("half"))}, nil
		}, 10},
	} {
		synctest.Test(t, func(t *testing.T) {
			k, s := &keystone{}, &Sharing{}
			token := send(t, stackOn(k, s), "POST", logsIn, "", "password")
			k.asked.Store(0)
			k.closed, k.answer = make(chan bool), c.wrong
			for range 10 {
				go send(t, stackOn(k, s), "GET", "/v2.0/networks", token)
			}
			synctest.Wait()
			close(k.closed)
			synctest.Wait()
			if n := k.asked.Load(); n != c.want {
				t.Errorf("%s: %d requests for ten who ask, want %d", what, n, c.want)
			}
		})
	}
}

// If the credentials of an entry change, another group starts, and the old group is removed.
func TestSharingNewCredentials(t *testing.T) {
	s := &Sharing{}
	auth := gophercloud.AuthOptions{Username: "u", Password: "old", Scope: &gophercloud.AuthScope{ProjectID: "p"}}
	of := func(auth gophercloud.AuthOptions) *group {
		auth.Scope = &gophercloud.AuthScope{ProjectID: auth.Scope.ProjectID}
		return s.groupFor("clouds.yaml", credentials{name: "prod", auth: auth, home: &url.URL{Host: "keystone.example.org"}})
	}
	old := of(auth)
	if of(auth) != old {
		t.Error("the same credentials have two groups")
	}
	auth.Password = "new"
	if of(auth) == old || len(s.groups) != 1 {
		t.Errorf("%d groups after the password has changed", len(s.groups))
	}
}

// If many clients share an answer, its objects are read once for all of them, even if one is invalid. From the next answer, only
// the changed objects are read.
func TestSharingOneReading(t *testing.T) {
	readings := 0
	as := Reading[struct{ Name string }, string]{Read: func(decoded struct{ Name string }) (string, error) {
		if readings++; decoded.Name == "" {
			return "", errors.New("an object without a name")
		}
		return decoded.Name, nil
	}}
	req := &http.Request{URL: &url.URL{Path: "/networks"}}
	var last *answer
	for _, tt := range []struct {
		text             string
		readings, within int
		fails            bool
	}{
		{`{"networks": [{"name": "a"}, {"name": "b"}], "networks_links": []}`, 2, 2, false},
		{`{"networks": [{"name": "c"}, {"name": "b"}, {"name":"a"}]}`, 2, 3, false},
		{`{"networks": [{"name": "b"}, {"name": ""}]}`, 1, 1, true},
		{`{"networks": [{"name": "c"}, {"name": "b"}]}`, 0, 2, false},
	} {
		readings = 0
		resp := &http.Response{StatusCode: 200, Header: http.Header{}, Body: inMemory([]byte(tt.text), nil), Request: req}
		a := answerOf(req, resp)
		a.shared = after(last)
		last = a
		for range 3 {
			text := ""
			l := &listing{field: "networks", way: byLinks}
			_, err := readPage(l, a.response(req), as, func(name string) error {
				text += name
				return nil
			})
			if (err != nil) != tt.fails || !tt.fails && (l.objects != tt.within || len(text) != tt.within || l.bytes != int64(len(tt.text))) {
				t.Errorf("%s: %v, %q, %d objects, %d bytes", tt.text, err, text, l.objects, l.bytes)
			}
		}
		if readings != tt.readings {
			t.Errorf("%s: %d readings, want %d", tt.text, readings, tt.readings)
		}
	}
}
