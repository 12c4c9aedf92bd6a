package secretstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const (
	fresh      = 10 * time.Second // a value is not asked for again within this time. A pass reads the manifests several times.
	firstPause = 5 * time.Second  // the pause after the first failure of a store
	longPause  = 5 * time.Minute  // the longest pause
	askTime    = 30 * time.Second // the time for all values of one reading
	maxKept    = 4096             // secrets that are remembered
)

// Reader reads values from the stores of one stack. It can be used by several goroutines.
type Reader struct {
	log    *slog.Logger
	stores map[string]*shelf
}

// shelf is a store, with what is known about its secrets.
type shelf struct {
	Store
	mu       sync.Mutex
	known    map[Place]remembered
	failures int
	failed   error     // the last failure of the whole store; nil if it works
	again    time.Time // no request is sent before this time after a failure
}

// remembered is the last answer about a secret: the secret, or the reason why it cannot be read.
type remembered struct {
	*Secret
	err error
	at  time.Time // when the store was asked
}

// New returns a reader of stores, by their names.
func New(stores map[string]Store, log *slog.Logger) *Reader {
	r := &Reader{log: log, stores: map[string]*shelf{}}
	for name, store := range stores {
		r.stores[name] = &shelf{Store: store, known: map[Place]remembered{}}
	}
	return r
}

// Read sets the data of each object, or the reason why they are unknown.
func (r *Reader) Read(ctx context.Context, wanted []*kind.Stored) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for _, of := range wanted {
		data := make(map[string]string, len(of.Entries))
		of.Data, of.Unread = data, nil
		for _, name := range slices.Sorted(maps.Keys(of.Entries)) {
			value, err := r.value(ctx, of.Store, of.Entries[name])
			if err != nil {
				of.Data, of.Unread = nil, &kind.Unread{Why: err.Error()}
				break
			}
			data[name] = value
		}
	}
}

// value returns one value. The text of the error is for everybody.
func (r *Reader) value(ctx context.Context, store string, at kind.StoredEntry) (string, error) {
	s := r.stores[store]
	if s == nil {
		return "", fmt.Errorf("there is no store %s", store)
	}
	secret, news, err := s.secret(ctx, Place{at.Path, at.Version}, time.Now())
	if news {
		r.log.Warn("a secret cannot be read", "store", store, "path", at.Path, "error", private.Text(err))
	}
	switch {
	case errors.Is(err, ErrDown):
		return "", fmt.Errorf("store %s: %w", store, err)
	case err != nil:
		return "", fmt.Errorf("store %s: %s: %w", store, at.Path, err)
	}
	value, ok := secret.Fields[at.Field]
	if !ok {
		return "", fmt.Errorf("store %s: %s has no field %s", store, at.Path, at.Field)
	}
	return value, nil
}

// secret returns the secret at a place. news is true if the store was asked and the error has to be logged.
func (s *shelf) secret(ctx context.Context, at Place, now time.Time) (secret *Secret, news bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, known := s.known[at]
	switch {
	case s.failed != nil && now.Before(s.again):
		return nil, false, s.failed
	case known && now.Sub(have.at) < fresh:
		return have.Secret, false, have.err
	}
	got, err := s.Read(ctx, at, have.Secret)
	if err == nil {
		err = got.bounded()
	}
	if errors.Is(err, ErrDown) {
		s.failures++
		s.failed, s.again = err, now.Add(backoff.Spread(backoff.Pause(firstPause, longPause, s.failures)))
		return nil, s.failures == 1, err
	}
	if err != nil {
		got = nil
	}
	if len(s.known) >= maxKept {
		clear(s.known)
	}
	s.failures, s.failed, s.known[at] = 0, nil, remembered{got, err, now}
	return got, err != nil && (have.err == nil || have.err.Error() != err.Error()), err
}
