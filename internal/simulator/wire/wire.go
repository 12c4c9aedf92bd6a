// Package wire connects a client to a simulated service in the same process. It is a transport without a
// network, and its connection can be cut.
package wire

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"
)

// Wire is a transport that passes requests to a handler.
type Wire struct {
	To   http.Handler
	away atomic.Bool
}

// Away cuts the connection if away is true, and restores it otherwise.
func (w *Wire) Away(away bool) { w.away.Store(away) }

// RoundTrip implements http.RoundTripper.
func (w *Wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	if w.away.Load() {
		return nil, io.ErrUnexpectedEOF
	}
	got := &recorded{code: http.StatusOK, header: http.Header{}}
	w.To.ServeHTTP(got, req)
	return &http.Response{StatusCode: got.code, Header: got.header, Body: io.NopCloser(&got.body), Request: req}, nil
}

// recorded is an answer in memory.
type recorded struct {
	code   int
	header http.Header
	body   bytes.Buffer
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) WriteHeader(code int)        { r.code = code }
func (r *recorded) Write(p []byte) (int, error) { return r.body.Write(p) }
