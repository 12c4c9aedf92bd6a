package agent

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/report"
)

// Health stores which stacks have been read completely: their repository and all of their cloud. It is a sink.
type Health struct {
	mu       sync.Mutex
	waiting  []string
	refused  map[string]string // by stack: the refused commit, and the commit at which the cloud is kept.
	unlisted map[string]string // by document: the reason why its folders are unknown.
}

// NewHealth returns a Health that is not ready until the named stacks are read.
func NewHealth(stacks []string) *Health {
	return &Health{waiting: slices.Clone(stacks), refused: map[string]string{}, unlisted: map[string]string{}}
}

// Unlisted records that the folders for which a document defines stacks are unknown. Health waits for the document
// unless other stacks are served in the meantime.
func (h *Health) Unlisted(document string, others bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unlisted[document] = "the folders of the document are not known"
	if !others {
		h.waiting = append(h.waiting, document)
	}
}

// Listed records that the folders of a document are known. If Health waited for the document, it now waits
// for the given stacks instead.
func (h *Health) Listed(document string, stacks []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.unlisted[document]; !ok {
		return
	}
	delete(h.unlisted, document)
	if at := slices.Index(h.waiting, document); at >= 0 {
		h.waiting = append(slices.Delete(h.waiting, at, at+1), stacks...)
	}
}

// Ran stores the result of a run.
func (h *Health) Ran(r report.Run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case r.Refused != nil:
		h.refused[r.Stack] = refusal(r)
	case r.Err == nil && r.FetchErr == nil:
		delete(h.refused, r.Stack)
	}
	if !r.Listed() {
		return
	}
	h.waiting = slices.DeleteFunc(h.waiting, func(name string) bool { return name == r.Stack })
}

// Forget drops the knowledge about a stack that this process no longer serves.
func (h *Health) Forget(stack string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.refused, stack)
	h.waiting = slices.DeleteFunc(h.waiting, func(name string) bool { return name == stack })
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
	text := ""
	for _, stack := range slices.Sorted(maps.Keys(h.refused)) {
		text += "\n" + stack + ": " + h.refused[stack]
	}
	for _, document := range slices.Sorted(maps.Keys(h.unlisted)) {
		text += "\n" + document + ": " + h.unlisted[document]
	}
	if len(h.waiting) > 0 {
		http.Error(w, "not seen yet: "+strings.Join(h.waiting, ", ")+text, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok"+text)
}

// refusal returns a text with the refused commit and the commit at which the cloud is kept. Everybody who can reach the listener can
// read the text, so it contains nothing from the repository. The reason is in the commit's status and in the log.
func refusal(r report.Run) string {
	kept := "keeping nothing"
	if r.Revision.Commit != "" && r.Revision.Commit != r.Refused.Commit {
		kept = "keeping " + report.Short(r.Revision.Commit)
	}
	if r.Refused.Cautious {
		kept += ", with caution: nothing is deleted"
	}
	return "refused commit " + report.Short(r.Refused.Commit) + ", " + kept
}
