// Package listen is the agent's only listener: an HTTP/1.1 server to which strangers may connect.
//
// It limits the number of connections, their time and the size of a request's head. It decides which connection
// is closed if there are too many. It does not depend on the handler.
package listen

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// These are the limits. A client that exceeds them is disconnected.
const (
	// MaxConns is the maximum number of connections at the same time.
	MaxConns = 256

	maxHeader  = 8 << 10 // bytes; net/http adds 4 KiB
	maxHeaders = 100     // names

	headerTime = 5 * time.Second
	readTime   = 15 * time.Second
	writeTime  = 30 * time.Second
	idleTime   = 2 * time.Minute
)

// Server serves one handler.
type Server struct {
	http   http.Server
	places *places
}

// New returns a server. It logs its own errors, and no data that a stranger sends.
func New(h http.Handler, log *slog.Logger) *Server {
	s := &Server{places: newPlaces(MaxConns)}
	s.http = http.Server{
		Handler:           s.guard(h),
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes:               maxHeader,
		DisableGeneralOptionsHandler: true,
		Protocols:                    new(http.Protocols),
		ConnState:                    s.state,
		ConnContext:                  func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	s.http.Protocols.SetHTTP1(true)
	return s
}

type connKey struct{}

// guard returns a handler that checks every request before it calls h.
func (s *Server) guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			defer func() {
				now := time.Now()
				s.places.rests(c, now, now.Add(parting))
			}()
		}
		if s.places.crowded() {
			w.Header().Set("Connection", "close")
		}
		if problem := refused(r); problem != 0 {
			w.Header().Set("Connection", "close")
			http.Error(w, http.StatusText(problem), problem)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// refused returns the status of a request that no handler receives, and 0 for all other requests.
func refused(r *http.Request) int {
	switch {
	case r.ProtoMajor != 1: // net/http hands over the first request of HTTP/2
		return http.StatusHTTPVersionNotSupported
	case len(r.Header) > maxHeaders:
		return http.StatusRequestHeaderFieldsTooLarge
	}
	return 0
}

func (s *Server) state(c net.Conn, state http.ConnState) {
	one, ok := c.(*conn)
	if !ok {
		return
	}
	switch now := time.Now(); state {
	case http.StateActive:
		s.places.reads(one, now)
	case http.StateIdle:
		s.places.rests(one, now, now)
	case http.StateNew, http.StateHijacked, http.StateClosed: // [conn.Close] handles these states
	}
}

// Serve accepts connections until [Server.Shutdown] is called. Then its error is [http.ErrServerClosed].
func (s *Server) Serve(l net.Listener) error {
	return s.http.Serve(&listener{Listener: l, places: s.places, closed: make(chan struct{})})
}

// OnShutdown registers f, which is called when [Server.Shutdown] begins.
func (s *Server) OnShutdown(f func()) { s.http.RegisterOnShutdown(f) }

// Shutdown waits for the running requests, as long as ctx allows.
func (s *Server) Shutdown(ctx context.Context) error { return s.http.Shutdown(ctx) }
