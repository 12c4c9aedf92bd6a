package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// slowAnswer is the delay of some answers of a forge in bad weather.
const slowAnswer = 10 * time.Second

// inBadWeather returns the address of a proxy in front of a forge. The proxy answers some requests with 429 or 502. Some answers of the forge
// arrive late or never.
func inBadWeather(t *testing.T, api string) string {
	t.Helper()
	target, err := url.Parse(api)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host}) }}
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := asked.Add(1); {
		case n%29 == 3:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many", http.StatusTooManyRequests)
		case n%23 == 5:
			http.Error(w, "oops", http.StatusBadGateway)
		case n%19 == 7:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler) // the request was carried out, and the answer is lost
		case n%61 == 9:
			late := time.NewTimer(slowAnswer)
			defer late.Stop()
			select {
			case <-late.C:
			case <-r.Context().Done():
			}
			proxy.ServeHTTP(w, r)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + target.Path
}
