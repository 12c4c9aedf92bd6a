package webhook

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	maxSeen = 1024
	seenFor = 10 * time.Minute
)

// delivery identifies a message by the hash of its body and by its kind. The kind is in the head,
// which is not signed.
type delivery struct {
	sum  [sha256.Size]byte
	kind Kind
}

// seen stores the last deliveries for some time.
type seen struct {
	mu    sync.Mutex
	at    map[delivery]time.Time
	order []delivery // the keys of at, oldest first
}

// knows reports whether the same message arrived a short time ago.
func (s *seen) knows(d delivery, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.at[d]
	return ok && now.Sub(at) <= seenFor
}

// remember adds a delivery, and removes the oldest one if there are too many.
func (s *seen) remember(d delivery, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[delivery]time.Time{}
	}
	if _, ok := s.at[d]; !ok {
		s.order = append(s.order, d)
	}
	s.at[d] = now
	if len(s.order) > maxSeen {
		delete(s.at, s.order[0])
		s.order = s.order[1:]
	}
}
