package page

import (
	"fmt"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/readapi"
)

const (
	// beat is how often something is sent, so that both sides notice when the other is gone.
	beat = 25 * time.Second
	// patience is how long a message may take to be read.
	patience = 10 * time.Second
	// pause is the minimum time between two messages.
	pause = 500 * time.Millisecond
)

// events signals that there is something new, without the data: clients with a session read that.
func (h *Handler) events(w http.ResponseWriter, r *http.Request) {
	select {
	case h.watching <- struct{}{}:
		defer func() { <-h.watching }()
	default:
		w.Header().Set("Retry-After", "10")
		readapi.Refuse(w, http.StatusTooManyRequests, "too many watches are open; ask again later")
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
