package page

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/control"
)

const (
	// maxSessions is the maximum number of sessions at the same time. One more session ends the oldest one.
	maxSessions = 64
	// longest is the duration of a session.
	longest = 12 * time.Hour

	cookieName = "stackreeve-session"
)

// session is a client that has sent a valid token.
type session struct {
	token control.Token
	until time.Time
}

// sessions contains sessions in memory, by the digests of their cookies. A restart ends them.
type sessions struct {
	now    func() time.Time
	counts func(control.Token) bool

	mu   sync.Mutex
	held map[[sha256.Size]byte]session
}

// begin starts a new session and returns its secret.
func (s *sessions) begin(token control.Token) string {
	secret := rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for len(s.held) >= maxSessions {
		s.dropOldest()
	}
	s.held[sha256.Sum256([]byte(secret))] = session{token, now.Add(longest)}
	return secret
}

// dropOldest ends the oldest session. The caller must hold the lock.
func (s *sessions) dropOldest() {
	var oldest [sha256.Size]byte
	var until time.Time
	for digest, one := range s.held {
		if until.IsZero() || one.until.Before(until) {
			oldest, until = digest, one.until
		}
	}
	delete(s.held, oldest)
}

// valid reports whether a request belongs to a session whose token is still valid.
func (s *sessions) valid(r *http.Request) bool {
	digest, ok := digestOf(r)
	if !ok {
		return false
	}
	s.mu.Lock()
	one, ok := s.held[digest]
	s.mu.Unlock()
	if !ok {
		return false
	}
	if s.now().After(one.until) || !s.counts(one.token) {
		s.end(r)
		return false
	}
	return true
}

// end ends the session of a request, if there is one.
func (s *sessions) end(r *http.Request) {
	if digest, ok := digestOf(r); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.held, digest)
	}
}

// digestOf returns the digest of the secret in a request. Sessions are found by digests, so that the duration of
// the search reveals nothing about secrets.
func digestOf(r *http.Request) (digest [sha256.Size]byte, ok bool) {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return digest, false
	}
	return sha256.Sum256([]byte(cookie.Value)), true
}

// cookie returns the cookie of a session. If the secret is empty, the browser deletes the cookie.
func cookie(r *http.Request, secret string) *http.Cookie {
	c := &http.Cookie{
		Name: cookieName, Value: secret, Path: Prefix, HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(longest / time.Second),
		Secure: r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https:"), // TLS may end at a proxy
	}
	if secret == "" {
		c.MaxAge = -1
	}
	return c
}
