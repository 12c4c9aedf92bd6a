package readapi

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	// longest is the maximum duration of a watch. Clients then start another watch.
	longest = 30 * time.Minute
	// patience is the time in which a client must read an event.
	patience = 10 * time.Second
	// pause is the minimum time between two searches for changes. All changes in this time are sent together.
	pause = 500 * time.Millisecond
	// beat is the interval at which a watch checks that its client may still read. It also checks before each send.
	beat = 30 * time.Second
)

// watch sends the changes of the requested items until the client disconnects.
func (h *Handler) watch(w http.ResponseWriter, r *http.Request, path []string, query url.Values) {
	a, ok := h.parseRequest(w, path, query)
	if !ok {
		return
	}
	select {
	case h.watching <- struct{}{}:
		defer func() { <-h.watching }()
	default:
		w.Header().Set("Retry-After", "10")
		Refuse(w, http.StatusTooManyRequests, "too many watches are open; try again later")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), duration(query))
	defer cancel()
	now := h.store.at(a.stack)
	known, since, expired := h.knownAt(now, a, query)
	on, hangUp, ok := openLine(w, r, cancel)
	if !ok {
		return
	}
	defer hangUp()
	lasts := h.lasting(ctx)
	defer lasts.beats.Stop()
	to := stream{lasting: lasts, enc: json.NewEncoder(printable.JSONWriter{W: on}), on: on, gvk: a.GroupVersionKind, tabled: tabled(r), whole: query.Get("includeObject") == "Object"}
	if expired {
		to.send("ERROR", failure(http.StatusGone, "the version has expired; list again"))
		to.flush()
		return
	}
	to.changes(a.changes(known, now, since))
	if query.Get("sendInitialEvents") == "true" {
		to.bookmark(now.version)
	}
	for !now.closed && to.err == nil {
		to.flush()
		known = now.only(a.GroupVersionKind)
		if now, ok = h.news(lasts, now, a); !ok {
			return
		}
		to.changes(a.changes(known, now, known.version))
	}
}

// news waits until an item of the requested kind has changed, or until the store is closed. ok is false if the watch has ended.
func (h *Handler) news(lasts lasting, now state, a asked) (next state, ok bool) {
	had, rest := now.newest(a.GroupVersionKind), time.NewTimer(pause)
	defer rest.Stop()
	for early := true; !now.closed && (early || now.newest(a.GroupVersionKind) == had); {
		select {
		case <-lasts.ctx.Done():
			return now, false
		case <-lasts.beats.C:
			if !lasts.may() {
				return now, false
			}
		case <-rest.C:
			early = false
		case <-now.changed:
			now = h.store.at(a.stack)
		}
	}
	return now, lasts.may()
}

func duration(query url.Values) time.Duration {
	if asked, err := strconv.Atoi(query.Get("timeoutSeconds")); err == nil && asked > 0 && asked < int(longest/time.Second) {
		return time.Duration(asked) * time.Second
	}
	return longest
}

// knownAt returns the data of a client that has listed at a version: those items in known that are not newer than since. expired is true if
// these data are no longer stored. A client that requests initial events has no items at first. Its version only says how old the initial list
// may be.
func (h *Handler) knownAt(now state, a asked, query url.Values) (known state, since int, expired bool) {
	version := query.Get("resourceVersion")
	if version == "" || version == "0" {
		return state{}, 0, false
	}
	since, err := strconv.Atoi(version)
	if err != nil || since < h.store.begun || since > now.version {
		return state{}, 0, true
	}
	if query.Get("sendInitialEvents") == "true" {
		return state{}, 0, false
	}
	return now, since, now.deletedVersion(a.GroupVersionKind) > since
}

// change is one event of a watch.
type change struct {
	what    string // ADDED, MODIFIED or DELETED
	item    *item
	version int // the version of the change or the deletion
}

// changes returns the changes of the requested items between two states, ordered by version. From the version of the last event that it
// received, a client knows which events are missing. Of the state before, the client has the items that are not newer than since. If an item
// changed after since, its earlier form is unknown, and the client may have had it.
func (a asked) changes(before, after state, since int) (list []change) {
	had, resumed := map[place]*item{}, since < before.version
	if !resumed {
		before, after = before.differing(after, a.GroupVersionKind)
	}
	for i := range before.all(a.GroupVersionKind) {
		if i.version <= since && a.wants(*i) {
			had[i.place()] = i
		}
	}
	for i := range after.all(a.GroupVersionKind) {
		was, known := had[i.place()]
		delete(had, i.place())
		switch wanted := a.wants(*i); {
		case wanted && !known:
			list = append(list, change{"ADDED", i, i.version})
		case wanted && was.version != i.version:
			list = append(list, change{"MODIFIED", i, i.version})
		case !wanted && known:
			list = append(list, change{"DELETED", was, i.version})
		case !wanted && resumed && i.version > since && a.mayHaveWanted(*i):
			list = append(list, change{"DELETED", i, i.version}) // a client that did not have the item ignores this
		}
	}
	list = append(list, ends(had, after.deletedVersion(a.GroupVersionKind))...)
	slices.SortStableFunc(list, func(one, other change) int { return cmp.Compare(one.version, other.version) })
	return list
}

// ends returns the deletions of items that no longer exist. The argument last is the version of the last deletion. The versions of the other deletions are
// not stored, so they get the versions directly before last. These are newer than the earlier state, because each deletion had another
// version. A client that has received all of them has the version last or a newer one. For an older version, the watch has expired.
func ends(had map[place]*item, last int) (list []change) {
	places := slices.SortedFunc(maps.Keys(had), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.stack, b.stack), natural.Compare(a.name, b.name), cmp.Compare(a.within, b.within))
	})
	for n, p := range places {
		list = append(list, change{"DELETED", had[p], last - len(places) + 1 + n})
	}
	return list
}

// place identifies an item of one kind across all stacks.
type place struct {
	id
	stack string
}

func (i item) place() place { return place{i.id(), i.namespace} }
