package cloud

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const (
	// loginLasts is for how long a login is given to others: for a start of many, and short enough that who logs in because
	// something is wrong soon sees what has changed.
	loginLasts = time.Minute
	// readsLast is for how long what was read is there for others whose snapshot had begun before.
	readsLast = 10 * time.Second
	// maxTokens is how many tokens of a group are known; those of others are asked for alone.
	maxTokens = 100
)

// Sharing is what the clients of one process have in common where their entries of clouds.yaml say the same: connections,
// logins, and what they read at one time. So many stacks on one project ask little more of the cloud than one. No client sees
// anything older for it: an answer goes to those that would have sent the same request, and whose snapshot began earlier. Objects of an answer are read once for all. Its zero value is ready.
type Sharing struct {
	mu     sync.Mutex
	groups map[entry]*group
}

// entry is where credentials come from: as they change, a group takes the place of another.
type entry struct{ file, name string }

// group is what is shared by clients with the same credentials.
type group struct {
	credentials credentials
	network     http.RoundTripper
	logins      joint[*answer] // by what is sent
	reads       joint[*answer] // by who asks, and what

	mu      sync.Mutex
	clients int               // that there were
	tokens  map[string]string // which login each is from
}

// of is the group of credentials, for one more client.
func (s *Sharing) of(file string, creds credentials) *group {
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

// same reports whether two clients reach the same, as the same user.
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

// sharing sends the requests of one client by way of next, which nobody else has.
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
	// All lists of a snapshot show the cloud as it is at some time after the first of them; who reads by himself, as it is now.
	since, err := kind.Once(momentOf(req.Context()), "since", func() (time.Time, error) { return time.Now(), nil })
	if err != nil {
		return nil, err
	}
	return s.together(req, &s.reads, from+" "+questionOf(req), since, s.keeps(), func(resp *http.Response, _ *answer) { s.heed(token, resp) })
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

// together sends a request unless somebody else does. seen gets each answer that has come for this client alone, and what others
// may have of it.
func (s sharing) together(req *http.Request, with *joint[*answer], key string, since time.Time, keep time.Duration, seen func(*http.Response, *answer)) (resp *http.Response, err error) {
	sent := false
	a := with.do(req.Context(), key, since, keep, func() (*answer, bool) {
		sent = true
		if resp, err = s.next.RoundTrip(req); err != nil { //nolint:bodyclose // the caller does, as of any response
			return nil, false
		}
		a := answerOf(resp)
		if a != nil && keep > 0 {
			a.shared = after(with.last(key))
			resp.Body = inMemory(a.body, a.shared)
		}
		seen(resp, a)
		return a, a != nil
	})
	if sent {
		return resp, err
	}
	if req.Body != nil {
		_ = req.Body.Close() // as a RoundTripper must
	}
	if a == nil {
		return nil, req.Context().Err()
	}
	return a.response(req), nil
}

// questionOf is what makes a request another one: its address and headers. Who asks is in neither.
func questionOf(req *http.Request) string {
	var text strings.Builder
	text.WriteString(req.URL.String() + "\n")
	_ = req.Header.WriteSubset(&text, map[string]bool{"X-Auth-Token": true}) // to memory
	return text.String()
}

// loggedIn takes note of an answer to a login; nil is for none that can be used.
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

// keeps is for how long answers are there for others: not at all where there are none.
func (g *group) keeps() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clients < 2 {
		return 0
	}
	return readsLast
}

// loginOf is the login that a token is from; "" when that is not known.
func (g *group) loginOf(token string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tokens[token]
}

// heed forgets a token that was refused, so that nobody is given it again.
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

// answer is what several can have of a response.
type answer struct {
	status string
	code   int
	header http.Header
	body   []byte
	shared *decoded // nil where it is not kept for others
}

// answerOf is what others may have of a response that was read to its end. It is nil for what says no, or leads elsewhere: that is each
// client's own.
func answerOf(resp *http.Response) *answer {
	body, read := resp.Body.(wholeBody)
	if !read || resp.StatusCode >= http.StatusMultipleChoices {
		return nil
	}
	return &answer{status: resp.Status, code: resp.StatusCode, header: resp.Header.Clone(), body: body.text}
}

func (a *answer) token() string { return a.header.Get("X-Subject-Token") }

// response is the answer as if req had been sent.
func (a *answer) response(req *http.Request) *http.Response {
	return &http.Response{
		Status: a.status, StatusCode: a.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.header.Clone(),
		Body: inMemory(a.body, a.shared), ContentLength: int64(len(a.body)), Request: req,
	}
}
