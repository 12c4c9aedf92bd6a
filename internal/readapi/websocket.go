package readapi

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // the protocol wants it, and nothing relies on it
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Frames of RFC 6455 that are sent, or understood. The first bit says that a frame is a whole message.
const (
	final     = 0x80
	textFrame = 0x1
	closing   = 0x8
	ping      = 0x9
	pong      = 0xa

	masked = 0x80
	// shortest is the longest payload whose length is in the second byte; no frame that a client has to send is longer.
	shortest = 125
)

// socket is a connection to a client that watches by WebSocket, as programs in browsers have to. Each write is a message.
type socket struct {
	net.Conn
	in *bufio.Reader

	mu  sync.Mutex // of out
	out *bufio.Writer
}

// wantsSocket reports whether a client asks for a WebSocket.
func wantsSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade")
}

// upgrade takes the connection of a request over; ok is false when it is refused.
func upgrade(w http.ResponseWriter, r *http.Request) (s *socket, ok bool) {
	key := r.Header.Get("Sec-WebSocket-Key")
	if nonce, err := base64.StdEncoding.DecodeString(key); err != nil || len(nonce) != 16 || r.Header.Get("Sec-WebSocket-Version") != "13" {
		w.Header().Set("Sec-WebSocket-Version", "13")
		Refuse(w, http.StatusBadRequest, "this is no WebSocket of version 13")
		return nil, false
	}
	conn, both, err := http.NewResponseController(w).Hijack()
	if err != nil {
		Refuse(w, http.StatusBadRequest, "this connection cannot become a WebSocket")
		return nil, false
	}
	_ = conn.SetDeadline(time.Time{}) // that of the request; one that is closed already says so when it is written to
	s = &socket{Conn: conn, in: both.Reader, out: both.Writer}
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // see above
	answered := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + base64.StdEncoding.EncodeToString(sum[:]) + "\r\n"
	// Of what a client offers one has to be taken. None of Kubernetes' says anything of a watch.
	if first, _, _ := strings.Cut(r.Header.Get("Sec-WebSocket-Protocol"), ","); strings.TrimSpace(first) != "" {
		answered += "Sec-WebSocket-Protocol: " + strings.TrimSpace(first) + "\r\n"
	}
	_, _ = s.out.WriteString(answered + "\r\n") // a writer that has failed fails when it is flushed
	return s, true
}

// Write sends a message of text.
func (s *socket) Write(message []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame(textFrame, message)
	return len(message), nil // the error comes with the flush
}

// Flush sends what is buffered.
func (s *socket) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("WebSocket: %w", err)
	}
	return nil
}

// frame is called with the lock held.
func (s *socket) frame(kind byte, payload []byte) {
	head := []byte{final | kind}
	switch size := len(payload); {
	case size <= shortest:
		head = append(head, byte(size))
	case size < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(size)) //nolint:gosec // it has been compared
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), uint64(size))
	}
	_, _ = s.out.Write(head)
	_, _ = s.out.Write(payload)
}

// heed answers what a client says of the connection until it leaves. Nothing else is expected of it.
func (s *socket) heed() {
	for {
		kind, payload, err := s.next()
		if err != nil || kind == closing {
			return
		}
		if kind == ping && s.reply(payload) != nil {
			return
		}
	}
}

// next is the next frame of a client.
func (s *socket) next() (kind byte, payload []byte, err error) {
	var head [6]byte // with the mask
	if _, err := io.ReadFull(s.in, head[:]); err != nil {
		return 0, nil, fmt.Errorf("WebSocket: %w", err)
	}
	size := int(head[1] &^ masked)
	if head[1]&masked == 0 || size > shortest {
		return 0, nil, fmt.Errorf("WebSocket: a frame of a client has no mask, or is long")
	}
	payload = make([]byte, size)
	if _, err := io.ReadFull(s.in, payload); err != nil {
		return 0, nil, fmt.Errorf("WebSocket: %w", err)
	}
	for n := range payload {
		payload[n] ^= head[2+n%4]
	}
	return head[0] & 0x0f, payload, nil
}

func (s *socket) reply(payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame(pong, payload)
	if err := s.SetWriteDeadline(time.Now().Add(patience)); err != nil { //nolint:forbidigo // it decides nothing
		return fmt.Errorf("WebSocket: %w", err)
	}
	return s.out.Flush()
}

// Close says that it is over, and ends the connection.
func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame(closing, nil)
	_ = s.SetWriteDeadline(time.Now().Add(patience)) //nolint:forbidigo // it decides nothing
	_ = s.out.Flush()
	return s.Conn.Close()
}
