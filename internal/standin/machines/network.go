// Package machines connects clients to simulated machines, in memory.
package machines

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// Serve answers a request to the machine at an address. If it returns false, the connection ends without an answer.
type Serve func(address string, rw http.ResponseWriter, req *http.Request) bool

// Network is a network in memory that connects to machines.
type Network struct {
	listens func(address, port string) (Serve, *tls.Config)

	mu     sync.Mutex
	listen map[string]*pipes
	ended  bool
}

// New returns a network. listens returns the handler of a port, or nil if nothing listens there, and the TLS configuration, or nil if the port has no TLS. The
// network exists until it is closed.
func New(listens func(address, port string) (Serve, *tls.Config)) *Network {
	return &Network{listens: listens, listen: map[string]*pipes{}}
}

// Dial connects to an address and port. If nothing listens there, it returns the error "connection refused".
func (n *Network) Dial(_ context.Context, _, at string) (net.Conn, error) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	address, port, err := net.SplitHostPort(at)
	if err != nil {
		return nil, refused
	}
	serve, config := n.listens(address, port)
	p := n.pipes(at, address, serve)
	if p == nil {
		return nil, refused
	}
	here, plain := net.Pipe()
	there := plain
	if config != nil {
		there = bare{tls.Server(plain, config)}
	}
	go func() {
		select {
		case p.next <- there:
		case <-p.done:
			_ = there.Close()
		}
	}()
	return here, nil
}

// pipes returns the listener at an address and port, or nil if there is no handler.
func (n *Network) pipes(at, address string, serve Serve) *pipes {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended || serve == nil {
		return nil
	}
	p := n.listen[at]
	if p == nil {
		p = &pipes{next: make(chan net.Conn), done: make(chan struct{})}
		n.listen[at] = p
		server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) { //nolint:gosec // there is no network
			if !serve(address, rw, req) {
				panic(http.ErrAbortHandler) // ends the connection
			}
		})}
		go func() { _ = server.Serve(p) }()
	}
	return p
}

// bare hides from the server that a connection is encrypted. As in etcd, a client that does not encrypt gets no answer.
type bare struct{ net.Conn }

// Close stops all servers.
func (n *Network) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
	for _, p := range n.listen {
		_ = p.Close()
	}
}

// pipes is a listener in memory.
type pipes struct {
	next chan net.Conn
	once sync.Once
	done chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.next:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.done) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }
