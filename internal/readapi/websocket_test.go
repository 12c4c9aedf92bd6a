package readapi

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// These are values in frames of RFC 6455. The first bit marks a frame as a whole message.
const (
	final     = 0x80
	textFrame = 0x1
	closing   = 0x8
	pong      = 0xa
)

// browser is a client that watches by WebSocket.
type browser struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

const websocketHeaders = "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

// browse opens a WebSocket at a handler for a store.
func browse(t *testing.T, s *Store, path, headers string) (*browser, *http.Response) {
	t.Helper()
	return browseOf(t, s, New(s, func() ([]Schema, error) { return nil, nil }, "test"), path, headers)
}

// browseOf opens a WebSocket at a handler.
func browseOf(t *testing.T, s *Store, h *Handler, path, headers string) (*browser, *http.Response) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	t.Cleanup(s.Close)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	b := &browser{t, conn, bufio.NewReader(conn)}
	b.says("GET " + path + " HTTP/1.1\r\nHost: agent\r\n" + headers + "\r\n")
	resp, err := http.ReadResponse(b.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return b, resp
}

func (b *browser) says(text string) {
	b.t.Helper()
	if _, err := io.WriteString(b.conn, text); err != nil {
		b.t.Fatal(err)
	}
}

// hears returns the next frame.
func (b *browser) hears() (kind byte, payload string) {
	b.t.Helper()
	var head [2]byte
	if _, err := io.ReadFull(b.in, head[:]); err != nil {
		b.t.Fatal(err)
	}
	size := uint64(head[1])
	for code, long := range map[byte]int{126: 2, 127: 8} {
		if head[1] == code {
			var text [8]byte
			if _, err := io.ReadFull(b.in, text[8-long:]); err != nil {
				b.t.Fatal(err)
			}
			size = binary.BigEndian.Uint64(text[:])
		}
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(b.in, text); err != nil {
		b.t.Fatal(err)
	}
	if head[0]&^0x0f != final {
		b.t.Errorf("a frame begins with %x", head[0])
	}
	return head[0] & 0x0f, string(text)
}

// over expects the end of the connection, with or without a last frame.
func (b *browser) over() {
	b.t.Helper()
	rest, err := io.ReadAll(b.in)
	if err == nil && (len(rest) == 0 || rest[0] == final|closing && len(rest) == 2+int(rest[1])) {
		return
	}
	b.t.Errorf("%q (%v) is no end", rest, err)
}

// A WebSocket transports the same events as an HTTP answer, independently of their length.
func TestWatchByWebSocket(t *testing.T) {
	testcost.Long(t)
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	b, resp := browse(t, s, fmt.Sprintf("/apis/example.com/v1/things?watch=1&resourceVersion=%d", s.at("").version), websocketHeaders+"Sec-WebSocket-Protocol: base64.binary.k8s.io, other\r\n")
	if resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" || resp.Header.Get("Sec-WebSocket-Protocol") != "base64.binary.k8s.io" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	for _, state := range []string{"drifted", strings.Repeat("d", 300), strings.Repeat("r", 70_000)} {
		s.shows(thingNamed("a", state))
		if kind, text := b.hears(); kind != textFrame || !strings.Contains(text, `"type":"MODIFIED"`) || !strings.Contains(text, `"status":"`+state+`"`) {
			t.Errorf("%x %.300s", kind, text)
		}
	}
	b.says("\x89\x82\x01\x02\x03\x04ik") // a masked ping
	if kind, text := b.hears(); kind != pong || text != "hi" {
		t.Errorf("%x %q", kind, text)
	}
	b.says("\x88\x80\x00\x00\x00\x00")
	b.over()
}

// If a client watches from a version of another process, it gets an error, and the connection is closed. When
// the agent ends, all connections are closed.
func TestWebSocketsEnd(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	b, _ := browse(t, s, "/apis/example.com/v1/things?watch=1&resourceVersion=7", websocketHeaders)
	if kind, text := b.hears(); kind != textFrame || !strings.Contains(text, `"code":410`) {
		t.Errorf("%x %s", kind, text)
	}
	b.over()
	b, _ = browse(t, s, "/apis/example.com/v1/things?watch=1", websocketHeaders)
	b.hears()
	s.Close()
	b.over()
}

// A client that may no longer read also receives no more events by WebSocket.
func TestAttackWebSocketOfWhoMayReadNoMore(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	h := New(s, nil, "test")
	var out atomic.Bool
	h.Admits = func(context.Context) bool { return !out.Load() }
	b, _ := browseOf(t, s, h, thingsPath+"?watch=1", websocketHeaders)
	b.hears()
	out.Store(true)
	s.shows(thingNamed("a", "drifted"))
	b.over()
}

// Frames that no browser sends end the connection.
func TestAttackWebSockets(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	s.shows(thingNamed("a", "in sync"))
	const things = "/apis/example.com/v1/things?watch=1"
	for _, said := range []string{
		"\x81\x04hihi", // unmasked
		"\x81\xfe\xff\xff" + strings.Repeat("x", 6),        // long
		"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00", // longer than the memory
		"GET / HTTP/1.1\r\n\r\n",
	} {
		b, _ := browse(t, s, things, websocketHeaders)
		b.hears()
		b.says(said)
		b.over()
	}
	for _, c := range []struct {
		path, headers string
		code          int
	}{
		{things, strings.ReplaceAll(websocketHeaders, "13", "8"), 400},
		{things, strings.ReplaceAll(websocketHeaders, "==", ""), 400},
		{things, strings.ReplaceAll(websocketHeaders, "dGhlIHNhbXBsZSBub25jZQ==", "aGk="), 400},
		{"/apis/example.com/v1/nothings?watch=1", websocketHeaders, 404},
		{"/apis/example.com/v1/things", websocketHeaders, 200},
		{things + "&labelSelector=a%20b", websocketHeaders, 400},
	} {
		if _, resp := browse(t, s, c.path, c.headers); resp.StatusCode != c.code {
			t.Errorf("%s %q: %s", c.path, c.headers, resp.Status)
		}
	}
}
