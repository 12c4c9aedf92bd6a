package readapi

import (
	"bytes"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// longestWait is the maximum time for which a request waits for a place.
	longestWait = 3 * time.Second
	// maxUnsent is the maximum number of bytes of composed answers that may wait for slow clients. Items that are in the store do not count.
	maxUnsent = 256 << 20
)

// Places limits the number of answers that are composed at the same time. An answer has no place while it is sent, so that a slow client does
// not block other clients.
type Places struct {
	taken  chan struct{}
	unsent atomic.Int64
}

// NewPlaces returns Places for n answers.
func NewPlaces(n int) *Places { return &Places{taken: make(chan struct{}, n)} }

// Answer composes an answer when there is a place, and then sends it. If a request waits for longer than [longestWait], it gets status 429
// with Retry-After.
func (p *Places) Answer(w http.ResponseWriter, r *http.Request, compose http.HandlerFunc) {
	timer := time.NewTimer(longestWait)
	defer timer.Stop()
	select {
	case p.taken <- struct{}{}:
	case <-timer.C:
		busy(w)
		return
	case <-r.Context().Done():
		return // the client has disconnected
	}
	if p.unsent.Load() > maxUnsent {
		<-p.taken
		busy(w)
		return
	}
	made := p.composed(w.Header(), r, compose)
	defer p.unsent.Add(-made.size)
	made.send(w)
}

func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	Refuse(w, http.StatusTooManyRequests, "too many requests at a time; ask again later")
}

// composed composes the answer and then releases the place.
func (p *Places) composed(header http.Header, r *http.Request, compose http.HandlerFunc) *reply {
	defer func() { <-p.taken }()
	made := &reply{header: header}
	compose(made, r)
	p.unsent.Add(made.size)
	return made
}

// reply is a composed answer that is not sent yet.
type reply struct {
	header http.Header
	code   int // 0 for 200
	parts  [][]byte
	size   int64 // the size of the parts that are not shared, in bytes
}

func (r *reply) Header() http.Header  { return r.header }
func (r *reply) WriteHeader(code int) { r.code = code }

func (r *reply) Write(text []byte) (int, error) {
	r.size += int64(len(text))
	r.share(bytes.Clone(text))
	return len(text), nil
}

// share adds a part without copying it. The text must not change afterwards.
func (r *reply) share(text []byte) { r.parts = append(r.parts, text) }

func (r *reply) send(w http.ResponseWriter) {
	if r.code != 0 {
		w.WriteHeader(r.code)
	}
	for _, part := range r.parts {
		if _, err := w.Write(part); err != nil {
			return // an error cannot be sent to the client
		}
	}
}
