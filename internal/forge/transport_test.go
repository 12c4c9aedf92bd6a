package forge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// base is a RoundTripper that answers requests without a network.
type base func(*http.Request) (*http.Response, error)

func (b base) RoundTrip(req *http.Request) (*http.Response, error) { return b(req) }

func answer(code int, body string, header ...string) *http.Response {
	resp := &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ProtoMajor: 1, ProtoMinor: 1}
	resp.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	for i := 0; i < len(header); i += 2 {
		resp.Header.Set(header[i], header[i+1])
	}
	return resp
}

const secret = "s3cret-token"

func config(b base) TransportConfig {
	return TransportConfig{
		URL: &url.URL{Scheme: "https", Host: "api.example.org", Path: "/v3/"}, Base: b, Words: []string{"repos", "pulls"},
		Authorize: func(context.Context) (string, error) { return "Bearer " + secret, nil },
	}
}

func send(t *testing.T, tr *Transport, method, path string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://api.example.org/v3/"+path, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.Client().Do(req)
	if err != nil {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("an error shows the token: %v", err)
		}
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func TestLimitsAreHeeded(t *testing.T) {
	in := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }
	for _, c := range []struct {
		name   string
		answer func() *http.Response
		wait   time.Duration // 0 means that the answer is not a limit
		ok     bool          // whether the request succeeds
	}{
		{"primary, 403", func() *http.Response {
			return answer(403, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(17*time.Minute))
		}, 17 * time.Minute, false},
		{"primary, 429", func() *http.Response {
			return answer(429, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(17*time.Minute))
		}, 17 * time.Minute, false},
		{"GitLab's words", func() *http.Response {
			return answer(429, `Retry later`, "RateLimit-Remaining", "0", "RateLimit-Reset", in(17*time.Minute))
		}, 17 * time.Minute, false},
		{"the last one that is allowed", func() *http.Response {
			return answer(200, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(17*time.Minute))
		}, 17 * time.Minute, true},
		{"by the forge's clock", func() *http.Response {
			return answer(403, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1000000060", "Date", time.Unix(1_000_000_000, 0).UTC().Format(http.TimeFormat))
		}, time.Minute, false},
		{"secondary, seconds", func() *http.Response {
			return answer(403, `{"message":"You have exceeded a secondary rate limit"}`, "Retry-After", "42", "X-RateLimit-Remaining", "4000", "X-RateLimit-Reset", in(17*time.Minute))
		}, 42 * time.Second, false},
		{"secondary, a date", func() *http.Response {
			return answer(429, `{}`, "Retry-After", time.Now().Add(42*time.Second).UTC().Format(http.TimeFormat))
		}, 42 * time.Second, false},
		{"secondary, no time", func() *http.Response {
			return answer(403, `{"message":"Slow down","documentation_url":"https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`)
		}, time.Minute, false},
		{"429 and nothing else", func() *http.Response { return answer(429, `slow down`) }, time.Minute, false},
		{"a reset in the past", func() *http.Response {
			return answer(429, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(-time.Hour))
		}, time.Second, false},
		{"a reset in a hundred years", func() *http.Response {
			return answer(429, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(876_000*time.Hour))
		}, longestLimit, false},
		{"Retry-After beyond all numbers", func() *http.Response { return answer(429, `{}`, "Retry-After", "9223372036854775807") }, longestLimit, false},
		{"a refusal", func() *http.Response {
			return answer(403, `{"message":"Resource not accessible by integration"}`, "X-RateLimit-Remaining", "4000")
		}, 0, false},
		{"bad credentials, with what strangers have left", func() *http.Response {
			return answer(401, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(17*time.Minute))
		}, 0, false},
		{"a server's fault", func() *http.Response { return answer(503, `rate limit`) }, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sent := 0
				tr := NewTransport(config(func(*http.Request) (*http.Response, error) {
					if sent++; sent == 1 {
						return c.answer(), nil
					}
					return answer(200, `{}`), nil
				}))
				start := time.Now()
				_, _, err := send(t, tr, "GET", "repos")
				var limited *LimitedError
				if errors.As(err, &limited) == (c.ok || c.wait == 0) {
					t.Fatalf("the first request: %v", err)
				}
				if _, _, err = send(t, tr, "GET", "repos"); (err != nil) != (c.wait > 0) {
					t.Fatalf("the second request: %v", err)
				}
				if c.wait == 0 {
					return
				}
				if !errors.As(err, &limited) || limited.Until.Sub(start) != c.wait || sent != 1 {
					t.Fatalf("the second request: %v after %d were sent; want to wait %s", err, sent, c.wait)
				}
				time.Sleep(c.wait - time.Nanosecond)
				if _, _, err := send(t, tr, "GET", "repos"); err == nil || sent != 1 {
					t.Errorf("a request went out too early: %v, %d", err, sent)
				}
				time.Sleep(time.Nanosecond)
				if _, _, err := send(t, tr, "GET", "repos"); err != nil || sent != 2 {
					t.Errorf("afterwards: %v, %d", err, sent)
				}
			})
		})
	}
}

func TestLimitsWithoutATimeBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		code := 429
		tr := NewTransport(config(func(*http.Request) (*http.Response, error) { return answer(code, ""), nil }))
		for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 32 * time.Minute, time.Hour, time.Hour} {
			_, _, err := send(t, tr, "GET", "repos")
			var limited *LimitedError
			if !errors.As(err, &limited) || time.Until(limited.Until) != want {
				t.Fatalf("%v; want to wait %s", err, want)
			}
			time.Sleep(want)
		}
		code = 200
		if _, _, err := send(t, tr, "GET", "repos"); err != nil {
			t.Fatal(err)
		}
		code = 429
		_, _, err := send(t, tr, "GET", "repos")
		var limited *LimitedError
		if !errors.As(err, &limited) || time.Until(limited.Until) != time.Minute {
			t.Errorf("after a success: %v", err)
		}
	})
}

// In no hour, more requests are sent than the configured number. A tenth of them is reserved for
// writes.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Time
		c := config(func(*http.Request) (*http.Response, error) {
			sent = append(sent, time.Now())
			return answer(200, "{}"), nil
		})
		c.PerHour = 100
		var refused, left int
		c.Observe = func(e Exchange) {
			left = e.Left
			if e.Refused {
				refused++
			}
		}
		tr := NewTransport(c)
		time.Sleep(17 * time.Second)
		for range 90 {
			if _, _, err := send(t, tr, "GET", "repos"); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := send(t, tr, "GET", "repos"); err == nil || refused != 1 {
			t.Errorf("reading took more than its share: %v", err)
		}
		for range 10 {
			if _, _, err := send(t, tr, "PATCH", "repos"); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := send(t, tr, "PATCH", "repos")
		var limited *LimitedError
		if !errors.As(err, &limited) || left != 0 || !strings.Contains(err.Error(), "100 of 100") {
			t.Fatalf("beyond the budget: %v, %d left", err, left)
		}
		time.Sleep(time.Until(limited.Until))
		for range 5 * 60 {
			_, _, _ = send(t, tr, "PATCH", "repos") // some of them are refused
			time.Sleep(30 * time.Second)
		}
		for i := 100; i < len(sent); i++ {
			if d := sent[i].Sub(sent[i-100]); d < time.Hour {
				t.Fatalf("101 requests in %s", d)
			}
		}
		if len(sent) < 250 {
			t.Errorf("%d requests in 3.5 hours; the budget of 100 is not used", len(sent))
		}
	})
}

func TestWritesArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(func(*http.Request) (*http.Response, error) { return answer(201, "{}"), nil })
		c.WritesPerMinute, c.CreatesPerHour = 80, 500
		tr := NewTransport(c)
		start, done := time.Now(), 0
		for time.Since(start) < 59*time.Minute {
			_, _, err := send(t, tr, "POST", "repos")
			var limited *LimitedError
			if errors.As(err, &limited) {
				if _, _, err := send(t, tr, "GET", "repos"); err != nil {
					t.Fatalf("reading waits too: %v", err)
				}
				time.Sleep(time.Until(limited.Until))
				continue
			}
			if done++; time.Since(start) < time.Minute && done > 80 {
				t.Fatal("more than 80 in the first minute")
			}
		}
		if done != 500 {
			t.Errorf("%d created in an hour; want 500", done)
		}
	})
}

