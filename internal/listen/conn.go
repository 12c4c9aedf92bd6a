package listen

import (
	"net"
	"sync/atomic"
	"time"
)

// conn is a connection with a place. The lock of places guards the fields with the comment "guarded".
type conn struct {
	net.Conn
	places *places
	read   atomic.Int64 // number of bytes of the request that is being read.

	begun   time.Time // guarded: the time when the connection, the reading or the resting started
	until   time.Time // guarded: the time until which it cannot lose its place
	resting bool      // guarded: reports whether it is between two requests
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c *conn) Close() error {
	c.places.leave(c)
	return c.Conn.Close()
}

// CloseWrite is needed so that the server can send its last answer before it closes the connection.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// listener gives each accepted connection a place.
type listener struct {
	net.Listener
	places *places
	closed chan struct{}
}

// Close is called once, by the server.
func (l *listener) Close() error {
	close(l.closed)
	return l.Listener.Close()
}

func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, places: l.places}
	for {
		ok, victim, wait := l.places.take(c, time.Now())
		if victim != nil {
			_ = victim.Conn.Close() // its reader gets an error
		}
		if ok {
			return c, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-l.places.changed:
			timer.Stop()
		case <-l.closed:
			timer.Stop()
			_ = accepted.Close() // the server is closed
			return nil, net.ErrClosed
		}
	}
}
