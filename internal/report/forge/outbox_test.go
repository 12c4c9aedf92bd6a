package forge

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// server is a forge that answers as it is told.
type server struct {
	mu   sync.Mutex
	err  error
	got  []string
	asks int
}

func (s *server) letter(text string) func(context.Context) error {
	return func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asks++
		if s.err == nil {
			s.got = append(s.got, text)
		}
		return s.err
	}
}

// seen is how often it was asked, and what it took.
func (s *server) seen() (asks int, got []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks, slices.Clone(s.got)
}

// mend makes it take everything.
func (s *server) mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = nil
}

func TestWhatIsOwedWaitsForTheForge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := &server{err: ErrUnavailable}, NewOutbox(quiet())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go o.Serve(ctx)
		o.Put("a", s.letter("a1"))
		o.Put("b", s.letter("b1"))
		o.Put("a", s.letter("a2"))
		time.Sleep(time.Hour)
		synctest.Wait()
		if asks, _ := s.seen(); o.Len() != 2 || asks > 30 {
			t.Errorf("%d owed after %d tries in an hour, want 2 after at most 30", o.Len(), asks)
		}
		s.mend()
		time.Sleep(longPause)
		synctest.Wait()
		want := []string{"a2", "b1"}
		if _, got := s.seen(); !slices.Equal(got, want) || o.Len() != 0 {
			t.Errorf("delivered %v with %d left, want %v", got, o.Len(), want)
		}
	})
}

func TestALimitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := &server{err: &LimitedError{Until: time.Now().Add(40 * time.Minute)}}, NewOutbox(quiet())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go o.Serve(ctx)
		o.Put("a", s.letter("a"))
		time.Sleep(39 * time.Minute)
		o.Put("b", s.letter("b"))
		synctest.Wait()
		if asks, _ := s.seen(); asks != 1 {
			t.Errorf("asked %d times before the limit ended, want once", asks)
		}
		s.mend()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		want := []string{"a", "b"}
		if _, got := s.seen(); !slices.Equal(got, want) {
			t.Errorf("delivered %v, want %v", got, want)
		}
	})
}

func TestWhatIsRefusedHoldsUpNothing(t *testing.T) {
	s, o := &server{}, NewOutbox(quiet())
	for _, err := range []error{ErrRefused, ErrNotFound, ErrUnsupported, errors.New("what?")} {
		o.Put(err.Error(), func(context.Context) error { return err })
	}
	o.Put("last", s.letter("last"))
	if !o.Flush(t.Context()) || !slices.Equal(s.got, []string{"last"}) {
		t.Errorf("delivered %v with %d left", s.got, o.Len())
	}
}

func TestAKeyThatIsOwedAgainWhileItIsDelivered(t *testing.T) {
	s, o := &server{}, NewOutbox(quiet())
	o.Put("a", func(ctx context.Context) error {
		o.Put("a", s.letter("a2"))
		return s.letter("a1")(ctx)
	})
	o.Put("b", s.letter("b"))
	if !o.Flush(t.Context()) || !slices.Equal(s.got, []string{"a1", "b", "a2"}) {
		t.Errorf("delivered %v with %d left", s.got, o.Len())
	}
}

func TestFlushGivesUpInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := &server{err: ErrUnavailable}, NewOutbox(quiet())
		o.Put("a", s.letter("a"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if o.Flush(ctx) {
			t.Error("nothing is left, says Flush")
		}
	})
}

func TestTheOutboxIsBounded(t *testing.T) {
	s, o := &server{}, NewOutbox(quiet())
	for i := range mostOwed + 5 {
		o.Put(string(rune('a'+i%26))+time.Duration(i).String(), s.letter("x"))
	}
	if o.Len() != mostOwed || len(o.owed) != mostOwed {
		t.Errorf("%d keys and %d letters are kept, want %d", o.Len(), len(o.owed), mostOwed)
	}
}
