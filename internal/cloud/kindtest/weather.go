package kindtest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Weather is a fault between an agent and one service of its cloud.
type Weather struct {
	Name string
	// Spoil handles one request. It may call next, which is the cloud.
	Spoil func(req *http.Request, next http.RoundTripper) (*http.Response, error)
}

// Weathers lists faults that a cloud's services show on bad days.
func Weathers() []Weather {
	return []Weather{
		{"500", answer(http.StatusInternalServerError, nil)},
		{"503 with Retry-After", answer(http.StatusServiceUnavailable, http.Header{"Retry-After": {"1"}})},
		{"429", answer(http.StatusTooManyRequests, http.Header{"Retry-After": {"1"}})},
		{"hangs", hang},
		{"reset in the body", cut(io.ErrUnexpectedEOF)},
		{"truncated page", cut(io.EOF)},
		{"answer lost", lose},
	}
}

// answer returns a fault that rejects requests with a status. The service does not get them.
func answer(code int, header http.Header) func(*http.Request, http.RoundTripper) (*http.Response, error) {
	return func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
		return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: header.Clone(), Request: req,
			Body: io.NopCloser(strings.NewReader(`{"error": {"message": "bad weather"}}`)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}, nil
	}
}

// Answer returns a fault that rejects requests with a status. The service does not get them.
func Answer(code int) func(*http.Request, http.RoundTripper) (*http.Response, error) {
	return answer(code, nil)
}

// hang gives no answer until a deadline, which in production is that of the client. It is short
// here, so that the test is short.
func hang(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
	timer := time.NewTimer(300 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-req.Context().Done():
	case <-timer.C:
	}
	return nil, errors.New("no answer within the deadline")
}

// cut returns a fault that lets the service do its work and returns half of its answer.
func cut(end error) func(*http.Request, http.RoundTripper) (*http.Response, error) {
	return func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		whole, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close() // the body was read to its end
		if err != nil {
			return nil, err
		}
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(whole[:len(whole)/2]), ending{end}))
		resp.ContentLength = -1
		return resp, nil
	}
}

type ending struct{ err error }

// Read implements io.Reader.
func (e ending) Read([]byte) (int, error) { return 0, e.err }

// lose is a fault that lets the service do its work and drops its answer.
func lose(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	resp, err := next.RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close() // nobody will read it
		err = errors.New("connection reset by peer")
	}
	return nil, err
}

// Storm is a layer that spoils every third request to one service, Times requests in all. The first
// two requests are not spoilt, so that the agent can see something.
type Storm struct {
	Weather
	// Hits reports whether a request belongs to the service.
	Hits  func(*http.Request) bool
	Times int

	mu   sync.Mutex
	seen int
	next http.RoundTripper
}

// Wrap puts the storm in front of next.
func (s *Storm) Wrap(next http.RoundTripper) http.RoundTripper {
	s.next = next
	return s
}

// RoundTrip implements http.RoundTripper.
func (s *Storm) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.strikes(req) {
		return s.Spoil(req, s.next)
	}
	return s.next.RoundTrip(req)
}

func (s *Storm) strikes(req *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Times == 0 || !s.Hits(req) {
		return false
	}
	s.seen++
	if s.seen%3 != 0 {
		return false
	}
	s.Times--
	return true
}
