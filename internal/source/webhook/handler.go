package webhook

import (
	"crypto/sha256"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Outcome is the result of a message, for metrics.
type Outcome string

// These are the outcomes. Accepted, Ignored, Greeted and Repeated are successes; all others are errors.
const (
	Accepted   Outcome = "accepted"
	Ignored    Outcome = "ignored"  // the message does not concern us
	Greeted    Outcome = "ping"     // the forge only checks that the address answers
	Repeated   Outcome = "repeated" // the same message arrived a short time ago
	Media      Outcome = "media-type"
	Unsigned   Outcome = "unsigned"
	Forged     Outcome = "wrong-signature"
	WrongToken Outcome = "wrong-token"
	TooLong    Outcome = "too-long"
	Cut        Outcome = "cut-short"
	Malformed  Outcome = "malformed"
	Nameless   Outcome = "no-event"  // the message does not name its event, although each message of a forge does
	NoSecret   Outcome = "no-secret" // the agent cannot read the secret any more
)

// Config says how messages are received.
type Config struct {
	// Secrets returns the current secrets; see the function [Secrets].
	Secrets func() ([]string, error)
	// Notify is called with every event, one at a time. It must return without waiting. It must also make sure that many events do not
	// cause much work.
	Notify func(Event)
	// Count is called with every message; it may be nil.
	Count func(Forge, Outcome)
	// Forward, if it is set, is called with each accepted message whose body was read, unless another agent has forwarded it. So other
	// agents get the event, too. Forward must return without waiting, and may store the message.
	Forward func(Event, Message)
	Log     *slog.Logger
}

// Message is a message of a forge that is to be forwarded unchanged.
type Message struct {
	Path   string
	Header http.Header // the headers of the forge, including the signature
	Body   []byte
}

// Forwarded is the header of a message that another agent has forwarded. Such a message is not forwarded again.
const Forwarded = "Stackreeve-Forwarded"

// sentOn returns the part of a request's header that is forwarded.
func sentOn(from http.Header, by *sender) http.Header {
	to := http.Header{}
	for name, values := range from {
		own := slices.ContainsFunc(by.headers, func(beginning string) bool { return strings.HasPrefix(name, beginning) })
		if (own || name == "Content-Type") && len(values) == 1 {
			to[name] = values
		}
	}
	to.Set(Forwarded, "1")
	return to
}

// Endpoint receives messages.
type Endpoint struct {
	Config
	mux     *http.ServeMux
	pool    pool
	seen    seen
	parsing sync.Mutex  // only one body is parsed at a time, to bound the memory
	mute    atomic.Bool // whether the last attempt to read the secret failed
}

// New makes an endpoint. Without a secret, it returns an error.
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
	e := &Endpoint{Config: c, mux: http.NewServeMux()}
	for _, from := range senders {
		e.mux.HandleFunc("POST /webhook/"+string(from.forge)+from.below, func(w http.ResponseWriter, r *http.Request) { e.receive(w, r, from) })
	}
	return e, nil
}

// ServeHTTP serves POST /webhook/<forge>, and for Gerrit POST /webhook/gerrit/<secret>. Forgejo uses the path of Gitea.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.mux.ServeHTTP(w, r) }

// answers are the answers to the sender. None of them helps to guess the secret.
var answers = map[Outcome]struct {
	code   int
	words  string
	wait   bool // whether the message may be sent again later
	unread bool // whether the body was not read
}{
	Accepted:   {http.StatusAccepted, "accepted", false, false},
	Greeted:    {http.StatusOK, "hello", false, false},
	Repeated:   {http.StatusOK, "accepted before", false, false},
	Ignored:    {http.StatusNoContent, "", false, false},
	NoSecret:   {http.StatusServiceUnavailable, "not now", true, true},
	Media:      {http.StatusUnsupportedMediaType, "send application/json", false, true},
	Unsigned:   {http.StatusUnauthorized, "unauthorized", false, true},
	Nameless:   {http.StatusBadRequest, "malformed", false, true},
	Forged:     {http.StatusUnauthorized, "unauthorized", false, false},
	WrongToken: {http.StatusUnauthorized, "unauthorized", false, true},
	TooLong:    {http.StatusRequestEntityTooLarge, "too long", false, true},
	Cut:        {http.StatusBadRequest, "cut short", false, true},
	Malformed:  {http.StatusBadRequest, "malformed", false, false},
}