func TestWhatIsKnownIsAskedForConditionally(t *testing.T) {
	etag, asked := `"one"`, []string(nil)
	var seen []Exchange
	c := config(func(req *http.Request) (*http.Response, error) {
		asked = append(asked, req.Header.Get("If-None-Match"))
		if req.Header.Get("If-None-Match") == etag {
			return answer(304, "", "X-RateLimit-Remaining", "7", "ETag", etag), nil
		}
		return answer(200, "body of "+etag, "ETag", etag, "Link", `<x>; rel="next"`), nil
	})
	c.PerHour, c.Observe = 100, func(e Exchange) { seen = append(seen, e) }
	tr := NewTransport(c)
	for _, want := range []string{`"one"`, `"one"`, `"two"`, `"two"`} {
		etag = want
		if code, body, err := send(t, tr, "GET", "repos/acme/cloud/pulls/7"); code != 200 || body != "body of "+want || err != nil {
			t.Errorf("%d %q %v; want the body of %s", code, body, err, want)
		}
	}
	if got, want := fmt.Sprintf("%q", asked), `["" "\"one\"" "\"one\"" "\"two\""]`; got != want {
		t.Errorf("asked with %s; want %s", got, want)
	}
	if left, of := tr.Budget(); left != 98 || of != 100 {
		t.Errorf("%d of %d left; what has not changed is free", left, of)
	}
	for i, want := range []bool{false, true, false, true} {
		if e := seen[i]; e.Cached != want || e.Route != "/repos/*/*/pulls/*" || e.Method != "GET" {
			t.Errorf("exchange %d: %+v", i, e)
		}
	}
	if _, _, err := send(t, tr, "POST", "repos/acme/cloud/pulls/7"); err != nil {
		t.Error(err)
	}
	if asked[4] != "" {
		t.Error("a write is conditional")
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	body := strings.Repeat("x", maxCachedAnswer/2)
	tr := NewTransport(config(func(req *http.Request) (*http.Response, error) {
		if req.Header.Get("If-None-Match") != "" {
			return answer(304, ""), nil
		}
		return answer(200, body, "ETag", `"x"`), nil
	}))
	for i := range 20 {
		if _, got, err := send(t, tr, "GET", "repos/"+strconv.Itoa(i)); got != body || err != nil {
			t.Fatal(err)
		}
	}
	if tr.cache.size > maxCached || len(tr.cache.byKey) != tr.cache.order.Len() || tr.cache.order.Len() == 0 {
		t.Errorf("%d bytes in %d entries", tr.cache.size, tr.cache.order.Len())
	}
}

func TestManyAtOnce(t *testing.T) {
	c := config(func(req *http.Request) (*http.Response, error) {
		if req.Header.Get("If-None-Match") != "" {
			return answer(304, ""), nil
		}
		return answer(200, "body of "+req.URL.Path, "ETag", `"x"`), nil
	})
	tr := NewTransport(c)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for n := range 20 {
				path := "repos/" + strconv.Itoa((i+n)%5)
				if _, body, err := send(t, tr, "GET", path); body != "body of /v3/"+path || err != nil {
					t.Errorf("%q, %v", body, err)
				}
				tr.Budget()
			}
		})
	}
	all.Wait()
}

// The agent waits only for a limited time, whatever a forge answers.
func FuzzLimits(f *testing.F) {
	f.Add(403, "0", "99999999999", "12", "Wed, 21 Oct 2015 07:28:00 GMT", `{"message":"rate limit"}`)
	f.Add(429, "-1", "-1", "-1", "", `[`)
	f.Fuzz(func(t *testing.T, code int, remaining, reset, after, date, body string) {
		resp := &http.Response{StatusCode: code, Header: http.Header{}}
		for name, value := range map[string]string{"X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": reset, "Retry-After": after, "Date": date} {
			resp.Header.Set(name, value)
		}
		fill(resp, []byte(body))
		l, now := newLimits(TransportConfig{PerHour: 10}), time.Unix(1_700_000_000, 0)
		for range 3 {
			err := l.heed(resp, now)
			var limited *LimitedError
			if err != nil && !errors.As(err, &limited) || l.until.After(now.Add(longestLimit)) || !l.until.IsZero() && !l.until.After(now) {
				t.Fatalf("%v, until %s", err, l.until)
			}
		}
		if err := l.take("GET", now.Add(longestLimit)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestHugeAnswersAreCutOff(t *testing.T) {
	endless := io.NopCloser(io.LimitReader(zeros{}, 1<<40))
	tr := NewTransport(config(func(*http.Request) (*http.Response, error) {
		resp := answer(200, "")
		resp.Body = endless
		return resp, nil
	}))
	if _, _, err := send(t, tr, "GET", "repos"); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "48 MiB") {
		t.Errorf("an endless answer: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestCredentialsStayOnTheirHost(t *testing.T) {
	leaked := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked <- r.Header.Get("Authorization") }))
	defer other.Close()
	var to string
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+secret:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/moved":
			w.Write([]byte("here"))
		default:
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		}
	}))
	defer hub.Close()
	c := config(nil)
	c.Base, c.URL = nil, parse(t, hub.URL)
	client := NewTransport(c).Client()
	get := func(target string) (*http.Response, error) {
		to = target
		resp, err := client.Get(hub.URL + "/repos")
		if err == nil {
			resp.Body.Close()
		}
		return resp, err
	}
	if _, err := get(other.URL); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "another host") {
		t.Errorf("redirected elsewhere: %v", err)
	}
	if _, err := get(strings.Replace(hub.URL, "http:", "https:", 1)); !errors.Is(err, ErrRefused) {
		t.Errorf("redirected to another scheme: %v", err)
	}
	if _, err := get("/round"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("redirected in a circle: %v", err)
	}
	if resp, err := get("/moved"); err != nil || resp.StatusCode != 200 {
		t.Errorf("redirected on the same host: %v", err)
	}
	if len(leaked) > 0 {
		t.Errorf("the other host was sent %q", <-leaked)
	}
}

