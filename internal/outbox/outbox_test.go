package outbox

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

var errAway, errNotTaken = errors.New("away"), errors.New("not taken")

// limitedError is the error of a server that requests a pause.
type limitedError struct{ until time.Time }

func (*limitedError) Error() string { return "limited" }

func judge(err error) Verdict {
	var limited *limitedError
	if errors.As(err, &limited) {
		return Verdict{Until: limited.until}
	}
	return Verdict{Away: errors.Is(err, errAway), Quiet: errors.Is(err, errNotTaken)}
}

func newOutbox() *Outbox { return New("the server", judge, slog.New(slog.DiscardHandler)) }

// server is a receiver whose answers the test sets.
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

// seen returns the number of requests to the server, and the deliveries that it accepted.
func (s *server) seen() (asks int, got []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks, slices.Clone(s.got)
}

// takeAll makes the server accept all deliveries.
func (s *server) takeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = nil
}

func TestWhatIsOwedWaitsForTheForge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := &server{err: errAway}, newOutbox()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go o.Serve(ctx)
		o.Put("a", s.letter("a1"))
		o.Put("b", s.letter("b1"))
		o.Put("a", s.letter("a2"))
		o.Put("c", s.letter("c1"))
		time.Sleep(time.Hour)
		synctest.Wait()
		if asks, _ := s.seen(); o.Len() != 3 || asks > 30 {
			t.Errorf("%d pending after %d tries in an hour, want 3 after at most 30", o.Len(), asks)
		}
		s.takeAll()
		time.Sleep(longPause)
		synctest.Wait()
		want := []string{"a2", "b1", "c1"}
		if _, got := s.seen(); !slices.Equal(got, want) || o.Len() != 0 {
			t.Errorf("delivered %v with %d left, want %v", got, o.Len(), want)
		}
	})
}

func TestALimitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := &server{err: &limitedError{until: time.Now().Add(40 * time.Minute)}}, newOutbox()
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
		s.takeAll()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		want := []string{"a", "b"}
		if _, got := s.seen(); !slices.Equal(got, want) {
			t.Errorf("delivered %v, want %v", got, want)
		}
	})
}

func TestWhatIsRefusedHoldsUpNothing(t *testing.T) {
	s, o := &server{}, newOutbox()
	for _, err := range []error{errNotTaken, errors.New("what?")} {
		o.Put(err.Error(), func(context.Context) error { return err })
	}
	o.Put("last", s.letter("last"))
	if !o.Flush(t.Context()) || !slices.Equal(s.got, []string{"last"}) {
		t.Errorf("delivered %v with %d left", s.got, o.Len())
	}
}

func TestAKeyThatIsOwedAgainWhileItIsDelivered(t *testing.T) {
	s, o := &server{}, newOutbox()
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
		s, o := &server{err: errAway}, newOutbox()
		o.Put("a", s.letter("a"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if o.Flush(ctx) {
			t.Error("nothing is left, says Flush")
		}
	})
}

func TestTheOutboxIsBounded(t *testing.T) {
	s, o := &server{}, newOutbox()
	for i := range maxPending + 5 {
		o.Put(string(rune('a'+i%26))+time.Duration(i).String(), s.letter("x"))
	}
	if o.Len() != maxPending || len(o.pending) != maxPending {
		t.Errorf("%d keys and %d letters are kept, want %d", o.Len(), len(o.pending), maxPending)
	}
}

func TestWhatAlwaysFailsHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad, good, o := &server{err: errAway}, &server{}, newOutbox()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go o.Serve(ctx)
		o.Put("bad", bad.letter("bad"))
		o.Put("good", good.letter("first"))
		for range 100 {
			synctest.Wait()
			if _, got := good.seen(); len(got) != 1 || o.Len() != 1 {
				t.Fatalf("delivered %v with %d left, at once", got, o.Len())
			}
			time.Sleep(time.Minute)
			good.got = nil
			o.Put("good", good.letter("next"))
		}
		if asks, _ := bad.seen(); asks > 60 {
			t.Errorf("what always fails was tried %d times in 100 minutes", asks)
		}
		bad.takeAll()
		time.Sleep(longPause)
		synctest.Wait()
		if o.Len() != 0 {
			t.Error("it was given up")
		}
	})
}

func TestWhatIsGivenUpWhileItIsDelivered(t *testing.T) {
	s, o := &server{}, newOutbox()
	o.Put("old", func(context.Context) error {
		for i := range maxPending {
			o.Put(time.Duration(i).String(), s.letter("x"))
		}
		o.Put("old", s.letter("new"))
		return nil
	})
	if !o.Flush(t.Context()) || s.got[len(s.got)-1] != "new" {
		t.Errorf("%d left; the newest was not delivered", o.Len())
	}
}

func TestADeliveryThatHangsIsPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := &server{}, newOutbox()
		o.Put("hangs", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		o.Put("b", s.letter("b"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if o.Flush(ctx) || len(s.got) != 1 {
			t.Errorf("delivered %v with %d left", s.got, o.Len())
		}
	})
}

// If a delivery was accepted while the process was told to end, the last flush does not repeat it.
func TestWhatIsTakenAtTheEndIsDelivered(t *testing.T) {
	s, o := &server{}, newOutbox()
	ctx, end := context.WithCancel(t.Context())
	post := s.letter("a")
	o.Put("a", func(within context.Context) error { end(); return post(within) })
	o.Serve(ctx)
	if asks, _ := s.seen(); !o.Flush(t.Context()) || asks != 1 {
		t.Errorf("asked %d times", asks)
	}
	if asks, _ := s.seen(); asks != 1 {
		t.Errorf("asked %d times in the end", asks)
	}
}

func TestFlushDoesNotWaitForWhatComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := &server{err: &limitedError{until: time.Now().Add(time.Hour)}}, newOutbox()
		o.Put("a", s.letter("a"))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if began := time.Now(); o.Flush(ctx) || time.Since(began) > time.Second {
			t.Errorf("waited %s for a limit that ends later", time.Since(began))
		}
	})
}
