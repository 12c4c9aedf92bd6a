package outbound_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const socketBuffers = 16 << 20 // number of bytes that a server can write although nobody reads them

// serve starts a server that is stopped at the end of the test.
func serve(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// counted returns a server that should get no requests, and the number of its requests.
func counted(t *testing.T) (*httptest.Server, *atomic.Int64) {
	n := new(atomic.Int64)
	return serve(t, func(w http.ResponseWriter, _ *http.Request) { n.Add(1); fmt.Fprint(w, "{}") }), n
}

func client(t *testing.T, c outbound.Config) *http.Client {
	t.Helper()
	made := outbound.Client(outbound.New(c), time.Minute)
	t.Cleanup(made.CloseIdleConnections)
	return made
}

// fetch reads an answer to its end.
func fetch(t *testing.T, c *http.Client, method, address string) (int64, error) {
	t.Helper()
	var body io.Reader
	if method == http.MethodPost || method == http.MethodPut {
		body = strings.NewReader(`{"password": "hunter2"}`)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Auth-Token", "gAAAA")
	resp, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(io.Discard, resp.Body)
}

func TestAttackRedirectElsewhere(t *testing.T) {
	other, asked := counted(t)
	elsewhere := map[string]string{"port": other.URL, "host": strings.Replace(other.URL, "127.0.0.1", "localhost", 1),
		"scheme": strings.Replace(other.URL, "http:", "https:", 1), "login": ""}
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "HEAD"} {
			for what, to := range elsewhere {
				home := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if what == "login" {
						to = "http://admin:hunter2@" + r.Host
					}
					if r.URL.Path == "/moved" {
						asked.Add(1)
					}
					w.Header().Set("Location", to+"/moved")
					w.WriteHeader(status)
				})
				if _, err := fetch(t, client(t, outbound.Config{}), method, home.URL+"/v3/auth/tokens"); !errors.Is(err, outbound.ErrRefused) {
					t.Errorf("%d of %s to another %s: %v", status, method, what, err)
				}
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests followed", n)
	}
}

// TestAttackRedirectChangesMethod uses redirects that change the method to GET. They are errors, because the
// request was not carried out.
func TestAttackRedirectChangesMethod(t *testing.T) {
	for _, status := range []int{301, 302, 303} {
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
			var gets atomic.Int64
			home := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					gets.Add(1)
					return
				}
				http.Redirect(w, r, "/done", status)
			})
			if _, err := fetch(t, client(t, outbound.Config{}), method, home.URL); !errors.Is(err, outbound.ErrRefused) || gets.Load() != 0 {
				t.Errorf("%d of %s: %v, and %d GETs", status, method, err, gets.Load())
			}
		}
	}
}

func TestAttackRedirectsInACircle(t *testing.T) {
	var n atomic.Int64
	home := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, fmt.Sprint("/", n.Add(1)), http.StatusTemporaryRedirect)
	})
	if _, err := fetch(t, client(t, outbound.Config{}), "GET", home.URL); !errors.Is(err, outbound.ErrRefused) || n.Load() != outbound.MaxRedirects+1 {
		t.Errorf("%v after %d requests", err, n.Load())
	}
}

// TestRedirectAtHome checks that redirects on the same server are followed, and that the body is sent again.
func TestRedirectAtHome(t *testing.T) {
	home := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/v3/", http.StatusPermanentRedirect)
			return
		}
		_, _ = io.Copy(w, r.Body)
	})
	n, err := fetch(t, client(t, outbound.Config{}), "POST", home.URL+"/")
	if err != nil || n == 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// pour writes until the reader stops, and returns the number of bytes.
func pour(w io.Writer, most int64) (n int64) {
	block := make([]byte, 64<<10)
	for n < most {
		k, err := w.Write(block)
		if n += int64(k); err != nil {
			break
		}
	}
	return n
}