func parse(t *testing.T, text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestTokensAreHidden(t *testing.T) {
	code := 429
	tr := NewTransport(config(func(req *http.Request) (*http.Response, error) {
		return answer(code, `{"message":"you sent `+req.Header.Get("Authorization")+`"}`), nil
	}))
	var limited *LimitedError
	if _, _, err := send(t, tr, "GET", "repos"); !errors.As(err, &limited) || strings.Contains(err.Error(), secret) {
		t.Errorf("beyond a limit: %v", err)
	}
	code = 403
	tr = NewTransport(tr.config)
	if _, body, err := send(t, tr, "GET", "repos"); strings.Contains(body, secret) || !strings.Contains(body, "[redacted]") || err != nil {
		t.Errorf("%q, %v", body, err)
	}
}

func TestARefusedTokenIsRenewedOnce(t *testing.T) {
	tokens, bodies := []string{"old", "new", "newer"}, []string(nil)
	accept := "new"
	c := config(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		bodies = append(bodies, string(body))
		if req.Header.Get("Authorization") != "Bearer "+accept {
			return answer(401, `{"message":"Bad credentials"}`), nil
		}
		return answer(200, "yes"), nil
	})
	c.Authorize = Authorize("Bearer", func(context.Context) (string, error) { return tokens[0], nil })
	c.Renew = func(refused string) {
		if refused == "Bearer "+tokens[0] {
			tokens = tokens[1:]
		}
	}
	tr := NewTransport(c)
	if code, body, err := send(t, tr, "POST", "repos"); code != 200 || body != "yes" || err != nil {
		t.Errorf("%d %q %v", code, body, err)
	}
	if len(bodies) != 2 || bodies[0] != "{}" || bodies[1] != "{}" {
		t.Errorf("sent %q", bodies)
	}
	accept = "none"
	if code, _, err := send(t, tr, "POST", "repos"); code != 401 || err != nil || len(bodies) != 4 {
		t.Errorf("%d %v after %d requests", code, err, len(bodies))
	}
}

func TestTokensAreReadAtEachUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	token := FileToken(path)
	if _, err := token(t.Context()); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), path) {
		t.Errorf("no file: %v", err)
	}
	for text, want := range map[string]string{"one\n": "one", " two ": "two", "\n": "", "a b": "", "": ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := token(t.Context())
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if err != nil && strings.TrimSpace(text) != "" && strings.Contains(err.Error(), text) {
			t.Errorf("the error shows the token: %v", err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for code, want := range map[int]error{400: ErrRefused, 401: ErrRefused, 403: ErrRefused, 422: ErrRefused, 301: ErrRefused, 404: ErrNotFound, 410: ErrNotFound, 409: ErrUnavailable, 500: ErrUnavailable, 503: ErrUnavailable} {
		if err := Refusal(code, strings.Repeat("x\n", 999)); !errors.Is(err, want) || len(err.Error()) > 400 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d: %v; want %v", code, err, want)
		}
	}
	if err := Refusal(204, ""); err != nil {
		t.Error(err)
	}
	if err := Class(io.ErrUnexpectedEOF); !errors.Is(err, ErrUnavailable) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
