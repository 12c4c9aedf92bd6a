package progress

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A command that waits prints every ten seconds what it waits for, and nothing else.
func TestNoCommandIsSilentForLong(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var said bytes.Buffer
	p := New(&said, func() time.Time { return now })
	after := func(d time.Duration, want string) {
		t.Helper()
		said.Reset()
		now = now.Add(d)
		p.tick()
		if got := strings.TrimSuffix(said.String(), "\n"); got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
	after(time.Minute, "")
	endFetch := p.Begin("stack prod: fetching ./repo")
	after(time.Second, "stack prod: fetching ./repo (1 s)")
	after(9*time.Second, "")
	after(time.Second, "stack prod: fetching ./repo (11 s)")
	p.Wrote()
	after(9*time.Second, "")
	endFetch()
	endLook := p.Begin("stack prod: looking at the cloud")
	cloud := p.Requests("prod")(roundTrip(func(*http.Request) (*http.Response, error) {
		defer p.task("another", true)()
		after(10*time.Second, "stack prod: waiting for the cloud to list ports (10 s, and 1 more requests)")
		return nil, errors.New("gone")
	}))
	req, err := http.NewRequest(http.MethodGet, "https://cloud.example/network/v2.0/ports?limit=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := cloud.RoundTrip(req); err == nil {
		_ = resp.Body.Close()
		t.Error("the answer is another")
	}
	after(10*time.Second, "stack prod: looking at the cloud (20 s)")
	p.Hush()
	after(time.Hour, "")
	endLook()
}

func TestRequestsInWords(t *testing.T) {
	for want, request := range map[string]string{
		"log us in":                  "POST https://c/identity/v3/auth/tokens",
		"list servers":               "GET https://c/compute/v2.1/servers/detail?x=token",
		"list loadbalancers":         "GET https://c/v2.0/lbaas/loadbalancers",
		"answer GET /v2.0/ports/123": "GET https://c/v2.0/ports/123",
		"answer DELETE /v2.0/ports":  "DELETE https://c/v2.0/ports",
		"answer GET /":               "GET https://c/",
	} {
		method, url, _ := strings.Cut(request, " ")
		req, err := http.NewRequest(method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := asked(req); got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}
