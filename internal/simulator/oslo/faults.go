package oslo

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"sync"
	"time"
)

// These are the values of Fault.Reset. They say when the connection is reset.
const (
	ResetBefore = "before" // before the request is handled
	ResetAfter  = "after"  // after the request was handled, so the reply is lost
)

// Fault makes requests fail that match Service, Method and Path. An empty Service, Method or Path matches all
// requests. The first After matching requests succeed, and the next Count requests fail. If Count is zero, all
// later requests fail. If several faults match, only the oldest one acts.
type Fault struct {
	ID      int    // set by AddFault
	Service string // catalog type: "network", "compute", "load-balancer"
	Method  string
	Path    string // regular expression on the path below the service's prefix: "^/v2.0/ports$"
	After   int
	Count   int

	Delay       time.Duration // the time that passes before anything else happens.
	ExpireToken bool          // the caller's token becomes invalid, so the request gets a 401.
	Hang        bool          // the request gets no reply until the client disconnects.
	Reset       string        // ResetBefore or ResetAfter
	Truncate    bool          // half of the body is sent, then the connection closes.
	Status      int           // the status that is answered; the request is not handled.
	Late        bool          // with Status: the request is also handled, as behind a gateway that timed out
	Header      map[string]string
	Body        string // the body that is answered with Status; empty means the service's own error body

	path *regexp.Regexp
	seen int
	hit  int
}

type faults struct {
	mu   sync.Mutex
	next int
	list []*Fault
}

// AddFault injects a fault and returns its ID. It returns an error if Path is not a regular expression or if
// Reset is not one of its values.
func (c *Cloud) AddFault(f Fault) (int, error) {
	re, err := regexp.Compile(f.Path)
	if err != nil {
		return 0, fmt.Errorf("fault's path %q: %w", f.Path, err)
	}
	if f.Reset != "" && f.Reset != ResetBefore && f.Reset != ResetAfter {
		return 0, fmt.Errorf("fault's reset is %q: use %q or %q", f.Reset, ResetBefore, ResetAfter)
	}
	f.path, f.seen, f.hit = re, 0, 0
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	c.faults.next++
	f.ID = c.faults.next
	c.faults.list = append(c.faults.list, &f)
	return f.ID, nil
}

// ClearFaults removes every fault.
func (c *Cloud) ClearFaults() {
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	c.faults.list = nil
}

// Faults returns the injected faults that can still act.
func (c *Cloud) Faults() []Fault {
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	var out []Fault
	for _, f := range c.faults.list {
		if f.Count == 0 || f.hit < f.Count {
			out = append(out, *f)
		}
	}
	return out
}

func (fs *faults) take(r Request) *Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var act *Fault
	for _, f := range fs.list {
		if f.Service != "" && f.Service != r.Service || f.Method != "" && f.Method != r.Method || !f.path.MatchString(r.Path) {
			continue
		}
		f.seen++
		if act != nil || f.seen <= f.After || f.Count > 0 && f.hit >= f.Count {
			continue
		}
		f.hit++
		act = f
	}
	return act
}

// before does everything that precedes the handler. It reports whether the request is to be handled.
func (c *Cloud) before(r *http.Request, f *Fault) bool {
	if f.Delay > 0 {
		t := time.NewTimer(f.Delay)
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.Context().Done():
			return false
		}
	}
	if f.ExpireToken && c.tokens != nil {
		c.Do(func() { c.tokens.Expire(r.Header.Get("X-Auth-Token")) })
	}
	if f.Hang {
		<-r.Context().Done()
		return false
	}
	return f.Reset != ResetBefore
}

func (f *Fault) answer(s *Service) *answer {
	a := &answer{status: f.Status, header: http.Header{}}
	kind, body := s.Render(Errorf(f.Status, http.StatusText(f.Status), "%s", http.StatusText(f.Status)))
	a.header.Set("Content-Type", kind)
	a.body = body
	if f.Body != "" {
		a.body = []byte(f.Body)
	}
	for name, value := range f.Header {
		a.header.Set(name, value)
	}
	return a
}

// drop resets the connection, as if the server were killed or the network broken.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		// With linger zero, Close resets the connection. If this fails, Close still ends the connection abruptly.
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
