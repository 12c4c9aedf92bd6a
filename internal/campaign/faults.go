package campaign

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// Fault is what can happen to one request.
type Fault struct {
	Name string
	// About says what happens, for the table in docs/reliability.md.
	About string
	// Writes is true if the fault is of interest for writing requests only.
	Writes bool
	// Times is the number of further requests to the same service with the same fault. The first of them follows immediately.
	Times  int
	strike effect
}

// effect answers a request in place of the cloud.
type effect func(*strike) (*http.Response, error)

// Fits reports whether the fault can happen to the request with a name.
func (f Fault) Fits(request string) bool { return !f.Writes || writes(request) }

// FaultNamed returns the fault with a name, and whether there is one.
func FaultNamed(name string) (Fault, bool) {
	for _, f := range Faults() {
		if f.Name == name {
			return f, true
		}
	}
	return Fault{}, false
}

// strike is a request to which a fault happens.
type strike struct {
	req    *http.Request
	random *rand.Rand
	// forward makes the cloud carry out the request.
	forward func() (*http.Response, error)
	// later makes the cloud carry out the request after a delay, whatever happens to the agent. Nobody gets the answer.
	later func(time.Duration)
	// kill stops the agent: no further request leaves it, and what it stores from now on is lost.
	kill func()
	// expire makes the token of the request invalid.
	expire func()
	// shift changes the clock of the cloud.
	shift func(time.Duration)
}

var (
	errKilled  = errors.New("the agent was killed")
	errRefused = errors.New("connection refused")
	errReset   = errors.New("connection reset by peer")
	errNothing = errors.New("no answer within the deadline")
)

// maxHang is the longest time without an answer. It is longer than any deadline of the agent.
const maxHang = time.Hour

// Faults returns all faults. Their order is that of the table in docs/reliability.md.
func Faults() []Fault {
	return []Fault{
		{"kill-before", "the process is killed, and the cloud does not get the request", false, 0, killedBefore},
		{"kill-after", "the process is killed after the cloud has carried out the request", false, 0, killedAfter},
		{"kill-during", "the process is killed, and the cloud carries out the request up to 1.5 s later", true, 0, killedDuring},
		{"400", "refused with 400", false, 0, refuse(http.StatusBadRequest, nil)},
		{"401", "refused with 401, the token is no longer valid", false, 0, unauthorized},
		{"403", "refused with 403", false, 0, refuse(http.StatusForbidden, nil)},
		{"404", "refused with 404", false, 0, refuse(http.StatusNotFound, nil)},
		{"409", "refused with 409", false, 0, refuse(http.StatusConflict, nil)},
		{"413", "refused with 413, as old services do for limits of rates", false, 0, refuse(http.StatusRequestEntityTooLarge, http.Header{"Retry-After": {"3"}})},
		{"429", "429 with Retry-After: 7", false, 0, refuse(http.StatusTooManyRequests, http.Header{"Retry-After": {"7"}})},
		{"429-hour", "429 with Retry-After: 3600", false, 0, refuse(http.StatusTooManyRequests, http.Header{"Retry-After": {"3600"}})},
		{"429-garbage", "429 with a Retry-After that is neither a number nor a date", false, 0, refuse(http.StatusTooManyRequests, http.Header{"Retry-After": {"-1e99 soon"}})},
		{"500", "500 without any effect", false, 0, refuse(http.StatusInternalServerError, nil)},
		{"500-done", "500 although the cloud has carried out the request", false, 0, refuseDone(http.StatusInternalServerError)},
		{"502-done", "a proxy answers 502 with HTML, and the cloud has carried out the request", false, 0, refuseDone(http.StatusBadGateway)},
		{"503", "503 with Retry-After: 5", false, 0, refuse(http.StatusServiceUnavailable, http.Header{"Retry-After": {"5"}})},
		{"503-down", "503 for 25 requests to the service", false, 24, refuse(http.StatusServiceUnavailable, nil)},
		{"reset", "the connection is reset before the cloud gets the request", false, 0, reset},
		{"lost", "the cloud has carried out the request, and the answer is lost", false, 0, lost},
		{"hang", "no answer, and the cloud never gets the request", false, 0, hang(-1)},
		{"hang-done", "no answer, and the cloud has carried out the request", false, 0, hang(0)},
		{"hang-late", "no answer, and the cloud carries out the request up to 100 s later", true, 0, hang(100 * time.Second)},
		{"delay", "the answer comes after 45 s", false, 0, delay(45 * time.Second)},
		{"twice", "the cloud gets the request twice and answers the second one", false, 0, twice},
		{"truncated", "half of the JSON", false, 0, garble(func(b []byte) []byte { return b[:len(b)/2] })},
		{"empty", "an empty body", false, 0, garble(func([]byte) []byte { return nil })},
		{"html", "200 with an HTML page", false, 0, garble(func([]byte) []byte { return []byte("<html><body>please log in</body></html>") })},
		{"types", "JSON in which texts, numbers and lists have other types", false, 0, garble(wrongTypes)},
		{"nulls", "JSON in which every value is null", false, 0, garble(nulls)},
		{"array", "a JSON array instead of an object", false, 0, garble(func([]byte) []byte { return []byte("[[],[1,2,3]]") })},
		{"huge", "a body of 300 MB", false, 0, huge},
		{"clock-forward", "the clock of the cloud jumps 5 hours forward", false, 0, shifted(5 * time.Hour)},
		{"clock-back", "the clock of the cloud jumps 5 hours back", false, 0, shifted(-5 * time.Hour)},
	}
}

