package readapi

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	// longest is how long anybody watches before they have to ask again.
	longest = 30 * time.Minute
	// patience is how long an event may take to be read.
	patience = 10 * time.Second
)

// watch sends what changes of what a path and a query ask for, until nobody reads it any more.
func (h *Handler) watch(w http.ResponseWriter, r *http.Request, path []string, query url.Values) {
	a, selects, ok := h.understand(w, path, query)
	if !ok {
		return
	}
	select {
	case h.watching <- struct{}{}:
		defer func() { <-h.watching }()
	default:
		w.Header().Set("Retry-After", "10")
		Refuse(w, http.StatusTooManyRequests, "too many watch already; ask again later")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), duration(query))
	defer cancel()
	now := h.store.at(a.stack)
	known, expired := h.knownAt(now, a, selects, query)
	on, hangUp, ok := listens(w, r, cancel)
	if !ok {
		return
	}
	defer hangUp()
	to := stream{enc: json.NewEncoder(printable.JSONWriter{W: on}), on: on, gvk: a.GroupVersionKind, tabled: tabled(r), whole: query.Get("includeObject") == "Object"}
	if expired {
		to.send("ERROR", failure(http.StatusGone, "the version is of another process, or too old; list again"))
		to.flush()
		return
	}
	known = to.changes(known, h.find(now, a, selects), now.version)
	if query.Get("sendInitialEvents") == "true" {
		to.bookmark(now.version)
	}
	for !now.closed && to.err == nil {
		to.flush()
		select {
		case <-ctx.Done():
			return
		case <-now.changed:
		}
		now = h.store.at(a.stack)
		known = to.changes(known, h.find(now, a, selects), now.version)
	}
}

func duration(query url.Values) time.Duration {
	if asked, err := strconv.Atoi(query.Get("timeoutSeconds")); err == nil && asked > 0 && asked < int(longest/time.Second) {
		return time.Duration(asked) * time.Second
	}
	return longest
}

// knownAt are the items that a client knows who has listed them at a version; expired when nobody remembers. Who wants
// the watch to begin with a list knows nothing: their version says only how old that list may be.
func (h *Handler) knownAt(now state, a asked, selects func(item) bool, query url.Values) (known []item, expired bool) {
	version := query.Get("resourceVersion")
	if version == "" || version == "0" {
		return nil, false
	}
	since, err := strconv.Atoi(version)
	if err != nil || since < h.store.begun || since > now.version {
		return nil, true
	}
	if query.Get("sendInitialEvents") == "true" {
		return nil, false
	}
	for _, v := range now.views {
		if v.gone > since {
			return nil, true
		}
	}
	return slices.DeleteFunc(h.find(now, a, selects), func(i item) bool { return i.version > since }), false
}

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
	enc           *json.Encoder
	on            line
	gvk           manifest.GroupVersionKind
	tabled, whole bool
	begun         bool // a table had its columns
	err           error
}

// changes sends what differs between two moments, and returns the later one, which is of a version.
func (s *stream) changes(before, after []item, version int) []item {
	had := make(map[place]int, len(before))
	for n, i := range before {
		had[i.place()] = n
	}
	for _, i := range after {
		n, ok := had[i.place()]
		delete(had, i.place())
		switch {
		case !ok:
			s.item("ADDED", i)
		case before[n].version != i.version:
			s.item("MODIFIED", i)
		}
	}
	gone := make([]item, 0, len(had))
	for _, n := range had {
		gone = append(gone, before[n])
	}
	slices.SortFunc(gone, func(a, b item) int { return cmp.Compare(a.name, b.name) })
	for _, i := range gone {
		s.item("DELETED", i.goneAt(version))
	}
	return after
}

func (s *stream) item(what string, i item) {
	var object any = json.RawMessage(i.text)
	if s.tabled {
		columns := columnsOf(s.gvk)
		if s.begun {
			columns = nil
		}
		s.begun = true
		object = table(columns, i.version, i.row(s.whole))
	}
	s.send(what, object)
}

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

// place is what tells items of one kind apart, in all stacks.
type place struct {
	id
	stack string
}

func (i item) place() place { return place{i.id(), i.namespace} }
