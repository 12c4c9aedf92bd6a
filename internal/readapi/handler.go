package readapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Prefixes are the path prefixes of the API.
var Prefixes = []string{"/api", "/api/", "/apis", "/apis/", "/openapi/", "/version"}

const (
	// atATime is the maximum number of answers that are composed at the same time. Watches do not count.
	atATime = 4
	// watchers is the maximum number of clients that may watch at the same time.
	watchers = 32
)

// Handler answers requests below [Prefixes]. It does not authenticate, because its caller has already decided about access.
type Handler struct {
	// Admits, if set, reports whether the client may still read. It gets the context of the client's request. Watches call it repeatedly. It must
	// be set before the first request.
	Admits func(ctx context.Context) bool
	// Who(ctx), if set, returns the client's name from the context of its request, or "" if the name is unknown. It must be set before the first
	// request.
	Who func(ctx context.Context) string

	store    *Store
	schemas  func() ([]Schema, error)
	version  string
	places   *Places
	watching chan struct{}
}

// New returns a handler that shows the items of s. schemas returns the schemas of all kinds.
func New(s *Store, schemas func() ([]Schema, error), version string) *Handler {
	return &Handler{store: s, schemas: schemas, version: version, places: NewPlaces(atATime), watching: make(chan struct{}, watchers)}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		Refuse(w, http.StatusBadRequest, "the query cannot be read")
		return
	}
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if r.Method == http.MethodGet && (query.Get("watch") == "true" || query.Get("watch") == "1") {
		h.watch(w, r, path, query)
		return
	}
	if asks, ok := reviews[strings.Join(path, "/")]; ok && r.Method == http.MethodPost {
		h.review(w, r, asks)
		return
	}
	h.places.Answer(w, r, func(w http.ResponseWriter, r *http.Request) { h.compose(w, r, path, query) })
}

// compose writes all answers except those of watches and reviews. These answers are complete before they are sent.
func (h *Handler) compose(w http.ResponseWriter, r *http.Request, path []string, query url.Values) {
	switch {
	case r.Method != http.MethodGet:
		h.refuseWrite(w, path, query.Has("dryRun"))
	case r.URL.Path == "/version":
		answer(w, http.StatusOK, "", map[string]any{"major": "1", "minor": "30", "gitVersion": "v1.30.0+stackreeve", "gitCommit": h.version, "platform": "stackreeve"})
	case path[0] == "openapi":
		h.openapi(w, path)
	case len(path) == 1:
		h.discover(w, r, path[0] == "api")
	case path[0] == "apis" && len(path) == 3, path[0] == "api" && len(path) == 2:
		h.discoverVersion(w, path)
	default:
		h.read(w, r, path, query)
	}
}

// admits reports whether the client may still read.
func (h *Handler) admits(ctx context.Context) bool { return h.Admits == nil || h.Admits(ctx) }

// asked contains the resource, stack and object in the path of a request.
type asked struct {
	resource
	stack, name string // "" means all
	selects     selection
}

// wants reports whether the answer contains an item.
func (a asked) wants(i item) bool { return (a.name == "" || i.name == a.name) && a.selects.meets(i) }

// mayHaveWanted reports whether an earlier answer may have contained an item before it changed.
func (a asked) mayHaveWanted(i item) bool {
	return (a.name == "" || i.name == a.name) && a.selects.unchanging().meets(i)
}

// parse reads a path: GROUP/VERSION/[namespaces/NAMESPACE/]PLURAL[/NAME].
func (h *Handler) parse(path []string) (a asked, ok bool) { return pathOf(path, h.store.resources()) }

// pathOf finds the resource of a path in a list of resources.
func pathOf(path []string, list []resource) (a asked, ok bool) {
	gv, rest := manifest.GroupVersionKind{}, path
	switch {
	case path[0] == "api" && len(path) > 2:
		gv.Version, rest = path[1], path[2:]
	case path[0] == "apis" && len(path) > 3:
		gv.Group, gv.Version, rest = path[1], path[2], path[3:]
	default:
		return a, false
	}
	if rest[0] == "namespaces" && len(rest) > 2 {
		a.stack, rest = rest[1], rest[2:]
	}
	if len(rest) > 2 {
		return a, false
	}
	if len(rest) == 2 {
		a.name = rest[1]
	}
	for _, r := range list {
		if r.Group == gv.Group && r.Version == gv.Version && r.plural == rest[0] {
			a.resource = r
			return a, r.namespaced || a.stack == ""
		}
	}
	return a, false
}

