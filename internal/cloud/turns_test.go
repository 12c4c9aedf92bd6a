package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// worker answers every request after some time. It counts what is in flight, and remembers who asked.
type worker struct {
	takes  time.Duration
	answer func(path string) (code int, header http.Header) // nil for 200

	mu       sync.Mutex
	inFlight int
	most     int
	served   []string // the paths, in the order of the requests
}

// RoundTrip implements [http.RoundTripper].
func (w *worker) RoundTrip(req *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.inFlight++
	w.most = max(w.most, w.inFlight)
	w.served = append(w.served, req.URL.Path)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.inFlight--
		w.mu.Unlock()
	}()
	select {
	case <-time.After(w.takes):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	code, header := 200, http.Header{}
	if w.answer != nil {
		code, header = w.answer(req.URL.Path)
	}
	return &http.Response{StatusCode: code, Header: header, Request: req, Body: http.NoBody}, nil
}

// ask sends a request of a client to the network service, and returns the code of the answer.
func ask(ctx context.Context, t *testing.T, client *transport, method, path string) (int, error) {
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader("")
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://cloud.example.org:9696"+path, body)
	if err != nil {
		t.Error(err)
		return 0, err
	}
	resp, err := client.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// A client with a thousand requests delays each of a thousand other clients by no more than one request for each client. The number of requests in
// flight stays below the ceiling.
func TestTurnsAreFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, limits := &worker{takes: 50 * time.Millisecond}, Limits{Burst: 5, PerSecond: 1e6, CloudPerSecond: 1e6}
		on := newLoad(limits)
		greedy := newTransport(Config{Limits: limits}, w, on)
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() { _, _ = ask(t.Context(), t, greedy, "GET", "/greedy") })
		}
		synctest.Wait()
		for i := range 1000 {
			client := newTransport(Config{Limits: limits}, w, on)
			all.Go(func() { _, _ = ask(t.Context(), t, client, []string{"GET", "POST"}[i%2], "/other") })
		}
		all.Wait()
		last := slices.Index(w.served, "/other")
		for i, path := range w.served {
			if path == "/other" {
				last = i
			}
		}
		if w.most != 5 || len(w.served) != 2000 || last > 1000+3*w.most {
			t.Errorf("%d in flight, %d sent, the last client came after %d", w.most, len(w.served), last)
		}
		if at := on.endpoints["network cloud.example.org:9696"]; at == nil || at.inFlight != 0 || len(at.queues) != 0 || len(at.of) != 0 {
			t.Errorf("what remains: %+v", on.endpoints)
		}
	})
}

// The requests of one client are sent in the order in which it asked, whatever they do.
func TestTurnsAreInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		client := newTransport(Config{}, w, newLoad(Limits{Burst: 1}))
		var all sync.WaitGroup
		var want []string
		for i := range 20 {
			want = append(want, fmt.Sprint("/", i))
			all.Go(func() { _, _ = ask(t.Context(), t, client, []string{"GET", "POST"}[i%2], want[i]) })
			synctest.Wait()
		}
		if all.Wait(); !slices.Equal(w.served, want) {
			t.Errorf("sent in this order: %v", w.served)
		}
	})
}

// A request that is given up while it waits was not sent, and keeps nobody waiting. Neither does one that is given up in flight.
func TestTurnsThatAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Minute / 2}
		on := newLoad(Limits{Burst: 1})
		client, other := newTransport(Config{}, w, on), newTransport(Config{}, w, on)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var unsent atomic.Int64
		for range 3 {
			all.Go(func() {
				if _, err := ask(ctx, t, client, "POST", "/given-up"); errors.As(err, new(unsentError)) {
					unsent.Add(1)
				}
			})
		}
		synctest.Wait()
		all.Go(func() {
			if code, err := ask(t.Context(), t, other, "POST", "/other"); code != 200 {
				t.Error(code, err)
			}
		})
		synctest.Wait()
		cancel()
		all.Wait()
		if unsent.Load() != 2 || !slices.Equal(w.served, []string{"/given-up", "/other"}) {
			t.Errorf("%d were not sent; sent: %v", unsent.Load(), w.served)
		}
	})
}

