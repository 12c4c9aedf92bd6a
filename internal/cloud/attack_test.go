package cloud_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

type named struct{ ID, Name string }

func listServers(t *testing.T, c *cloud.Client) ([]named, error) {
	t.Helper()
	return cloud.List[named](t.Context(), c, cloud.Call{Service: cloud.Compute, Path: "servers/detail"}, "servers")
}

// The client sends neither the token nor the password to the target of a redirect.
func TestAttackRedirectElsewhere(t *testing.T) {
	v := newVictim(t)
	for what, to := range map[string]string{"port": v.URL, "host": strings.Replace(v.URL, "127.0.0.1", "localhost", 1), "scheme": strings.Replace(v.URL, "http:", "https:", 1)} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			what := fmt.Sprintf("%d to another %s", status, what)
			away := func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", to+r.URL.Path)
				w.WriteHeader(status)
			}
			h := newHostile(t, false, away)
			c := h.open(t)
			if list, err := listServers(t, c); err == nil {
				t.Errorf("%s: a list of %v", what, list)
			}
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
				call := cloud.Call{Service: cloud.Compute, Method: method, Path: "servers/1", Body: map[string]any{"adminPass": "hunter2"}}
				if err := c.Do(t.Context(), call); err == nil || errors.Is(err, kind.ErrGone) {
					t.Errorf("%s: %s: %v", what, method, err)
				}
			}
			h.login = away
			if _, err := cloud.Open(t.Context(), cloud.Config{Cloud: "hostile"}); err == nil {
				t.Errorf("%s: logged in", what)
			}
			v.spared(t, what)
		}
	}
}

// A DELETE is redirected to a page that can be read. That is no success, because nothing was
// deleted.
func TestAttackRedirectIsNoSuccess(t *testing.T) {
	for _, status := range []int{301, 302, 303} {
		h := newHostile(t, false, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				say(w, "{}")
				return
			}
			http.Redirect(w, r, "/welcome", status)
		})
		if err := h.open(t).Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "servers/1"}); err == nil {
			t.Errorf("%d: deleted", status)
		}
	}
}

const (
	answerBound   = 64 << 20
	socketBuffers = 16 << 20
)

// pour writes up to most bytes, as many as the reader accepts.
func pour(w io.Writer, most int64) (n int64) {
	block := []byte(strings.Repeat("[", 64<<10))
	for n < most {
		k, err := w.Write(block)
		if n += int64(k); err != nil {
			break
		}
	}
	return n
}

func TestAttackEndlessAnswer(t *testing.T) {
	testcost.Long(t)
	for _, status := range []int{200, 404, 500} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			written := make(chan int64, 10)
			h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				written <- pour(w, 256<<20)
			})
			c := h.open(t)
			var err error
			used := testcost.Allocated(func() {
				var into map[string]any
				err = c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: method, Path: "servers/detail", Into: &into})
			})
			h.CloseClientConnections()
			most, times := int64(answerBound+socketBuffers), 1
			if status >= 400 {
				most, times = socketBuffers, 4
			}
			if n := <-written; err == nil || n > most {
				t.Errorf("%s %d: %d bytes written, %v", method, status, n, err)
			}
			if n := h.requests("servers/detail"); n > times {
				t.Errorf("%s %d: asked %d times for what is too large", method, status, n)
			}
			if used > 9*answerBound {
				t.Errorf("%s %d: %d MiB allocated", method, status, used>>20)
			}
		}
	}
}

// An answer of an allowed size may still be too large once it is decoded.
func TestAttackManyValues(t *testing.T) {
	for _, value := range []string{"0,", "{},", "[],", `{"a":[]},`} {
		text := `{"servers": [` + strings.Repeat(value, (answerBound-1000)/len(value)) + `0]}`
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { say(w, text) })
		c := h.open(t)
		var err error
		used := testcost.Allocated(func() { _, err = listServers(t, c) })
		if err == nil || !strings.Contains(err.Error(), "too large") || used > 9*answerBound || h.requests("servers") > 1 {
			t.Errorf("%s: %d MiB allocated in %d requests, %v", value, used>>20, h.requests("servers"), err)
		}
	}
}

