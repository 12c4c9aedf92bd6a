package agent

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/report"
)

// Health knows which stacks have been seen: their repository, and the whole of
// their cloud. It is a sink.
type Health struct {
	mu      sync.Mutex
	waiting []string
}

// NewHealth waits for the named stacks.
func NewHealth(stacks []string) *Health { return &Health{waiting: slices.Clone(stacks)} }

// Ran takes note of a look.
func (h *Health) Ran(r report.Run) {
	if !r.Listed() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = slices.DeleteFunc(h.waiting, func(name string) bool { return name == r.Stack })
}

// Handler serves /healthz, /readyz and /metrics.
func (h *Health) Handler(metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", h.ready)
	mux.Handle("GET /metrics", metrics)
	return mux
}

func (h *Health) ready(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) > 0 {
		http.Error(w, "not seen yet: "+strings.Join(h.waiting, ", "), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}
