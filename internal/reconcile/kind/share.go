package kind

import (
	"context"
	"sync"
)

type shared struct{}

// results are what the lists of one snapshot have in common.
type results struct {
	mu    sync.Mutex
	known map[string]func() (any, error)
}

// WithShared is for the lists of one snapshot, which are read at the same time: what
// several of them need is asked for once, see [Share].
func WithShared(ctx context.Context) context.Context {
	return context.WithValue(ctx, shared{}, &results{known: map[string]func() (any, error){}})
}

// Share is the result of do, which is called once for all with the same key and context
// [WithShared], and each time without one. The result must not be changed; the type is the
// same for a key.
func Share[T any](ctx context.Context, key string, do func() (T, error)) (T, error) {
	all, ok := ctx.Value(shared{}).(*results)
	if !ok {
		return do()
	}
	all.mu.Lock()
	once := all.known[key]
	if once == nil {
		once = sync.OnceValues(func() (any, error) { return do() })
		all.known[key] = once
	}
	all.mu.Unlock()
	result, err := once()
	value, _ := result.(T) // always one, see above
	return value, err
}