func (e *Endpoint) receive(w http.ResponseWriter, r *http.Request, from *sender) {
	outcome := e.judge(w, r, from)
	answer := answers[outcome]
	e.Count(from.forge, outcome)
	if answer.wait {
		w.Header().Set("Retry-After", "60")
	}
	if answer.unread && r.ContentLength != 0 {
		// Without the deadline, the server would read the body for a while to keep the connection.
		_ = http.NewResponseController(w).SetReadDeadline(now())
	}
	if answer.code >= http.StatusBadRequest {
		e.Log.Debug("webhook refused", "forge", string(from.forge), "why", string(outcome), "from", r.RemoteAddr)
		http.Error(w, answer.words, answer.code)
		return
	}
	w.WriteHeader(answer.code)
	if answer.words != "" {
		_, _ = io.WriteString(w, answer.words+"\n") // the sender may have closed the connection
	}
}

const readTime = 10 * time.Second

// judge checks the head of a message, and reads its body if the head is valid. It returns the outcome.
func (e *Endpoint) judge(w http.ResponseWriter, r *http.Request, from *sender) Outcome {
	head, outcome := headOf(r, from)
	if outcome != "" {
		return outcome
	}
	secrets, err := e.Secrets()
	if err == nil {
		err = check(secrets)
	}
	if e.mute.Swap(err != nil) != (err != nil) && err != nil {
		e.Log.Error("webhooks are refused: the secret cannot be read", "error", err)
	}
	if err != nil {
		return NoSecret
	}
	proof, outcome := head.claim.against(secrets)
	if outcome != "" {
		return outcome
	}
	_ = http.NewResponseController(w).SetReadDeadline(now().Add(readTime)) // if this fails, the server's own deadline applies
	in := intake{pool: &e.pool}
	defer in.done()
	if outcome := in.read(w, r, proof); outcome != "" {
		return outcome
	}
	if !proof.holds() {
		return Forged
	}
	e.parsing.Lock()
	defer e.parsing.Unlock()
	m := signed{from: from, name: head.name, media: head.media, sum: [sha256.Size]byte(proof.body.Sum(nil)), body: in.kept, lost: in.lost}
	if e.Forward != nil && r.Header.Get(Forwarded) == "" {
		m.forward = func(event Event) {
			e.Forward(event, Message{r.URL.Path, sentOn(r.Header, from), slices.Clone(in.kept)})
		}
	}
	return e.deliver(m)
}

// signed is a message with a valid claim.
type signed struct {
	from        *sender
	name, media string
	sum         [sha256.Size]byte // the SHA-256 sum of the body
	body        []byte
	lost        bool // whether there was no room for the body
	forward     func(Event)
}

// deliver passes the event of a signed message to Notify and Forward, and returns the outcome.
func (e *Endpoint) deliver(m signed) Outcome {
	kind := m.from.kinds[m.name]
	same := delivery{m.sum, kind}
	switch {
	case m.name == m.from.greeting:
		return Greeted
	case kind == 0:
		return Ignored
	case e.seen.knows(same, now()):
		return Repeated
	case m.lost:
		e.Notify(Event{Forge: m.from.forge, Kind: Any})
		return Accepted
	}
	body := m.body
	if m.media == mediaForm {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return Malformed
		}
		body = []byte(form.Get("payload"))
	}
	event, ok, err := m.from.read(m.name, body)
	switch {
	case err != nil:
		e.Log.Warn("a webhook with a good signature cannot be read", "forge", string(m.from.forge), "event", m.name, "error", err)
		return Malformed
	case !ok:
		return Ignored
	}
	event.Forge = m.from.forge
	event = event.cleaned()
	e.seen.remember(same, now())
	e.Notify(event)
	if m.forward != nil {
		m.forward(event)
	}
	return Accepted
}

func now() time.Time { return time.Now() }
