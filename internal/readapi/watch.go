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
	// longest is how long anybody watches before they have to ask again.
	longest = 30 * time.Minute
	// patience is how long an event may take to be read.
	patience = 10 * time.Second
	// pause is the least time between two looks at what has changed: what happens meanwhile is sent together.
	pause = 500 * time.Millisecond
	// beat is how often it is asked whether who watches still may, besides each time before they are told something.
	beat = 30 * time.Second
)

// watch sends what changes of what a path and a query ask for, until nobody reads it any more.
func (h *Handler) watch(w http.ResponseWriter, r *http.Request, path []string, query url.Values) {
	a, ok := h.understand(w, path, query)
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
	known, since, expired := h.knownAt(now, a, query)
	on, hangUp, ok := listens(w, r, cancel)
	if !ok {
		return
	}
	defer hangUp()
	lasts := h.lasting(ctx)
	defer lasts.beats.Stop()
	to := stream{lasting: lasts, enc: json.NewEncoder(printable.JSONWriter{W: on}), on: on, gvk: a.GroupVersionKind, tabled: tabled(r), whole: query.Get("includeObject") == "Object"}
	if expired {
		to.send("ERROR", failure(http.StatusGone, "the version is of another process, or too old; list again"))
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

// news is the next moment at which something of the kind that is asked for has changed, or nothing does any more; ok is false when nobody is to be told.
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

// knownAt is what a client knows who has listed at a version: of a moment, what is not newer than since; expired when nobody
// remembers. Clients with initial events start empty: their version says only how old that list may be.
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
	return now, since, now.gone(a.GroupVersionKind) > since
}

// change is what a client is told of an item.
type change struct {
	what    string // as Kubernetes calls it
	item    *item
	version int // at which it changed, or went
}

// changes are those of what is asked for between two moments, by version: who has heard of some knows by the version of the
// last which are missing. Of the moment before, a client knows what is not newer than since. What has changed after that is not
// remembered as it was then: it may have been among what is asked for.
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
			list = append(list, change{"DELETED", i, i.version}) // who never had it has nothing to forget
		}
	}
	list = append(list, ends(had, after.gone(a.GroupVersionKind))...)
	slices.SortStableFunc(list, func(one, other change) int { return cmp.Compare(one.version, other.version) })
	return list
}

// ends are the changes of items that are there no more, the last of which went at a version. When each of the others went
// is not remembered: they get the versions before that, all newer than the moment before, since each had one of its own.
// Who has heard of all of them has the version of the last, or a newer one; an older one has expired.
func ends(had map[place]*item, last int) (list []change) {
	places := slices.SortedFunc(maps.Keys(had), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.stack, b.stack), natural.Compare(a.name, b.name), cmp.Compare(a.within, b.within))
	})
	for n, p := range places {
		list = append(list, change{"DELETED", had[p], last - len(places) + 1 + n})
	}
	return list
}

// place is what tells items of one kind apart, in all stacks.
type place struct {
	id
	stack string
}

func (i item) place() place { return place{i.id(), i.namespace} }
