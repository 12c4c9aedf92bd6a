package m3

import (
	"context"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// Network is how machines are reached.
type Network struct {
	world  *World
	mu     sync.Mutex
	listen map[string]*pipes
	ended  bool
}

// Network makes a way to reach the machines, until it is closed.
func (w *World) Network() *Network { return &Network{world: w, listen: map[string]*pipes{}} }

// Dial connects to an address and port: any but 7201 and 9002 refuses, and so does one of no machine.
func (n *Network) Dial(_ context.Context, _, at string) (net.Conn, error) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	host, port, err := net.SplitHostPort(at)
	serve := map[string]func(string, http.ResponseWriter, *http.Request) bool{"7201": n.world.Serve, "9002": n.world.ServeNode}[port]
	if err != nil || serve == nil || n.world.Machine(host) == nil {
		return nil, refused
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended {
		return nil, refused
	}
	p := n.listen[at]
	if p == nil {
		p = &pipes{next: make(chan net.Conn), done: make(chan struct{})}
		n.listen[at] = p
		server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) { //nolint:gosec // there is no network
			if !serve(host, rw, req) {
				panic(http.ErrAbortHandler) // the connection ends
			}
		})}
		go func() { _ = server.Serve(p) }()
	}
	here, there := net.Pipe()
	go func() {
		select {
		case p.next <- there:
		case <-p.done:
			_ = there.Close()
		}
	}()
	return here, nil
}

// Close ends all servers.
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
