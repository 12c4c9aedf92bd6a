package control

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Prefix is the path prefix of all requests.
const Prefix = "/stacks/"

// Actions are the requests for one stack. The functions may be called concurrently. They must return immediately, and
// many calls must cause little work.
type Actions struct {
	Now func()
	// Approve approves the held plan with this hash. by is the holder of the token.
	Approve func(hash, by string) error
	// Replace requests the replacement of targets, such as Server/web-1, by the plan with this hash.
	Replace func(hash string, targets []string, by string) error
	// State returns the state of the stack, for encoding/json.
	State func() any
	// Elsewhere, if set, returns an error if another agent serves the stack. Then this agent answers only requests for
	// the state.
	Elsewhere func() error
}

// Config contains the tokens and the stacks of a handler.
type Config struct {
	// Tokens returns the tokens that are valid now; see the function [Tokens].
	Tokens func() ([]Token, error)
	// Stack returns the actions of a stack. ok is false if there is no stack with that name.
	Stack func(name string) (actions Actions, ok bool)
	Log   *slog.Logger
}

// Handler answers requests below [Prefix].
type Handler struct {
	Config
	mute atomic.Bool // reports whether the tokens could not be read the last time
}

// New returns a handler, or an error when there are no tokens.
func New(c Config) (*Handler, error) {
	list, err := c.Tokens()
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, errors.New("there is no token")
	}
	return &Handler{Config: c}, nil
}

// Off is the handler that is used if no token is configured.
func Off(w http.ResponseWriter, r *http.Request) {
	unread(w, r)
	http.Error(w, "switched off; start the agent with --control-token-file FILE, a file with a token", http.StatusNotFound)
}

// ServeHTTP checks the token first. Without a valid token, the answer contains no information about any stack.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	who, code := h.admit(r)
	if code != 0 {
		if code == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		unread(w, r)
		http.Error(w, strings.ToLower(http.StatusText(code)), code)
		return
	}
	name, verb, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), Prefix), "/")
	stack, ok := h.Stack(name)
	serve, method := h.state, http.MethodGet
	switch verb {
	case "":
	case "reconcile":
		serve, method = h.reconcile, http.MethodPost
	case "approve":
		serve, method = h.approve, http.MethodPost
	case "replace":
		serve, method = h.replace, http.MethodPost
	default:
		ok = false
	}
	var elsewhere error
	if ok && method == http.MethodPost && stack.Elsewhere != nil {
		elsewhere = stack.Elsewhere()
	}
	switch {
	case !ok:
		unread(w, r)
		http.Error(w, "no such stack, or the stack has no such request", http.StatusNotFound)
	case r.Method != method:
		unread(w, r)
		w.Header().Set("Allow", method)
		http.Error(w, "use "+method, http.StatusMethodNotAllowed)
	case elsewhere != nil:
		unread(w, r)
		http.Error(w, elsewhere.Error(), http.StatusConflict)
	default:
		serve(w, r, asked{stack, name, who})
	}
}

// asked is a request that may be carried out.
type asked struct {
	Actions
	name, by string
}

// admit returns the name of the client. If the request is refused, it returns the status for the answer.
func (h *Handler) admit(r *http.Request) (who string, code int) {
	found, code := h.token(r)
	if code == 0 && found.Name == "" {
		return "a holder of the control token", 0
	}
	return found.Name, code
}

// token returns the token of a request.
func (h *Handler) token(r *http.Request) (found Token, code int) {
	token, ok := bearer(r.Header)
	if !ok {
		return found, http.StatusUnauthorized
	}
	list, ok := h.valid()
	if !ok {
		return found, http.StatusServiceUnavailable
	}
	if found, ok = holder(list, token); !ok {
		h.Log.Debug("a wrong control token", "from", r.RemoteAddr)
		return found, http.StatusUnauthorized
	}
	return found, 0
}

// valid returns the tokens that are valid now. ok is false if they cannot be read.
func (h *Handler) valid() (list []Token, ok bool) {
	list, err := h.Tokens()
	if err != nil {
		if !h.mute.Swap(true) {
			h.Log.Error("the control tokens cannot be read; all requests are refused", "error", err)
		}
		return nil, false
	}
	h.mute.Store(false)
	return list, true
}

func (h *Handler) state(w http.ResponseWriter, r *http.Request, a asked) {
	unread(w, r)
	w.Header().Set("Content-Type", "application/json")
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	_ = out.Encode(a.State()) // an error cannot be sent to the client
}

func (h *Handler) reconcile(w http.ResponseWriter, r *http.Request, a asked) {
	unread(w, r)
	h.Log.Info("asked to reconcile now", "stack", a.name, "by", a.by)
	a.Now()
	accepted(w)
}

// maxHash is the maximum length of the body of an approval, in bytes.
const maxHash = 256

var hashForm = pattern.Of(`^[0-9a-f]{64}$`)

func (h *Handler) approve(w http.ResponseWriter, r *http.Request, a asked) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHash))
	hash := strings.TrimSpace(string(body))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		unread(w, r)
		http.Error(w, "too long", http.StatusRequestEntityTooLarge)
	case err != nil || !hashForm.MatchString(hash):
		http.Error(w, "send the hash of the plan, 64 hexadecimal digits, as the body", http.StatusBadRequest)
	default:
		if err := a.Approve(hash, a.by); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		h.Log.Info("plan approved", "stack", a.name, "hash", hash, "by", a.by)
		accepted(w)
	}
}

// These are the limits of a request for a replacement: of its body, in bytes, and of its targets.
const (
	maxRequest = 64 << 10
	maxTargets = 100
)

var targetForm = pattern.Of(`^[A-Za-z][A-Za-z0-9]{0,62}(/[^/\s\pC]{1,253}){1,2}$`)

// replace reads the hash of a plan and the names of its targets, one on each line.
func (h *Handler) replace(w http.ResponseWriter, r *http.Request, a asked) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	lines := strings.Split(strings.TrimSpace(string(body)), "\n")
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long) || len(lines) > maxTargets+1:
		unread(w, r)
		http.Error(w, "too long", http.StatusRequestEntityTooLarge)
		return
	case err != nil || len(lines) < 2 || !hashForm.MatchString(lines[0]) || slices.ContainsFunc(lines[1:], func(name string) bool { return !targetForm.MatchString(name) }):
		http.Error(w, "send the hash of the plan on the first line, and then one Kind/name on each line", http.StatusBadRequest)
		return
	}
	if err := a.Replace(lines[0], lines[1:], a.by); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	h.Log.Info("replacement requested", "stack", a.name, "hash", lines[0], "targets", strings.Join(lines[1:], " "), "by", a.by)
	accepted(w)
}

func accepted(w http.ResponseWriter) {
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "accepted\n") // an error cannot be sent to the client
}

// unread closes the connection after the answer if the request has a body that is not expected. Otherwise, the server
// would read the body for a while, to keep the connection open.
func unread(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
}
