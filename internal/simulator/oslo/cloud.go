package oslo

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Tokens finds the caller of a token. Keystone implements it.
type Tokens interface {
	// Validate returns the caller of a token, or false if the token is not valid.
	Validate(token string) (*Caller, bool)
	// Expire makes a token invalid immediately.
	Expire(token string)
}

// Cloud contains the common parts of all services. Every handler and every event runs with the lock of the Cloud
// held, so services need no locks.
type Cloud struct {
	mu       sync.Mutex
	clock    clock
	random   *rand.Rand
	tokens   Tokens
	services []*Service
	control  *http.ServeMux

	faults faults
	log    requestLog
}

// New returns a cloud without services. If now is nil, the clock is the wall clock. If seed is zero, IDs differ
// on every run.
func New(now func() time.Time, seed uint64) *Cloud {
	if now == nil {
		now = time.Now
	}
	c := &Cloud{clock: clock{base: now}, random: newRandom(seed), control: http.NewServeMux()}
	c.log.counts = map[RequestCount]int{}
	c.addControl()
	return c
}

// UseTokens sets the service that validates tokens.
func (c *Cloud) UseTokens(t Tokens) { c.tokens = t }

// Do runs f like a handler: with the lock held, and after all events that are due.
func (c *Cloud) Do(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock.settle()
	f()
}

// Services returns the registered services in the order of their registration.
func (c *Cloud) Services() []*Service { return c.services }

// service finds the service to which a path belongs, and returns the rest of the path.
func (c *Cloud) service(path string) (*Service, string) {
	for _, s := range c.services {
		rest, ok := strings.CutPrefix(path, s.Prefix)
		if ok && (rest == "" || rest[0] == '/') {
			return s, rest
		}
	}
	return nil, path
}

// ServeHTTP answers for all services, and for the control pages under /_simulator/.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, ControlPrefix) {
		c.control.ServeHTTP(w, r)
		return
	}
	s, rest := c.service(r.URL.Path)
	if s == nil {
		http.NotFound(w, r)
		return
	}
	c.serve(w, r, s, rest)
}
