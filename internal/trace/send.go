package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

const (
	// Quiet is the minimum time between two traces of a stack's passes that found nothing to do.
	Quiet = 10 * time.Minute
	// waiting is the maximum number of traces that wait to be sent.
	waiting = 64
	// limit is the time limit for sending to a receiver.
	limit = 10 * time.Second
	// maxAnswer is the maximum number of bytes of an answer that are read.
	maxAnswer = 64 << 10
)

// Sender sends traces.
type Sender struct {
	To      *url.URL
	Headers map[string]string // the values may be secret
	Service string            // the service name of the traces
	Version string
	Log     *slog.Logger
	// Count is called with the outcome of each trace: sent, failed, or dropped because too many traces waited.
	Count func(outcome string)

	once  sync.Once
	queue chan []byte

	mu    sync.Mutex
	quiet map[string]time.Time // by stack: the time of the last trace of a quiet pass
	away  bool                 // reports whether the receiver did not accept the last trace
}

// Finish queues a trace for sending. It drops the trace of a quiet pass if another quiet pass of the stack was
// traced a short time ago. It never blocks.
func (s *Sender) Finish(t *Trace, pass Span, stack string, quiet bool) {
	if t == nil || quiet && !s.due(stack, pass.End) {
		return
	}
	pass.Start = t.began
	select {
	case s.waiting() <- t.encode(pass, s.Service, s.Version):
	default:
		s.Count("dropped")
	}
}

func (s *Sender) waiting() chan []byte {
	s.once.Do(func() { s.queue = make(chan []byte, waiting) })
	return s.queue
}

func (s *Sender) due(stack string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, ok := s.quiet[stack]; ok && now.Sub(last) < Quiet {
		return false
	}
	if s.quiet == nil {
		s.quiet = map[string]time.Time{}
	}
	s.quiet[stack] = now
	return true
}

// Serve sends traces until ctx ends.
func (s *Sender) Serve(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case text := <-s.waiting():
			s.send(ctx, text)
		case <-ctx.Done():
		}
	}
}

// Flush sends the traces that still wait, as long as ctx allows.
func (s *Sender) Flush(ctx context.Context) {
	for {
		select {
		case text := <-s.waiting():
			s.send(ctx, text)
		default:
			return
		}
	}
}

func (s *Sender) send(ctx context.Context, text []byte) {
	err := s.post(ctx, text)
	outcome := "sent"
	if err != nil {
		outcome = "failed"
	}
	s.Count(outcome)
	switch {
	case err != nil && !s.away:
		s.Log.Warn("the receiver does not accept traces; traces are dropped until it accepts them", "error", err)
	case err == nil && s.away:
		s.Log.Info("the receiver accepts traces again")
	}
	s.away = err != nil
}

// post sends one request. Its error shows neither the path nor the headers.
func (s *Sender) post(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.To.String(), bytes.NewReader(text))
	if err != nil {
		return errors.New("the address cannot be used")
	}
	for name, value := range s.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	transport := outbound.New(outbound.Config{MaxAnswer: maxAnswer, Home: []string{s.To.Hostname()}})
	defer transport.CloseIdleConnections()
	resp, err := outbound.Client(transport, limit).Do(req)
	if err != nil {
		return fmt.Errorf("%s does not answer", s.To.Host)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", s.To.Host, resp.Status)
	}
	return nil
}