func TestAttackGzippedAnswer(t *testing.T) {
	written := make(chan int64, 10)
	h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		written <- pour(zip, 2*answerBound)
		_ = zip.Close() // the client may have gone away
	})
	c := h.open(t)
	var err error
	used := testcost.Allocated(func() { _, err = listServers(t, c) })
	if err == nil || !strings.Contains(err.Error(), "too large") || used > 9*answerBound {
		t.Errorf("%d MiB allocated, %v", used>>20, err)
	}
}

// The client sends the token for the next page, too, so it checks that address.
func TestAttackNextPageElsewhere(t *testing.T) {
	v := newVictim(t)
	host := strings.TrimPrefix(v.URL, "http://")
	for what, next := range map[string]string{
		"another server": v.URL + "/v2.1/servers/detail?marker=1",
		"a login":        "http://me@" + host + "/v2.1/servers/detail",
		"another scheme": "https://" + host + "/",
		"a file":         "file:///etc/passwd",
		"no scheme":      "//" + host + "/x",
	} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
			say(w, `{"servers": [{"id": "1"}], "servers_links": [{"rel": "next", "href": "`+next+`"}]}`)
		})
		if list, err := listServers(t, h.open(t)); err == nil || list != nil {
			t.Errorf("%s: a list of %v, %v", what, list, err)
		}
		v.spared(t, what)
	}
	for what, next := range map[string]string{"a login": "@" + host + "/v2/images", "another port": ":1/v2/images", "an address": v.URL + "/v2/images", "no path": "images", "another API": "/v1/images"} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
			say(w, `{"images": [{"id": "1"}], "next": "`+next+`"}`)
		})
		h.catalog["image"] = h.URL // the version directly follows the host
		h.other = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				say(w, `{"versions": [{"id": "v2.0", "status": "CURRENT", "links": []}]}`)
				return
			}
			say(w, `{"images": [{"id": "1"}], "next": "`+next+`"}`)
		}
		list, err := cloud.List[named](t.Context(), h.open(t), cloud.Call{Service: cloud.Image, Path: "images"}, "images")
		if err == nil || list != nil {
			t.Errorf("Glance: %s: a list of %v, %v", what, list, err)
		}
		v.spared(t, "Glance: "+what)
	}
}

// A list is an error if it is uncertain whether it has further pages.
func TestAttackUnknownPaging(t *testing.T) {
	for what, rest := range map[string]string{
		"other links":        `"more_links": [{"rel": "next", "href": "/x"}]`,
		"a marker":           `"next_marker": "1"`,
		"a page":             `"pagination": {"page": 1, "pages": 2}`,
		"cut short":          `"truncated": true`,
		"fewer than there":   `"metadata": {"total_count": 2}`,
		"unknown metadata":   `"metadata": {"more": 2}`,
		"links as text":      `"servers_links": "http://127.0.0.1/"`,
		"next without link":  `"servers_links": [{"rel": "next"}]`,
		"two nexts":          `"servers_links": [{"rel": "next", "href": "/a"}, {"rel": "next", "href": "/b"}]`,
		"two ways to a next": `"links": {"next": "http://127.0.0.1/a"}, "servers_links": [{"rel": "next", "href": "http://127.0.0.1/b"}]`,
		"next is a number":   `"next": 2`,
		"shouted":            `"servers_links": [{"rel": "NEXT", "href": "file:///x"}]`,
		"another's way":      `"links": {"next": "http://127.0.0.1/compute/v2.1/servers/detail?marker=1"}`,
		"more metadata":      `"metadata": {"total_count": 1, "page_size": 1}`,
		"total as text":      `"total": "2"`,
	} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { say(w, `{"servers": [{"id": "1"}], `+rest+`}`) })
		if list, err := listServers(t, h.open(t)); err == nil || list != nil {
			t.Errorf("%s: a list of %v, %v", what, list, err)
		}
	}
}

