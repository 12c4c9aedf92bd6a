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

// line is how events get to one client.
type line interface {
	io.Writer
	Flush() error
	SetWriteDeadline(until time.Time) error
}

// answering is the line of those who read an answer that goes on.
type answering struct {
	io.Writer
	*http.ResponseController
}

// listens is the line to who asks, by WebSocket if they want one; left is called when they have gone from that.
func listens(w http.ResponseWriter, r *http.Request, left func()) (on line, hangUp func(), ok bool) {
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
	return s, func() { _ = s.Close() }, true // no one is there to report it to
}

// stream sends events to one client.
type stream struct {
	lasting
	enc           *json.Encoder
	on            line
	gvk           manifest.GroupVersionKind
	tabled, whole bool
	begun         bool // a table had its columns
	err           error
}

// changes sends them, as long as the watch lasts.
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
		now := time.Now() //nolint:forbidigo // only ages follow from it
		object = table(columns, i.version, i.row(s.whole, now))
	}
	s.send(what, object)
}

var errOver = errors.New("the watch is over")

// bookmark says that everything that was there has been sent.
func (s *stream) bookmark(version int) {
	s.send("BOOKMARK", map[string]any{
		"apiVersion": s.gvk.APIVersion(), "kind": s.gvk.Kind,
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(version), "annotations": map[string]string{"k8s.io/initial-events-end": "true"}},
	})
}

func (s *stream) send(what string, object any) {
	s.within(func() error { return s.enc.Encode(map[string]any{"type": what, "object": object}) })
}

// flush sends what is buffered, so that a client need not wait for more.
func (s *stream) flush() { s.within(s.on.Flush) }

// within gives a write its time, unless an earlier one has failed.
func (s *stream) within(write func() error) {
	if s.err == nil {
		s.err = s.on.SetWriteDeadline(time.Now().Add(patience)) //nolint:forbidigo // it decides nothing
	}
	if s.err == nil {
		s.err = write()
	}
}

// lasting is what ends a watch: its time, and that whoever watches may not any more.
type lasting struct {
	ctx   context.Context // of one request
	beats *time.Ticker
	may   func() bool
}

func (h *Handler) lasting(ctx context.Context) lasting {
	return lasting{ctx, time.NewTicker(beat), func() bool { return h.admits(ctx) }}
}

// over reports whether it has ended, however long it takes to read what was sent.
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
