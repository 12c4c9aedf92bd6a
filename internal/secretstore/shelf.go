package secretstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
)

const (
	fresh      = 10 * time.Second // a value is not asked for again within this time. A pass reads the manifests several times.
	late       = 5 * time.Minute  // the oldest value that is used if the time of a reading is over.
	firstPause = 5 * time.Second  // the pause after the first failure of a store.
	longPause  = 5 * time.Minute  // the longest pause
	maxKept    = 4096             // secrets that are remembered
	maxBytes   = 8 << 20          // bytes that are remembered
)

// shelf is a store, with what is known about its secrets.
type shelf struct {
	Store
	slots chan struct{} // has an element for each request that is running

	mu       sync.Mutex // never held during a request
	known    map[Place]remembered
	bytes    int // the size of known
	failures int
	failed   error     // the last failure of the whole store; nil if it works
	failedAt time.Time // when the last failure was noticed
	again    time.Time // no request is sent before this time after a failure
}

// remembered is the last answer about a secret: the secret, or the reason why it cannot be read.
type remembered struct {
	answer
	named []string  // the fields that were wanted, sorted. The secret has no others.
	at    time.Time // when the store was asked
}

// size returns the bytes of a remembered secret, about.
func (m remembered) size(at Place) int {
	size := len(at.Path)
	for _, name := range m.named {
		size += len(name)
	}
	if m.Secret != nil {
		size += len(m.Version)
		for _, value := range m.Fields {
			size += len(value)
		}
	}
	return size
}

// has reports whether the answer is about all the fields.
func (m remembered) has(fields []string) bool {
	return m.err != nil || !slices.ContainsFunc(fields, func(name string) bool {
		_, found := slices.BinarySearch(m.named, name)
		return !found
	})
}

// order returns places in the order in which they are read: those that are unknown first, and then the oldest.
func (s *shelf) order(places []Place) []Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(places, func(a, b Place) int {
		if c := s.known[a].at.Compare(s.known[b].at); c != 0 {
			return c
		}
		return a.compare(b)
	})
	return places
}

// secret returns fields of the secret at a place. news is true if the store was asked and the error has to be logged.
func (s *shelf) secret(ctx context.Context, at Place, fields []string) (secret *Secret, news bool, err error) {
	if have, done := s.recent(at, fields); done {
		return have.Secret, false, have.err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return s.overdue(at, fields)
	}
	have, done := s.recent(at, fields) // another reading may have asked in the meantime
	switch {
	case done:
		return have.Secret, false, have.err
	case ctx.Err() != nil:
		return s.overdue(at, fields)
	}
	known, began := have.Secret, time.Now()
	if !have.has(fields) {
		known = nil
	}
	got, err := s.Read(ctx, at, known)
	switch {
	case err != nil && ctx.Err() != nil:
		return s.overdue(at, fields)
	case err == nil:
		err = got.bounded()
	}
	if errors.Is(err, ErrDown) {
		return nil, s.fail(err, began), err
	}
	return s.keep(at, got, err, merge(have.named, fields), began)
}

// recent returns what is known about a place. done is true if the store need not, or must not, be asked now.
func (s *shelf) recent(at Place, fields []string) (have remembered, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.failed != nil && now.Before(s.again) {
		return remembered{answer: answer{err: s.failed}}, true
	}
	have, known := s.known[at]
	return have, known && now.Sub(have.at) < fresh && have.has(fields)
}

// overdue returns the secret at a place for a reading whose time is over. The store is not to blame, so nothing is remembered.
func (s *shelf) overdue(at Place, fields []string) (*Secret, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.known[at]; have.err == nil && have.Secret != nil && have.has(fields) && time.Since(have.at) < late {
		return have.Secret, false, nil
	}
	return nil, false, ErrTime
}

// fail remembers a failure of the whole store, and begins a pause. It returns whether the store worked before. Requests that ran at the same
// time count as one failure.
func (s *shelf) fail(err error, began time.Time) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.failed != nil && !began.After(s.failedAt) {
		return false
	}
	s.failures++
	s.failed, s.failedAt, s.again = err, now, now.Add(backoff.Spread(backoff.Pause(firstPause, longPause, s.failures)))
	return s.failures == 1
}

// keep remembers the named fields of an answer, unless there is a newer one. It returns the answer, and whether its error is new.
func (s *shelf) keep(at Place, got *Secret, err error, named []string, began time.Time) (*Secret, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil && began.After(s.failedAt) {
		s.failures, s.failed = 0, nil
	}
	have := s.known[at]
	m := remembered{answer: answer{err: err}, named: named, at: began}
	if err == nil {
		m.Secret = got.only(named)
	}
	if !have.at.After(began) {
		s.drop(at)
		if size := m.size(at); size <= maxBytes {
			s.room(size)
			s.known[at], s.bytes = m, s.bytes+size
		}
	}
	return m.Secret, err != nil && (have.err == nil || have.err.Error() != err.Error()), err
}

// merge returns the sorted union of fields.
func merge(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// room drops the oldest secrets until there is room for one of a size.
func (s *shelf) room(size int) {
	for len(s.known) >= maxKept || s.bytes+size > maxBytes {
		var oldest Place
		var since time.Time
		for at, m := range s.known {
			if since.IsZero() || m.at.Before(since) {
				oldest, since = at, m.at
			}
		}
		s.drop(oldest)
	}
}

func (s *shelf) drop(at Place) {
	if have, known := s.known[at]; known {
		s.bytes -= have.size(at)
		delete(s.known, at)
	}
}
