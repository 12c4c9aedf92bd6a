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

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const (
	askTime = 30 * time.Second // the time for all values of one reading
	atOnce  = 4                // requests to one store at the same time
)

// Reader reads values from the stores of one stack. It can be used by several goroutines.
type Reader struct {
	log    *slog.Logger
	stores map[string]*shelf
}

// New returns a reader of stores, by their names.
func New(stores map[string]Store, log *slog.Logger) *Reader {
	r := &Reader{log: log, stores: map[string]*shelf{}}
	for name, store := range stores {
		r.stores[name] = &shelf{Store: store, slots: make(chan struct{}, atOnce), known: map[Place]remembered{}}
	}
	return r
}

// Read sets the data of each object, or the reason why they are unknown. If the time does not suffice for all values, the next call begins
// with those that were not read.
func (r *Reader) Read(ctx context.Context, wanted []*kind.Stored) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	places := map[string]map[Place][]string{} // the fields, by the name of the store and the place
	for _, of := range wanted {
		for _, at := range of.Entries {
			if places[of.Store] == nil {
				places[of.Store] = map[Place][]string{}
			}
			place := Place{at.Path, at.Version}
			places[of.Store][place] = append(places[of.Store][place], at.Field)
		}
	}
	var (
		all   sync.WaitGroup
		mu    sync.Mutex
		found = map[string]map[Place]answer{}
	)
	for name, fields := range places {
		if s := r.stores[name]; s != nil {
			all.Go(func() {
				answers := r.readStore(ctx, name, s, fields)
				mu.Lock()
				defer mu.Unlock()
				found[name] = answers
			})
		}
	}
	all.Wait()
	for _, of := range wanted {
		data := make(map[string]string, len(of.Entries))
		of.Data, of.Unread = data, nil
		for _, name := range slices.Sorted(maps.Keys(of.Entries)) {
			value, err := r.value(found, of.Store, of.Entries[name])
			if err != nil {
				of.Data, of.Unread = nil, &kind.Unread{Why: err.Error()}
				break
			}
			data[name] = value
		}
	}
}

// answer is a secret, or the reason why it is unknown.
type answer struct {
	*Secret
	err error
}

// readStore reads places of one store. The first is read alone, so that a store that is down gets one request.
func (r *Reader) readStore(ctx context.Context, name string, s *shelf, fields map[Place][]string) map[Place]answer {
	order := s.order(slices.Collect(maps.Keys(fields)))
	answers := make([]answer, len(order))
	read := func(i int) {
		secret, news, err := s.secret(ctx, order[i], fields[order[i]])
		if news {
			r.log.Warn("a secret cannot be read", "store", name, "path", order[i].Path, "error", private.Text(err))
		}
		answers[i] = answer{secret, err}
	}
	read(0)
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(atOnce, len(order)-1) {
		workers.Go(func() {
			for i := range next {
				read(i)
			}
		})
	}
	for i := range order[1:] {
		next <- i + 1
	}
	close(next)
	workers.Wait()
	found := make(map[Place]answer, len(order))
	for i, at := range order {
		found[at] = answers[i]
	}
	return found
}

// value returns one value. The text of the error is for everybody.
func (r *Reader) value(found map[string]map[Place]answer, store string, at kind.StoredEntry) (string, error) {
	if r.stores[store] == nil {
		return "", fmt.Errorf("there is no store %s", store)
	}
	secret := found[store][Place{at.Path, at.Version}]
	switch err := secret.err; {
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
