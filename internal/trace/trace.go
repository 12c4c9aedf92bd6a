// Package trace records for which work a pass needs its time, and sends that to a receiver of OpenTelemetry
// traces.
//
// The package implements spans and their encoding (OTLP 1.x, JSON over HTTP), and decides which passes are worth
// a trace. It does not depend on stacks, steps or clouds. No work waits for it: a trace that cannot be sent is
// dropped and counted.
package trace

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"
)

// maxSpans is the maximum number of spans in one trace.
const maxSpans = 2000

// Trace is the trace of one pass. A nil Trace records nothing.
type Trace struct {
	id, root string // 16 and 8 random bytes, in hexadecimal
	began    time.Time

	mu      sync.Mutex
	spans   []Span
	dropped int
}

// Span is a part of a pass. Anybody may read its name and attributes, because they contain names, and never
// values of fields or texts of errors.
type Span struct {
	Name       string
	Start, End time.Time
	Failed     bool
	Attributes map[string]string
}

type key struct{}

// Start begins a trace. All work with the context that it returns is part of the trace.
func Start(ctx context.Context) (context.Context, *Trace) {
	t := &Trace{id: random(16), root: random(8), began: now()}
	return context.WithValue(ctx, key{}, t), t
}

// Begin begins a span of the trace in a context, if there is one. The returned function ends the span.
func Begin(ctx context.Context, name string, attributes map[string]string) (end func(failed bool)) {
	t, _ := ctx.Value(key{}).(*Trace)
	if t == nil {
		return func(bool) {}
	}
	began := now()
	return func(failed bool) {
		t.Add(Span{Name: name, Start: began, End: now(), Failed: failed, Attributes: attributes})
	}
}

// Add adds a span.
func (t *Trace) Add(s Span) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.spans) >= maxSpans {
		t.dropped++
		return
	}
	t.spans = append(t.spans, s)
}

func random(bytes int) string {
	id := make([]byte, bytes)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

func now() time.Time { return time.Now() } //nolint:forbidigo // the time is only recorded, and decides nothing