// No request waits forever. After an hour it fails, and is known not to have been sent. It is not tried again.
func TestTurnsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, limits := &worker{takes: time.Hour}, Limits{Burst: 1, Timeout: 2 * time.Hour, PerSecond: 1e12, CloudPerSecond: 1e12}
		client := newTransport(Config{Limits: limits}, w, newLoad(limits))
		go func() { _, _ = ask(t.Context(), t, client, "GET", "/long") }()
		synctest.Wait()
		began := time.Now()
		_, err := ask(t.Context(), t, client, "GET", "/other")
		if !errors.Is(err, errNoTurn) || !errors.As(err, new(unsentError)) || time.Since(began).Round(time.Second) != maxTurnWait {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		time.Sleep(2 * time.Hour)
	})
}

// A service that asks for a pause gets nothing during that time. After a 503 that holds for every client, after a 429 for the client that got it. A
// very long pause ends earlier.
func TestTurnsPause(t *testing.T) {
	for name, tt := range map[string]struct {
		code        int
		asks        string
		own, others time.Duration
	}{
		"429":           {429, "20", 20 * time.Second, 0},
		"503":           {503, "20", 20 * time.Second, 20 * time.Second},
		"503 too long":  {503, "3600", maxPause, maxPause},
		"503 no number": {503, "soon", 0, 0},
		"500":           {500, "20", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &worker{answer: func(path string) (int, http.Header) {
					if path == "/refused" {
						return tt.code, http.Header{"Retry-After": {tt.asks}}
					}
					return 200, nil
				}}
				on, limits := newLoad(Limits{}), Limits{Retries: -1}
				client, other := newTransport(Config{Limits: limits}, w, on), newTransport(Config{Limits: limits}, w, on)
				_, _ = ask(t.Context(), t, client, "POST", "/refused")
				began, waited := time.Now(), [2]time.Duration{}
				var all sync.WaitGroup
				for i, by := range []*transport{client, other} {
					all.Go(func() {
						_, _ = ask(t.Context(), t, by, "POST", "/next")
						waited[i] = time.Since(began)
					})
				}
				if all.Wait(); waited != [2]time.Duration{tt.own, tt.others} {
					t.Errorf("waited %s", waited)
				}
			})
		})
	}
}

// A service that handles four requests at a time and refuses more than eight gets few that it refuses, and all of them are answered.
func TestTurnsOfAnOverloadedService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refused, inside atomic.Int64
		free := make(chan bool, 4)
		w := &worker{answer: func(string) (int, http.Header) {
			defer inside.Add(-1)
			if inside.Add(1) > 8 {
				refused.Add(1)
				return 503, nil
			}
			free <- true
			time.Sleep(100 * time.Millisecond)
			<-free
			return 200, nil
		}}
		limits := Limits{Retries: 100, PerSecond: 1e6, CloudPerSecond: 1e6}
		on := newLoad(limits)
		var all sync.WaitGroup
		for range 50 {
			client := newTransport(Config{Limits: limits}, w, on)
			for range 40 {
				all.Go(func() {
					if code, err := ask(t.Context(), t, client, "GET", "/networks"); code != 200 {
						t.Error(code, err)
					}
				})
			}
		}
		began := time.Now()
		all.Wait()
		const work = 2000 * 100 * time.Millisecond / 4
		if took := time.Since(began); refused.Load() > 200 || took > work*5/4 {
			t.Errorf("%d of 2000 refused, %s for %s of work", refused.Load(), took, work)
		}
	})
}

// Uploads, and requests to servers outside the cloud, take no turns.
func TestTurnsOfLongRequests(t *testing.T) {
	on := newLoad(Limits{})
	short, err := http.NewRequestWithContext(t.Context(), "PUT", "https://cloud.example.org/v2/images/1", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	stream, long := short.Clone(t.Context()), short.WithContext(WithLongest(t.Context(), time.Hour))
	stream.GetBody = nil
	if on.turnsAt(short, time.Minute) == nil || on.turnsAt(stream, time.Minute) != nil || on.turnsAt(long, time.Minute) != nil || (*load)(nil).turnsAt(short, time.Minute) != nil {
		t.Error("a long request takes a turn, or a short one does not")
	}
	for i := range 2 * maxEndpoints {
		short.URL.Host = fmt.Sprint("host-", i)
		on.turnsAt(short, time.Minute)
	}
	if len(on.endpoints) != maxEndpoints {
		t.Errorf("%d endpoints", len(on.endpoints))
	}
}
