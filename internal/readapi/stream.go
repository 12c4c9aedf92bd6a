package readapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// line is the connection on which one client receives events.
type line interface {
	io.Writer
	Flush() error
	SetWriteDeadline(until time.Time) error
}

// answering is the line to a client that reads an HTTP answer without end.
type answering struct {
	io.Writer
	*http.ResponseController
}

// openLine opens the line to a client. It is a WebSocket if the client requests one. The argument left is called when the client closes the WebSocket.
func openLine(w http.ResponseWriter, r *http.Request, left func()) (on line, hangUp func(), ok bool) {
	if !wantsSocket(r) {
		w.Header().Set("Content-Type", "application/json;stream=watch")
		return answering{w, http.NewResponseController(w)}, func() {}, true
	}
	s, ok := upgrade(w, r)
	if !ok {
		return nil, nil, false
	}
	go func() {
		defer left()
		s.heed()
	}()
	return s, func() { _ = s.Close() }, true // an error of Close changes nothing
}

// stream sends events to one client.
type stream struct {
	lasting
	enc           *json.Encoder
	on            line
	gvk           manifest.GroupVersionKind
	tabled, whole bool
	begun         bool // reports whether the columns of the table were sent
	err           error
}

// changes sends events for a list of changes, until the watch ends.
func (s *stream) changes(list []change) {
	for _, c := range list {
		if s.err == nil && s.over() {
			s.err = errOver
		}
		if s.err != nil {
			return
		}
		i := *c.item
		if c.what == "DELETED" {
			i = i.goneAt(c.version)
		}
		s.item(c.what, i)
	}
}

func (s *stream) item(what string, i item) {
	var object any = json.RawMessage(i.text)
	if s.tabled {
		columns := columnsOf(s.gvk)
		if s.begun {
			columns = nil
		}
		s.begun = true
		now := time.Now() //nolint:forbidigo // used only for ages
		object = table(columns, i.version, i.row(s.whole, now))
	}
	s.send(what, object)
}

var errOver = errors.New("the watch is over")

// bookmark sends to the client that all initial items have been sent.
func (s *stream) bookmark(version int) {
	s.send("BOOKMARK", map[string]any{
		"apiVersion": s.gvk.APIVersion(), "kind": s.gvk.Kind,
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(version), "annotations": map[string]string{"k8s.io/initial-events-end": "true"}},
	})
}

func (s *stream) send(what string, object any) {
	s.within(func() error { return s.enc.Encode(map[string]any{"type": what, "object": object}) })
}

// flush sends the buffered events immediately.
func (s *stream) flush() { s.within(s.on.Flush) }

// within sets a deadline and calls write, unless an earlier write has failed.
func (s *stream) within(write func() error) {
	if s.err == nil {
		s.err = s.on.SetWriteDeadline(time.Now().Add(patience)) //nolint:forbidigo // used only for the deadline
	}
	if s.err == nil {
		s.err = write()
	}
}

// lasting reports when a watch must end: after its maximum time, or when the client may no longer read.
type lasting struct {
	ctx   context.Context // the context of the request
	beats *time.Ticker
	may   func() bool
}

func (h *Handler) lasting(ctx context.Context) lasting {
	return lasting{ctx, time.NewTicker(beat), func() bool { return h.admits(ctx) }}
}

// over reports whether the watch has ended. It is called before each event: while a slow client reads a list, the time can run
// out, or the client can lose the right to read.
func (l lasting) over() bool {
	if l.ctx.Err() != nil {
		return true
	}
	select {
	case <-l.beats.C:
		return !l.may()
	default:
		return false
	}
}
