package cloud

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// loginLasts is how long other clients may use a login. It is long enough for many stacks that start together. It is short enough that a client that logs
	// in again after an error soon sees changes.
	loginLasts = time.Minute
	// readsLast is how long an answer is kept for clients whose snapshot began before it.
	readsLast = 10 * time.Second
	// maxTokens is how many tokens of a group are stored. A client with an unknown token sends its own requests.
	maxTokens = 100
)

// Sharing is what the clients of one process share if their entries of clouds.yaml are equal: connections, logins and answers to simultaneous reads. So
// many stacks on one project need few more requests than one. Clients of the same cloud also share its [load], whatever their entries are. No client sees older data because of it. A client gets another client's answer only to a
// request that it would have sent itself, and only if that request was sent after its own snapshot began. Objects of an answer are decoded once for all
// clients. The zero value can be used.
type Sharing struct {
	mu     sync.Mutex
	groups map[entry]*group
	loads  map[string]*load // by scheme and host of auth_url
}

// loadOf returns the load of the cloud with that auth_url.
func (s *Sharing) loadOf(home *url.URL, l Limits) *load {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := home.Scheme + "://" + home.Host
	if s.loads == nil {
		s.loads = map[string]*load{}
	}
	if s.loads[at] == nil {
		s.loads[at] = newLoad(l)
	}
	return s.loads[at]
}

// entry is the source of credentials: when they change, a new group replaces the old one.
type entry struct{ file, name string }

// group is shared by clients with the same credentials.
type group struct {
	credentials credentials
	network     http.RoundTripper
	logins      joint[*answer] // by the body of the login
	reads       joint[*answer] // by the login and the request
	decoded     decodedLogins

	mu      sync.Mutex
	clients int       // counts all clients so far
	known   *features // for clients that log in within loginLasts after since
	since   time.Time
	tokens  map[string]string // the login that each token comes from
}

