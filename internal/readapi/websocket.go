package readapi

import (
	"net/http"
	"strings"

	"github.com/gorilla/websocket"
)

// socket is a connection to a client that watches by WebSocket, as programs in browsers have to. Each write is a message.
type socket struct{ *websocket.Conn }

// wantsSocket reports whether a client asks for a WebSocket.
func wantsSocket(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

// upgrade takes the connection of a request over; ok is false when it is refused. Whatever page asks, it has a token, which
// browsers add to no request by themselves.
func upgrade(w http.ResponseWriter, r *http.Request) (s socket, ok bool) {
	taken := http.Header{}
	// Of what a client offers one has to be taken. None of Kubernetes' says anything of a watch.
	if first, _, _ := strings.Cut(r.Header.Get("Sec-WebSocket-Protocol"), ","); strings.TrimSpace(first) != "" {
		taken.Set("Sec-WebSocket-Protocol", strings.TrimSpace(first))
	}
	upgrader := websocket.Upgrader{
		CheckOrigin: func(*http.Request) bool { return true },
		Error:       func(w http.ResponseWriter, _ *http.Request, code int, why error) { Refuse(w, code, why.Error()) },
	}
	conn, err := upgrader.Upgrade(w, r, taken)
	if err != nil {
		return socket{}, false // it has said so
	}
	return socket{conn}, true
}

// heed answers what a client says of the connection until it leaves, or says anything else: nothing is expected of it.
func (s socket) heed() {
	s.SetReadLimit(1)
	_, _, _ = s.NextReader() // whatever it is
}

// Write sends a message of text.
func (s socket) Write(message []byte) (int, error) {
	if err := s.WriteMessage(websocket.TextMessage, message); err != nil {
		return 0, err
	}
	return len(message), nil
}

// Flush has nothing to do: each message has been sent.
func (socket) Flush() error { return nil }

// Close says that it is over, and ends the connection.
func (s socket) Close() error {
	_ = s.WriteMessage(websocket.CloseMessage, nil) // it may be over already
	return s.Conn.Close()
}
