package readapi

import (
	"net/http"
	"strings"

	"github.com/gorilla/websocket"
)

// socket is a connection to a client that watches by WebSocket, as programs in browsers must. Each write is one message.
type socket struct{ *websocket.Conn }

// wantsSocket reports whether a client requests a WebSocket.
func wantsSocket(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

// upgrade turns a request into a WebSocket connection. ok is false if it is refused. The origin is not checked, because the request needs a
// token, which browsers never add themselves.
func upgrade(w http.ResponseWriter, r *http.Request) (s socket, ok bool) {
	taken := http.Header{}
	// The server must choose one of the subprotocols that the client offers. None of Kubernetes' subprotocols is defined for a watch.
	if first, _, _ := strings.Cut(r.Header.Get("Sec-WebSocket-Protocol"), ","); strings.TrimSpace(first) != "" {
		taken.Set("Sec-WebSocket-Protocol", strings.TrimSpace(first))
	}
	upgrader := websocket.Upgrader{
		CheckOrigin: func(*http.Request) bool { return true },
		Error:       func(w http.ResponseWriter, _ *http.Request, code int, why error) { Refuse(w, code, why.Error()) },
	}
	conn, err := upgrader.Upgrade(w, r, taken)
	if err != nil {
		return socket{}, false // Upgrade has answered
	}
	return socket{conn}, true
}

// heed answers control frames until the client disconnects or sends a message. No message is expected, so a message also ends the connection.
func (s socket) heed() {
	s.SetReadLimit(1)
	_, _, _ = s.NextReader() // any message ends the connection
}

// Write sends a text message.
func (s socket) Write(message []byte) (int, error) {
	if err := s.WriteMessage(websocket.TextMessage, message); err != nil {
		return 0, err
	}
	return len(message), nil
}

// Flush does nothing, because Write sends each message immediately.
func (socket) Flush() error { return nil }

// Close sends a close message and closes the connection.
func (s socket) Close() error {
	_ = s.WriteMessage(websocket.CloseMessage, nil) // the connection may already be closed
	return s.Conn.Close()
}
