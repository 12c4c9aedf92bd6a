package webhook

import (
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Outcome is what became of a message, for metrics.
type Outcome string

// The outcomes. Accepted, Ignored, Greeted and Repeated are fine.
const (
	Accepted  Outcome = "accepted"
	Ignored   Outcome = "ignored"  // nothing for us
	Greeted   Outcome = "ping"     // a forge tries whether somebody is there
	Repeated  Outcome = "repeated" // the same came a short while ago
	Limited   Outcome = "limited"
	Busy      Outcome = "busy"
	Media     Outcome = "media-type"
	Unsigned  Outcome = "unsigned"
	Forged    Outcome = "wrong-signature"
	TooLong   Outcome = "too-long"
	Cut       Outcome = "cut-short"
	Malformed Outcome = "malformed"
	NoSecret  Outcome = "no-secret" // the secret cannot be read any more
)

// Config says how messages are received.
type Config struct {
	// Secrets returns the secrets that count now; see the function [Secrets].
	Secrets func() ([]string, error)
	// Notify is told of every event, one at a time for each connection. It must
	// return at once.
	Notify func(Event)
	// Count is told of every message; it may be nil.
	Count func(Forge, Outcome)
	Log   *slog.Logger
}

// Endpoint receives messages.
type Endpoint struct {
	Config
	bounds *bounds
	mux    *http.ServeMux
}

// New refuses to make an endpoint that has no secret.
func New(c Config) (*Endpoint, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Count == nil {
		c.Count = func(Forge, Outcome) {}
	}
	secrets, err := c.Secrets()
	if err != nil {
		return nil, err
	}
	if err := check(secrets); err != nil {
		return nil, err
	}
	for _, secret := range secrets {
		if len(secret) < ShortSecret {
			c.Log.Warn("a webhook secret is short enough to be guessed; make one with `openssl rand -hex 20`", "characters", len(secret))
		}
	}
	e := &Endpoint{Config: c, bounds: newBounds(), mux: http.NewServeMux()}
	for _, forge := range []Forge{GitHub, Gitea} {
		e.mux.HandleFunc("POST /webhook/"+string(forge), func(w http.ResponseWriter, r *http.Request) { e.receive(w, r, forge) })
	}
	return e, nil
}

var errNoSecret = errors.New("there is no webhook secret, and without one anybody could send webhooks")

func check(secrets []string) error {
	for _, secret := range secrets {
		if secret != "" {
			return nil
		}
	}
	return errNoSecret
}

// ServeHTTP serves POST /webhook/github and POST /webhook/gitea, which is
// Forgejo's, too.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.mux.ServeHTTP(w, r) }

// answers are what is said to the sender. Nothing of it helps to guess.
var answers = map[Outcome]struct {
	code  int
	words string
	cost  bool // counts against the sender's address
	wait  bool // may be sent again later
}{
	Accepted:  {http.StatusAccepted, "accepted", false, false},
	Greeted:   {http.StatusOK, "hello", false, false},
	Repeated:  {http.StatusOK, "accepted before", false, false},
	Ignored:   {http.StatusNoContent, "", false, false},
	Limited:   {http.StatusTooManyRequests, "too many messages", false, true},
	Busy:      {http.StatusServiceUnavailable, "not now", false, true},
	NoSecret:  {http.StatusServiceUnavailable, "not now", true, true},
	Media:     {http.StatusUnsupportedMediaType, "send application/json", true, false},
	Unsigned:  {http.StatusUnauthorized, "unauthorized", true, false},
	Forged:    {http.StatusUnauthorized, "unauthorized", true, false},
	TooLong:   {http.StatusRequestEntityTooLarge, "too long", true, false},
	Cut:       {http.StatusBadRequest, "cut short", true, false},
	Malformed: {http.StatusBadRequest, "malformed", false, false},
}

func (e *Endpoint) receive(w http.ResponseWriter, r *http.Request, forge Forge) {
	from := address(r)
	outcome := e.judge(w, r, forge, from)
	answer := answers[outcome]
	if answer.cost {
		e.bounds.refused(from, now())
	}
	e.Count(forge, outcome)
	if answer.wait {
		w.Header().Set("Retry-After", "60")
	}
	if answer.code >= http.StatusBadRequest {
		e.Log.Debug("webhook refused", "forge", string(forge), "why", string(outcome), "from", from.String())
		http.Error(w, answer.words, answer.code)
		return
	}
	w.WriteHeader(answer.code)
	if answer.words != "" {
		_, _ = io.WriteString(w, answer.words+"\n") // nobody is there to be told
	}
}

const readTime = 10 * time.Second

// judge reads a message as far as it deserves, and tells whom it concerns.
func (e *Endpoint) judge(w http.ResponseWriter, r *http.Request, forge Forge, from netip.Addr) Outcome {
	if !e.bounds.bears(from, now()) {
		return Limited
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != mediaJSON && media != mediaForm {
		return Media
	}
	claimed := signature(r.Header, forge)
	if claimed == nil {
		return Unsigned
	}
	body, outcome := e.read(w, r)
	if outcome != "" {
		return outcome
	}
	secrets, err := e.Secrets()
	if err == nil {
		err = check(secrets)
	}
	switch {
	case err != nil:
		e.Log.Error("webhooks are refused: the secret cannot be read", "error", err)
		return NoSecret
	case !signed(body, claimed, secrets):
		return Forged
	case !e.bounds.allows(now()):
		return Limited
	}
	return e.deliver(r, forge, media, body)
}

const (
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded" // what GitHub sends unless told otherwise
)

// read takes in the body; outcome is "" when all of it is there.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) (body []byte, outcome Outcome) {
	if r.ContentLength > MaxBody {
		return nil, TooLong
	}
	select {
	case e.bounds.reading <- struct{}{}:
		defer func() { <-e.bounds.reading }()
	default:
		return nil, Busy
	}
	_ = http.NewResponseController(w).SetReadDeadline(now().Add(readTime)) // where that cannot be set the server has its own
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, TooLong
	case err != nil:
		return nil, Cut
	}
	return body, ""
}

// deliver says what a signed message is about.
func (e *Endpoint) deliver(r *http.Request, forge Forge, media string, body []byte) Outcome {
	name := eventName(r.Header, forge)
	if name == "" {
		return Malformed
	}
	if name == "ping" {
		return Greeted
	}
	sum := sha256.Sum256(body)
	if media == mediaForm {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return Malformed
		}
		body = []byte(form.Get("payload"))
	}
	event, ok, err := read(forge, name, body)
	switch {
	case err != nil:
		e.Log.Warn("a webhook with a good signature cannot be read", "forge", string(forge), "event", name, "error", err)
		return Malformed
	case !ok:
		return Ignored
	case e.bounds.again(sum, now()):
		return Repeated
	}
	e.Notify(event)
	return Accepted
}

func eventName(h http.Header, forge Forge) string {
	if forge == Gitea {
		for _, name := range []string{"X-Forgejo-Event", "X-Gitea-Event"} {
			if event := h.Get(name); event != "" {
				return event
			}
		}
	}
	return h.Get("X-GitHub-Event")
}

// address is who is connected, a /64 in IPv6; a proxy in front is one for all.
func address(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	from := at.Addr().Unmap()
	if prefix, err := from.Prefix(64); from.Is6() && err == nil {
		return prefix.Addr()
	}
	return from
}

func now() time.Time { return time.Now() }