// groupFor returns the group for credentials, and counts one more client.
func (s *Sharing) groupFor(file string, creds credentials) *group {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := entry{file, creds.name}
	g := s.groups[at]
	if g == nil || !g.credentials.same(creds) {
		g = &group{credentials: creds, network: connections(creds), tokens: map[string]string{}}
		if s.groups == nil {
			s.groups = map[entry]*group{}
		}
		s.groups[at] = g
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clients++
	return g
}

// decodedLogins may be called for a nil group.
func (g *group) decodedLogins() *decodedLogins {
	if g == nil {
		return nil
	}
	return &g.decoded
}

// featuresAt returns what is known of the cloud for a client that logs in now. g may be nil.
func (g *group) featuresAt(now time.Time) *features {
	if g == nil {
		return &features{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil || now.Sub(g.since) >= loginLasts {
		g.known, g.since = &features{}, now
	}
	return g.known
}

// same reports whether two clients use the same cloud as the same user.
func (c credentials) same(other credentials) bool {
	return reflect.DeepEqual(c.auth, other.auth) && reflect.DeepEqual(c.overrides, other.overrides) && sameTLS(c.tls, other.tls)
}

func sameTLS(a, b *tls.Config) bool {
	if a == nil || b == nil {
		return a == b
	}
	sameKey := func(a, b tls.Certificate) bool { return slices.EqualFunc(a.Certificate, b.Certificate, bytes.Equal) }
	return a.InsecureSkipVerify == b.InsecureSkipVerify && a.RootCAs.Equal(b.RootCAs) && slices.EqualFunc(a.Certificates, b.Certificates, sameKey)
}

// sharing sends the requests of one client through next, which no other client uses.
type sharing struct {
	*group
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (s sharing) RoundTrip(req *http.Request) (*http.Response, error) {
	if isLogin(req) && req.GetBody != nil {
		return s.logIn(req)
	}
	token := req.Header.Get("X-Auth-Token")
	from := s.loginOf(token)
	if from == "" || req.Method != http.MethodGet {
		resp, err := s.next.RoundTrip(req)
		s.heed(token, resp)
		return resp, err
	}
	// Each list of a snapshot shows the cloud at some time after the first list was requested. A read outside a snapshot shows the cloud as it is now.
	return s.together(req, &s.reads, from+" "+questionOf(req), momentOf(req.Context()).Since(time.Now), s.keeps(), func(resp *http.Response, _ *answer) { s.heed(token, resp) })
}

func (s sharing) logIn(req *http.Request) (*http.Response, error) {
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	key := string(sum[:])
	return s.together(req, &s.logins, key, time.Now().Add(-loginLasts), loginLasts, func(_ *http.Response, a *answer) { s.loggedIn(key, a) })
}

// together sends a request unless another client sends the same. seen is called with the answer to this client's own request, and with the part of it that
// other clients may have.
func (s sharing) together(req *http.Request, with *joint[*answer], key string, since time.Time, keep time.Duration, seen func(*http.Response, *answer)) (resp *http.Response, err error) {
	sent := false
	a := with.do(req.Context(), key, since, keep, func() (*answer, audience) {
		sent = true
		if last := with.last(key); last != nil {
			size := int64(len(last.body))
			req = req.WithContext(context.WithValue(req.Context(), likelySize{}, size+size/16))
		}
		if resp, err = s.next.RoundTrip(req); err != nil { //nolint:bodyclose // the caller closes it, as with any response
			return &answer{failure: err}, audienceOfFailure(req.Context(), err)
		}
		a := answerOf(req, resp)
		if a != nil && keep > 0 {
			a.shared = after(with.last(key))
			resp.Body = inMemory(a.body, a.shared)
		}
		seen(resp, a)
		if a == nil {
			return nil, oneCaller
		}
		return a, laterCallers
	})
	if sent {
		return resp, err
	}
	if req.Body != nil {
		_ = req.Body.Close() // as a RoundTripper must
	}
	switch {
	case a == nil:
		return nil, req.Context().Err()
	case a.failure != nil:
		return nil, a.failure
	}
	return a.response(req), nil
}

// audienceOfFailure returns who gets an error, besides the client whose request had no answer. If that client ended its request, or had too little
// time for it, another client sends the request.
func audienceOfFailure(ctx context.Context, err error) audience {
	if ctx.Err() != nil || errors.Is(err, errNoTime) {
		return nobody
	}
	return waitingCallers
}

// questionOf identifies a request by its address and headers, without the user's token.
func questionOf(req *http.Request) string {
	var text strings.Builder
	text.WriteString(req.URL.String() + "\n")
	_ = req.Header.WriteSubset(&text, map[string]bool{"X-Auth-Token": true}) // to memory
	return text.String()
}

// loggedIn records the answer to a login; a is nil if the answer cannot be used.
func (g *group) loggedIn(key string, a *answer) {
	if a == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.tokens) >= maxTokens {
		clear(g.tokens)
	}
	g.tokens[a.token()] = key
}

// keeps returns how long answers are stored for other clients; 0 if there are none.
func (g *group) keeps() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clients < 2 {
		return 0
	}
	return readsLast
}

// loginOf is the login that a token comes from; "" if it is unknown.
func (g *group) loginOf(token string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tokens[token]
}

// heed forgets a refused token, so that no client gets it again.
func (g *group) heed(token string, resp *http.Response) {
	if resp == nil || resp.StatusCode != http.StatusUnauthorized {
		return
	}
	g.mu.Lock()
	from := g.tokens[token]
	delete(g.tokens, token)
	g.mu.Unlock()
	g.logins.drop(from, func(a *answer) bool { return a.token() == token })
}

// answer is the part of a response that clients can share.
type answer struct {
	status string
	code   int
	header http.Header
	body   []byte
	shared *decoded // nil if it is not stored for other clients

	failure error // why there is no answer; nil if there is one
}

// maxRefusal is the number of bytes of the largest refusal that is stored for other clients.
const maxRefusal = 16 << 10

// answerOf returns the part of a response that other clients may have, if the response was read to its end. A read that the cloud forbids (403) is
// forbidden to each client with the same login. It returns nil for any other refusal and for a redirect, because each client sends such a request
// itself.
func answerOf(req *http.Request, resp *http.Response) *answer {
	body, read := resp.Body.(wholeBody)
	forbidden := resp.StatusCode == http.StatusForbidden && !isLogin(req) && len(body.text) <= maxRefusal
	if !read || resp.StatusCode >= http.StatusMultipleChoices && !forbidden {
		return nil
	}
	return &answer{status: resp.Status, code: resp.StatusCode, header: resp.Header.Clone(), body: body.text}
}

func (a *answer) token() string { return a.header.Get("X-Subject-Token") }

// response is the answer in the form of a response to req.
func (a *answer) response(req *http.Request) *http.Response {
	return &http.Response{
		Status: a.status, StatusCode: a.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.header.Clone(),
		Body: inMemory(a.body, a.shared), ContentLength: int64(len(a.body)), Request: req,
	}
}
