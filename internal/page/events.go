package page

import (
	"fmt"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/readapi"
)

const (
	// beat is the interval at which a message is sent, so that both sides notice if the other one has disconnected.
	beat = 25 * time.Second
	// patience is the time in which a client must read a message.
	patience = 10 * time.Second
	// pause is the minimum time between two messages.
	pause = 500 * time.Millisecond
)

// events sends a signal when there are new data. The signal does not contain the data; clients with a session
// read them.
func (h *Handler) events(w http.ResponseWriter, r *http.Request) {
	select {
	case h.watching <- struct{}{}:
		defer func() { <-h.watching }()
	default:
		w.Header().Set("Retry-After", "10")
		readapi.Refuse(w, http.StatusTooManyRequests, "too many pages are open; try again later")
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	send := func(format string, args ...any) bool {
		if control.SetWriteDeadline(h.Now().Add(patience)) != nil {
			return false
		}
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && control.Flush() == nil
	}
	beats := time.NewTicker(beat)
	defer beats.Stop()
	for sent := -1; ; {
		version, changed, ended := h.Store.Version()
		if ended || !h.sessions.valid(r) || version != sent && !send("retry: 3000\nevent: version\ndata: %d\n\n", version) {
			return
		}
		sent = version
		select {
		case <-r.Context().Done():
			return
		case <-beats.C:
			if !send(": beat\n\n") {
				return
			}
		case <-changed:
			select {
			case <-r.Context().Done():
				return
			case <-time.After(pause):
			}
		}
	}
}