// find returns the requested items in a state of the store.
func (h *Handler) find(now state, a asked) []item {
	return slices.DeleteFunc(h.store.items(now, a.GroupVersionKind), func(i item) bool { return !a.wants(i) })
}

// parseRequest parses a path and a query. ok is false if they were refused; then the answer is already written.
func (h *Handler) parseRequest(w http.ResponseWriter, path []string, query url.Values) (a asked, ok bool) {
	if a, ok = h.parse(path); !ok {
		Refuse(w, http.StatusNotFound, h.noSuch(path))
		return a, false
	}
	var err error
	if a.selects, err = selectionOf(query); err != nil {
		Refuse(w, http.StatusBadRequest, err.Error())
		return a, false
	}
	return a, true
}

func (h *Handler) read(w http.ResponseWriter, r *http.Request, path []string, query url.Values) {
	a, ok := h.parseRequest(w, path, query)
	if !ok {
		return
	}
	now := h.store.at(a.stack)
	items := h.find(now, a)
	switch {
	case a.name != "" && len(items) == 0:
		Refuse(w, http.StatusNotFound, fmt.Sprintf("%s %s not found", a.plural, printable.Name(a.name)))
	case tabled(r):
		at := time.Now() //nolint:forbidigo // used only for ages
		rows := make([]any, 0, len(items))
		for _, i := range items {
			rows = append(rows, i.row(query.Get("includeObject") == "Object", at))
		}
		answer(w, http.StatusOK, "", table(columnsOf(a.GroupVersionKind), now.version, rows...))
	case a.name != "":
		answer(w, http.StatusOK, "", json.RawMessage(items[0].text))
	default:
		list(w, a, now.version, items)
	}
}

func tabled(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "as=Table;v=v1;g=meta.k8s.io")
}

// list writes the items one after the other. It does not copy them, because together they may be large.
func list(w http.ResponseWriter, a asked, version int, items []item) {
	w.Header().Set("Content-Type", "application/json")
	add := func(text []byte) { _, _ = w.Write(text) } // an error cannot be sent to the client
	if r, ok := w.(*reply); ok {
		add = r.share
	}
	add(fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"%d"},"items":[`, a.APIVersion(), a.Kind+"List", version))
	first, between := []byte("\n"), []byte(",\n")
	for n, i := range items {
		if n == 0 {
			add(first)
		} else {
			add(between)
		}
		add(i.text)
	}
	add([]byte("]}\n"))
}

// refuseWrite refuses a write. The answer says where the change must be made, or for a dry run, where it can be tried.
func (h *Handler) refuseWrite(w http.ResponseWriter, path []string, trial bool) {
	w.Header().Set("Allow", http.MethodGet)
	if trial {
		Refuse(w, http.StatusMethodNotAllowed, noTrial)
		return
	}
	where := "the repository"
	a, ok := h.parse(path)
	if !ok && len(path) > 1 { // a subresource, such as its scale
		a, ok = h.parse(path[:len(path)-1])
	}
	if ok && a.name != "" {
		for _, i := range h.find(h.store.at(a.stack), a) {
			where = cmp.Or(i.written, where)
		}
	}
	Refuse(w, http.StatusMethodNotAllowed, noWriting+": "+where)
}

var reasons = map[int]string{
	http.StatusUnauthorized: "Unauthorized", http.StatusNotFound: "NotFound", http.StatusMethodNotAllowed: "MethodNotAllowed",
	http.StatusBadRequest: "BadRequest", http.StatusServiceUnavailable: "ServiceUnavailable", http.StatusGone: "Expired",
	http.StatusTooManyRequests: "TooManyRequests", http.StatusInternalServerError: "InternalError",
	http.StatusRequestEntityTooLarge: "RequestEntityTooLarge",
}

// failure returns the Status object with which Kubernetes reports an error.
func failure(code int, message string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Status", "metadata": map[string]any{}, "status": "Failure", "message": message, "reason": reasons[code], "code": code}
}

// Refuse answers with a status code and a message.
func Refuse(w http.ResponseWriter, code int, message string) {
	answer(w, code, "", failure(code, message))
}

func answer(w http.ResponseWriter, code int, parameters string, v any) {
	w.Header().Set("Content-Type", "application/json"+parameters)
	w.WriteHeader(code)
	_ = report.JSON(w, v) // an error cannot be sent to the client
}
