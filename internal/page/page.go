package page

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/readapi"
)

// Prefix is the path prefix of all requests.
const Prefix = "/ui/"

const (
	// atATime is the maximum number of answers that are composed at the same time. The read API and clients that
	// wait for events do not count.
	atATime = 4
	// watchers is the maximum number of clients that may wait for events at the same time.
	watchers = 32
)

// Config contains the data to show, and the people to whom they are shown.
type Config struct {
	Holders *control.Holders
	Store   *readapi.Store
	Read    http.Handler // the read API, without its guard
	Log     *slog.Logger
	Now     func() time.Time
}

// Handler answers requests below [Prefix].
type Handler struct {
	Config
	static   map[string]asset
	sessions *sessions
	origin   *http.CrossOriginProtection
	places   *readapi.Places
	history  *readapi.Places // limits requests that search a repository, which may take long
	watching chan struct{}
}

// New returns a handler for the page.
func New(c Config) (*Handler, error) {
	static, err := assets()
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return &Handler{
		Config: c, static: static, origin: http.NewCrossOriginProtection(),
		sessions: &sessions{now: c.Now, counts: c.Holders.Counts, held: map[[32]byte]session{}},
		places:   readapi.NewPlaces(atATime), history: readapi.NewPlaces(1), watching: make(chan struct{}, watchers),
	}, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // no request for a page needs a body
	}
	if a, ok := h.static[r.URL.Path]; ok {
		if allow(w, r, http.MethodGet, http.MethodHead) {
			a.ServeHTTP(w, r)
		}
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	switch path, data := strings.CutPrefix(r.URL.Path, Prefix+"data/"); {
	case r.URL.Path == Prefix+"login":
		h.serveLimited(w, r, http.MethodPost, h.login)
	case r.URL.Path == Prefix+"logout":
		h.serveLimited(w, r, http.MethodPost, h.logout)
	case !data && r.URL.Path != Prefix+"events":
		http.NotFound(w, r)
	case !allow(w, r, http.MethodGet):
	case !h.sessions.valid(r):
		readapi.Refuse(w, http.StatusUnauthorized, "log in first")
	case path == "objects":
		h.serveLimited(w, r, http.MethodGet, h.objects)
	case path == "wrote":
		h.history.Answer(w, r, h.wrote)
	case data:
		h.data(w, r, path)
	default:
		h.events(w, r)
	}
}

func allow(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	http.Error(w, "use "+methods[0], http.StatusMethodNotAllowed)
	return false
}

// serveLimited calls serve when there is a place. POST requests must come from the page itself.
func (h *Handler) serveLimited(w http.ResponseWriter, r *http.Request, method string, serve http.HandlerFunc) {
	if !allow(w, r, method) {
		return
	}
	if method == http.MethodPost && (h.origin.Check(r) != nil || r.Header.Get("Origin") == "") {
		http.Error(w, "this request does not come from the page itself", http.StatusForbidden)
		return
	}
	h.places.Answer(w, r, serve)
}

func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	token, code := h.Holders.Of(r)
	if code != 0 {
		http.Error(w, strings.ToLower(http.StatusText(code)), code)
		return
	}
	h.sessions.end(r)
	http.SetCookie(w, cookie(r, h.sessions.begin(token)))
	h.Log.Info("somebody logged in to the page", "by", token.Name)
	w.WriteHeader(http.StatusNoContent)
}

func (h *Handler) logout(w http.ResponseWriter, r *http.Request) {
	h.sessions.end(r)
	http.SetCookie(w, cookie(r, ""))
	w.WriteHeader(http.StatusNoContent)
}

// data answers a request with the read API, which has its own places.
func (h *Handler) data(w http.ResponseWriter, r *http.Request, path string) {
	query := r.URL.Query()
	below := slices.ContainsFunc(readapi.Prefixes, func(p string) bool { return strings.HasPrefix("/"+path, p) })
	if !below || query.Has("watch") {
		readapi.Refuse(w, http.StatusNotFound, "there is nothing here")
		return
	}
	inner := r.Clone(r.Context())
	inner.URL = &url.URL{Path: "/" + path, RawQuery: r.URL.RawQuery}
	h.Read.ServeHTTP(w, inner)
}

// objects answers GET /ui/data/objects?stack=NAME[&since=VERSION].
func (h *Handler) objects(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	index, ok := h.Store.Index(query.Get("stack"))
	switch {
	case !ok:
		readapi.Refuse(w, http.StatusNotFound, "there is no such stack")
	case query.Get("since") == strconv.Itoa(index.Version):
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(index) // an error cannot be sent to the client
	}
}

// wrote answers GET /ui/data/wrote?stack=NAME&file=FILE: the last change of the file.
func (h *Handler) wrote(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	who, ok := h.Store.LastChange(r.Context(), query.Get("stack"), query.Get("file"))
	if !ok {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(who) // an error cannot be sent to the client
}