func TestAttackPagesInACircle(t *testing.T) {
	var h *hostile
	h = newHostile(t, false, func(w http.ResponseWriter, r *http.Request) {
		say(w, `{"servers": [{"id": "1"}], "servers_links": [{"rel": "next", "href": "`+h.URL+r.URL.Path+`"}]}`)
	})
	if list, err := listServers(t, h.open(t)); err == nil || list != nil || h.requests("servers/detail") > 2 {
		t.Errorf("%v, %v after %d requests", list, err, h.requests("servers/detail"))
	}
}

// A catalog must not make the client send the token without TLS, nor to an address outside the
// cloud.
func TestAttackCatalogDowngrade(t *testing.T) {
	v := newVictim(t)
	for what, address := range map[string]string{
		"not encrypted": v.URL + "/compute/v2.1",
		"unversioned":   v.URL + "/compute",
		"a file":        "file:///etc/passwd",
		"a login":       "https://me:hunter2@127.0.0.1/compute/v2.1",
		"nothing":       "",
		"no host":       "https:///v2.1",
	} {
		h := newHostile(t, true, func(http.ResponseWriter, *http.Request) {})
		h.catalog["compute"] = address
		c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "hostile"})
		if err == nil {
			_, err = listServers(t, c)
		}
		if err == nil {
			t.Errorf("%s: listed", what)
		}
		v.spared(t, what)
		// An override that the operator writes is used: it is the setting that allows such an
		// address.
		h.clouds(t, h.URL+"/v3", "    compute_endpoint_override: "+v.URL+"/v2.1\n")
		c, err = cloud.Open(t.Context(), cloud.Config{Cloud: "hostile"})
		if err == nil {
			_, err = listServers(t, c)
		}
		if err != nil || len(v.got) != 1 {
			t.Errorf("%s: overridden: %v, %q", what, err, v.got)
		}
		v.got = nil
	}
}

// Services on other hosts than Keystone's are normal.
func TestServicesOnOtherHosts(t *testing.T) {
	v := newVictim(t)
	h := newHostile(t, false, func(http.ResponseWriter, *http.Request) {})
	h.catalog["compute"] = v.URL + "/v2.1"
	if _, err := listServers(t, h.open(t)); err != nil {
		t.Error(err)
	}
}

// The version document of Keystone cannot change where the password is sent.
func TestAttackVersionDocument(t *testing.T) {
	v := newVictim(t)
	for what, to := range map[string]string{"another server": v.URL, "a login": strings.Replace(v.URL, "//", "//me@", 1)} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
			say(w, `{"versions": {"values": [{"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": "`+to+`/v3/"}]}]}}`)
		})
		h.clouds(t, h.URL, "")
		if _, err := cloud.Open(t.Context(), cloud.Config{Cloud: "hostile"}); err == nil {
			t.Errorf("%s: logged in", what)
		}
		v.spared(t, what)
	}
}

// A service may ask the client to wait, but only for a limited time.
func TestAttackRetryAfter(t *testing.T) {
	for _, text := range []string{"9223372036854775807", "9999999999", "86400", "Fri, 01 Jan 2100 00:00:00 GMT"} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", text)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		_, err := listServers(t, h.open(t))
		var later *kind.RetryAfterError
		if !errors.As(err, &later) || later.After <= 0 || later.After > 15*time.Minute || h.requests("servers") != 1 {
			t.Errorf("%s: %v after %d requests", text, err, h.requests("servers"))
		}
	}
}

// A service's microversion becomes a header, so it must not contain anything else.
func TestAttackMicroversion(t *testing.T) {
	for _, version := range []string{`2.1\r\nX-Evil: 1`, `latest`, `2.` + strings.Repeat("1", 1000), `-1.5`} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
			say(w, `{"version": {"id": "v2.1", "version": "`+version+`"}}`)
		})
		if got, err := h.open(t).Microversion(t.Context(), cloud.Compute, "99.9"); err == nil {
			t.Errorf("%q", got)
		}
	}
}
