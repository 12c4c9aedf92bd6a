package listen

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// serve runs a server on loopback until the test ends.
func serve(t *testing.T, h http.Handler) (s *Server, address string) {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = New(h, slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		cancel() // the server does not wait for any client
		_ = s.Shutdown(ctx)
		_ = s.http.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("ended with %v", err)
		}
	})
	return s, l.Addr().String()
}

var hello = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err == nil {
		fmt.Fprint(w, "hello")
	}
})

// say opens a connection and writes a text to it.
func say(t *testing.T, address, text string) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// ask sends one whole request and returns the status of the answer. It returns 0 if the server closed the
// connection.
func ask(t *testing.T, address, text string) int {
	t.Helper()
	return answer(say(t, address, text))
}

func answer(c net.Conn) int {
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

const whole = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"

// TestAttackSlowConnections uses every place, and twice as many connections as there are places. The clients
// connect and send nothing, or stop in the head or in the body. Meanwhile, a client that sends a whole request
// is answered. It takes seconds, because each such client waits for the grace of a slow one to end.
func TestAttackSlowConnections(t *testing.T) {
	testcost.Long(t)
	for name, slow := range map[string]string{
		"silent": "", "head": "POST / HTTP/1.1\r\nHost: x\r\nX-A: ", "body": strings.TrimSuffix(whole, "bc"),
	} {
		t.Run(name, func(t *testing.T) {
			s, address := serve(t, hello)
			for range 2 * MaxConns {
				say(t, address, slow)
			}
			for range 5 {
				if code := ask(t, address, whole); code != http.StatusOK {
					t.Errorf("answered %d", code)
				}
			}
			s.places.mu.Lock()
			defer s.places.mu.Unlock()
			if n := len(s.places.held); n > MaxConns {
				t.Errorf("%d connections are held, want at most %d", n, MaxConns)
			}
		})
	}
}

// TestAttackSlowBodiesLoseToFastOnes sends one body while all places are used by clients that send a byte from
// time to time. Sending the body takes longer than the grace, and its connection is not closed.
func TestAttackSlowBodiesLoseToFastOnes(t *testing.T) {
	begun := make(chan struct{}, 4*MaxConns)
	s, address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		hello(w, r)
	}))
	const size = 1 << 20
	fast := say(t, address, fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("a", size-1)))
	<-begun
	for range MaxConns - 1 {
		say(t, address, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nx")
		<-begun
	}
	for range MaxConns / 4 { // each gets the place of a slow one, after the grace of all
		say(t, address, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nx")
		<-begun
	}
	if _, err := io.WriteString(fast, "a"); err != nil {
		t.Fatal(err)
	}
	if code := answer(fast); code != http.StatusOK {
		t.Errorf("answered %d", code)
	}
	if s.places.crowded() != true {
		t.Error("there is no crowd: the test proves nothing")
	}
}

// TestAttackHeaders checks that headers that are too long, too many or malformed are refused before the handler
// gets the request.
func TestAttackHeaders(t *testing.T) {
	seen := 0
	_, address := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen++
		t.Errorf("%s %s was served: %v", r.Method, r.URL, r.Header)
	}))
	many := strings.Builder{}
	for n := range maxHeaders + 1 {
		fmt.Fprintf(&many, "X-%d: a\r\n", n)
	}
	for name, c := range map[string]struct {
		text string
		code int
	}{
		"long head":       {"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("a", maxHeader+8<<10) + "\r\n\r\n", 431},
		"many fields":     {"GET / HTTP/1.1\r\nHost: x\r\n" + many.String() + "\r\n", 431},
		"no host":         {"GET / HTTP/1.1\r\n\r\n", 400},
		"two hosts":       {"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
		"odd host":        {"GET / HTTP/1.1\r\nHost: x y\r\n\r\n", 400},
		"two lengths":     {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400},
		"signed length":   {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc", 400},
		"negative length": {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\nabc", 400},
		"two codings":     {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501},
		"other coding":    {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
		"folded field":    {"GET / HTTP/1.1\r\nHost: x\r\n X-A: b\r\n\r\n", 400},
		"space in name":   {"GET / HTTP/1.1\r\nHost: x\r\nX-A : b\r\n\r\n", 400},
		"HTTP/2":          {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
		"HTTP/9":          {"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 505},
	} {
		t.Run(name, func(t *testing.T) {
			if code := ask(t, address, c.text); code != c.code {
				t.Errorf("answered %d, want %d", code, c.code)
			}
		})
	}
	if seen > 0 {
		t.Errorf("%d requests were served", seen)
	}
}

// TestAttackHeldMemory uses every place for a request with the largest head that is accepted, and measures the
// memory in use.
func TestAttackHeldMemory(t *testing.T) {
	hold, begun := make(chan struct{}), make(chan struct{}, MaxConns)
	t.Cleanup(func() { close(hold) })
	_, address := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-hold
	}))
	head := strings.Builder{}
	for n := range maxHeaders - 1 {
		fmt.Fprintf(&head, "X-%d: %s\r\n", n, strings.Repeat("a", 60))
	}
	before := live()
	for range MaxConns {
		say(t, address, "GET / HTTP/1.1\r\nHost: x\r\n"+head.String()+"\r\n")
		<-begun
	}
	if used, most := live()-before, int64(MaxConns*(96<<10)); used > most {
		t.Errorf("%d connections hold %d bytes, want at most %d", MaxConns, used, most)
	} else {
		t.Logf("%d bytes a connection", used/MaxConns)
	}
}

func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestKeptConnections checks that a connection stays open for the next request, unless there are many
// connections.
func TestKeptConnections(t *testing.T) {
	s, address := serve(t, hello)
	c := say(t, address, "")
	reader := bufio.NewReader(c)
	closes := func() bool {
		t.Helper()
		if _, err := io.WriteString(c, whole); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.Close
	}
	if closes() || closes() {
		t.Error("the connection is not kept")
	}
	for range MaxConns/2 + 1 {
		say(t, address, "")
	}
	for !s.places.crowded() {
		select {
		case <-s.places.changed:
		case <-time.After(time.Millisecond):
		}
	}
	if !closes() {
		t.Error("the connection is kept in a crowd")
	}
}