func answer(req *http.Request, code int, header http.Header, body []byte) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: header, Request: req, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}

const sorry = `{"error": {"message": "a fault of the campaign"}}`

func refuse(code int, header http.Header) effect {
	return func(s *strike) (*http.Response, error) {
		return answer(s.req, code, header.Clone(), []byte(sorry)), nil
	}
}

func refuseDone(code int) effect {
	return func(s *strike) (*http.Response, error) {
		if resp, err := s.forward(); err == nil {
			_ = resp.Body.Close() // it is replaced
		}
		return answer(s.req, code, http.Header{"Content-Type": {"text/html"}}, []byte("<html>Bad Gateway</html>")), nil
	}
}

func unauthorized(s *strike) (*http.Response, error) {
	s.expire()
	return answer(s.req, http.StatusUnauthorized, nil, []byte(sorry)), nil
}

func killedBefore(s *strike) (*http.Response, error) {
	s.kill()
	return nil, errKilled
}

func killedAfter(s *strike) (*http.Response, error) {
	s.forwardOnly()
	return killedBefore(s)
}

// killedDuring kills the agent. The cloud carries out the request up to 1.5 s later.
func killedDuring(s *strike) (*http.Response, error) {
	s.later(time.Duration(s.random.Int64N(int64(1500 * time.Millisecond))))
	return killedBefore(s)
}

func reset(*strike) (*http.Response, error) { return nil, errReset }

func lost(s *strike) (*http.Response, error) {
	s.forwardOnly()
	return nil, errReset
}

// forwardOnly makes the cloud carry out the request. Nobody gets the answer.
func (s *strike) forwardOnly() {
	if resp, err := s.forward(); err == nil {
		_ = resp.Body.Close() // nobody reads it
	}
}

// hang gives no answer. The cloud carries out the request at some time before late: at once if late is 0, never if it is negative.
func hang(late time.Duration) effect {
	return func(s *strike) (*http.Response, error) {
		switch {
		case late == 0:
			_, _ = lost(s)
		case late > 0:
			s.later(time.Duration(s.random.Int64N(int64(late))))
		}
		timer := time.NewTimer(maxHang)
		defer timer.Stop()
		select {
		case <-s.req.Context().Done():
			return nil, s.req.Context().Err()
		case <-timer.C:
			return nil, errNothing
		}
	}
}

func delay(d time.Duration) effect {
	return func(s *strike) (*http.Response, error) {
		resp, err := s.forward()
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-s.req.Context().Done():
			return nil, s.req.Context().Err()
		case <-timer.C:
			return resp, err
		}
	}
}

func twice(s *strike) (*http.Response, error) {
	if resp, err := s.forward(); err == nil {
		_ = resp.Body.Close() // the second answer counts
	}
	return s.forward()
}

func shifted(by time.Duration) effect {
	return func(s *strike) (*http.Response, error) {
		s.shift(by)
		return s.forward()
	}
}

// garble returns a fault that changes the body of a successful answer. The cloud has carried out the request.
func garble(change func([]byte) []byte) effect {
	return func(s *strike) (*http.Response, error) {
		resp, err := s.forward()
		if err != nil {
			return nil, err
		}
		whole, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		header := resp.Header.Clone()
		header.Del("Content-Length")
		return answer(s.req, resp.StatusCode, header, change(whole)), nil
	}
}

// hugeBytes is the length of a huge body.
const hugeBytes = 300 << 20

func huge(s *strike) (*http.Response, error) {
	resp, err := s.forward()
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close() // it is replaced
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"x": "`), io.LimitReader(letters{}, hugeBytes)))
	return resp, nil
}

// letters is an endless text.
type letters struct{}

// Read implements io.Reader.
func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}