func TestAttackEndlessBody(t *testing.T) {
	for _, status := range []int{200, 201, 404, 500} {
		written := make(chan int64, 1)
		home := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			written <- pour(w, 1<<30)
		})
		var read int64
		var err error
		used := testcost.Allocated(func() { read, err = fetch(t, client(t, outbound.Config{}), "GET", home.URL) })
		home.CloseClientConnections()
		if !errors.Is(err, outbound.ErrTooLarge) || read > outbound.DefaultAnswer {
			t.Errorf("%d: %d bytes read, %v", status, read, err)
		}
		if n := <-written; n > outbound.DefaultAnswer+socketBuffers {
			t.Errorf("%d: the server wrote %d bytes", status, n)
		}
		if used > 32<<20 {
			t.Errorf("%d: %d bytes allocated", status, used)
		}
	}
}

// TestAttackAnnouncedBody uses a body whose announced length is too large. No byte of it is read.
func TestAttackAnnouncedBody(t *testing.T) {
	written := make(chan int64, 1)
	home := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1099511627776")
		written <- pour(w, 1<<30)
	})
	if _, err := fetch(t, client(t, outbound.Config{}), "GET", home.URL); !errors.Is(err, outbound.ErrTooLarge) {
		t.Error(err)
	}
	if n := <-written; n > socketBuffers {
		t.Errorf("the server wrote %d bytes", n)
	}
}

func TestAttackGzipBomb(t *testing.T) {
	testcost.Long(t)
	home := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		pour(zip, 1<<30)
		_ = zip.Close() // the reader may have disconnected
	})
	read, err := fetch(t, client(t, outbound.Config{}), "GET", home.URL)
	if !errors.Is(err, outbound.ErrTooLarge) || read > outbound.DefaultAnswer {
		t.Errorf("%d bytes read, %v", read, err)
	}
}

func TestAttackEndlessHeaders(t *testing.T) {
	written := make(chan int64, 1)
	home := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		n, _ := io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
		for line := "X-More: " + strings.Repeat("x", 4000) + "\r\n"; n < 1<<30; {
			k, err := io.WriteString(conn, line)
			if n += k; err != nil {
				break
			}
		}
		written <- int64(n)
	})
	var err error
	used := testcost.Allocated(func() { _, err = fetch(t, client(t, outbound.Config{}), "GET", home.URL) })
	if n := <-written; err == nil || n > socketBuffers || used > 16<<20 {
		t.Errorf("%d bytes written, %d allocated, %v", n, used, err)
	}
}

// TestAttackNameOfThisMachine uses names and addresses of this machine that the operator has not configured.
func TestAttackNameOfThisMachine(t *testing.T) {
	other, asked := counted(t)
	u, err := url.Parse(other.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		_, err := fetch(t, client(t, outbound.Config{Home: []string{"keystone.example.org"}}), "GET", "http://"+host+":"+u.Port())
		if !errors.Is(err, outbound.ErrRefused) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
	// A cloud on this machine has all its services here.
	c := client(t, outbound.Config{Home: []string{"127.0.0.1"}})
	for _, host := range []string{"127.0.0.1", "localhost"} {
		if _, err := fetch(t, c, "GET", "http://"+host+":"+u.Port()); err != nil {
			t.Error(err)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"https://a.example/x", "https://A.example.:443/y"}: true,
		{"http://a", "http://a:80"}:                         true,
		{"https://a", "http://a"}:                           false,
		{"https://a", "https://a:8443"}:                     false,
		{"https://a", "https://a.evil"}:                     false,
		{"https://a", "https://a@evil"}:                     false,
		{"https://a", "https://me@a"}:                       false,
		{"https://[::1]", "https://[::1]:443"}:              true,
	} {
		a, errA := url.Parse(pair[0])
		b, errB := url.Parse(pair[1])
		if got := errors.Join(errA, errB) == nil && outbound.SameOrigin(a, b); got != want {
			t.Errorf("%v: %v", pair, got)
		}
	}
}

// TestAttackRedirectIsNotTold checks that only the log contains the target of a refused redirect.
func TestAttackRedirectIsNotTold(t *testing.T) {
	home := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.0.0.3:5000/", http.StatusTemporaryRedirect)
	})
	_, err := fetch(t, client(t, outbound.Config{}), "POST", home.URL)
	var sent *url.Error
	if !errors.As(err, &sent) || strings.Contains(sent.Err.Error(), "10.0.0.3") || !strings.Contains(private.Text(sent.Err), "10.0.0.3") {
		t.Errorf("shown %v, logged %s", sent, private.Text(err))
	}
}
