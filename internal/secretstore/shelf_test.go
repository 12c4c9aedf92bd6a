package secretstore

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// storeFunc is a store that is a function.
type storeFunc func(ctx context.Context, at Place, known *Secret) (*Secret, error)

func (f storeFunc) Read(ctx context.Context, at Place, known *Secret) (*Secret, error) {
	return f(ctx, at, known)
}

func readerOf(f storeFunc) *Reader {
	return New(map[string]Store{"s": f}, slog.New(slog.DiscardHandler))
}

// objects returns one object for each of a number of values.
func objects(count int) (all []*kind.Stored) {
	for i := range count {
		all = append(all, &kind.Stored{Store: "s", Entries: map[string]kind.StoredEntry{"a": {Path: strconv.Itoa(i)}}})
	}
	return all
}

func unread(all []*kind.Stored) (count int) {
	for _, of := range all {
		if of.Unread != nil {
			count++
		}
	}
	return count
}

// slow returns a store that needs a time for each value, and the largest number of requests at once.
func slow(each time.Duration) (storeFunc, *atomic.Int32) {
	var running, most atomic.Int32
	return func(ctx context.Context, _ Place, _ *Secret) (*Secret, error) {
		defer running.Add(-1)
		if now := running.Add(1); now > most.Load() {
			most.Store(now)
		}
		select {
		case <-time.After(each):
			return &Secret{Fields: map[string]string{"": "v"}}, nil
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", ErrDown, ctx.Err())
		}
	}, &most
}

// TestTimeOfAReading: values that one reading has no time for are read by the next ones. The store gets a few requests at once, and no pause,
// because it did not fail.
func TestTimeOfAReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, most := slow(time.Second)
		r, all := readerOf(store), objects(400)
		last := len(all)
		for n := range 4 {
			r.Read(t.Context(), all)
			now := unread(all)
			if last-now < 49 {
				t.Errorf("reading %d: %d values are unknown, and %d before", n, now, last)
			}
			last = now
		}
		if last != 0 || most.Load() != atOnce || r.stores["s"].failed != nil {
			t.Errorf("%d values are unknown, %d requests at once, failure %v", last, most.Load(), r.stores["s"].failed)
		}
		time.Sleep(late)
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if r.Read(done, all); unread(all) != len(all) {
			t.Error("old values are used")
		}
		one := objects(1)
		if r.Read(t.Context(), one); one[0].Unread != nil {
			t.Errorf("a reading that was stopped caused a pause: %s", one[0].Unread.Why)
		}
	})
}

// TestWaitingEnds: a reading that waits for the requests of others ends with its own time.
func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, _ := slow(20 * time.Second)
		r, first := readerOf(store), objects(1+atOnce)
		ended := make(chan struct{})
		go func() { defer close(ended); r.Read(t.Context(), first) }()
		time.Sleep(21 * time.Second) // one was read, and the others fill the slots
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		other := &kind.Stored{Store: "s", Entries: map[string]kind.StoredEntry{"a": {Path: "other"}}}
		r.Read(ctx, []*kind.Stored{other})
		if waited := time.Since(began); waited != time.Second || other.Unread == nil {
			t.Errorf("waited %s, %+v", waited, other.Unread)
		}
		<-ended
	})
}

// TestOneFailure: requests that fail at the same time are one failure, so the pause does not grow with their number.
func TestOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := atomic.Int32{}
		r := readerOf(func(context.Context, Place, *Secret) (*Secret, error) {
			first := asked.Add(1) == 1
			time.Sleep(time.Second)
			if first {
				return &Secret{Fields: map[string]string{"": "v"}}, nil
			}
			return nil, ErrDown
		})
		r.Read(t.Context(), objects(20))
		if s := r.stores["s"]; s.failures != 1 || asked.Load() != 1+atOnce {
			t.Errorf("%d failures, %d requests", s.failures, asked.Load())
		}
	})
}

// TestKeptFields: only fields that a manifest names stay in memory. A field that is named later is read from the store.
func TestKeptFields(t *testing.T) {
	asked := 0
	r := readerOf(func(_ context.Context, _ Place, known *Secret) (*Secret, error) {
		asked++
		if known != nil {
			t.Errorf("known: %v", known.Fields)
		}
		return &Secret{Fields: map[string]string{"x": "1", "y": "2", "z": "3"}}, nil
	})
	for i, field := range []string{"x", "y", "x", "none", "none"} {
		of := &kind.Stored{Store: "s", Entries: map[string]kind.StoredEntry{"a": {Path: "p", Field: field}}}
		if r.Read(t.Context(), []*kind.Stored{of}); (of.Unread == nil) != (field != "none") {
			t.Errorf("%d: %+v", i, of)
		}
	}
	kept := r.stores["s"].known[Place{Path: "p"}]
	if asked != 3 || len(kept.Fields) != 2 || kept.Fields["z"] != "" {
		t.Errorf("asked %d times, kept %v", asked, kept.Fields)
	}
}

// TestKeptBytes: values that are remembered have a limit in bytes and in number. All values of a reading are there nevertheless.
func TestKeptBytes(t *testing.T) {
	large := strings.Repeat("v", MaxValue)
	r := readerOf(func(context.Context, Place, *Secret) (*Secret, error) {
		return &Secret{Fields: map[string]string{"": large}}, nil
	})
	all := objects(300)
	r.Read(t.Context(), all)
	s, bytes := r.stores["s"], 0
	for at, m := range s.known {
		bytes += m.size(at)
	}
	if unread(all) != 0 || bytes > maxBytes || bytes < maxBytes-2*MaxValue || bytes != s.bytes {
		t.Errorf("%d unknown, %d bytes kept, %d counted", unread(all), bytes, s.bytes)
	}
	large = "v"
	r.Read(t.Context(), objects(maxKept+10))
	if len(s.known) > maxKept || s.bytes > maxBytes {
		t.Errorf("%d secrets, %d bytes", len(s.known), s.bytes)
	}
}
