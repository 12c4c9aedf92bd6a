package readapi

import (
	"context"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/report"
)

// Wrote is who last changed a file of a stack, in its repository.
type Wrote struct {
	Author  string `json:"author"`
	Commit  string `json:"commit"`
	Subject string `json:"subject"`
	Time    string `json:"time"` // RFC 3339, UTC
}

// wroteTime is how long the repository's history is searched.
const wroteTime = 15 * time.Second

// authors is who wrote the files of a stack at a commit, as far as somebody has asked.
type authors struct {
	ask func(ctx context.Context, file string) (Wrote, error)

	mu     sync.Mutex
	commit string
	known  map[string]Wrote // by file
}

// Ask has a stack know who wrote its files. It is called before the first run.
func (s *Store) Ask(stack string, who func(ctx context.Context, file string) (Wrote, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.authors[stack] = &authors{ask: who}
}

// Wrote is who last changed the manifest of an object of a stack; ok is false when that is not known. The repository is asked once
// for each file of a commit, and for no file that no object is written in.
func (s *Store) Wrote(ctx context.Context, stack, file string) (w Wrote, ok bool) {
	s.mu.Lock()
	h, v := s.authors[stack], s.views[stack]
	s.mu.Unlock()
	if h == nil || v.last == nil || !v.last.files[file] {
		return w, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.commit != v.last.commit {
		h.commit, h.known = v.last.commit, map[string]Wrote{}
	}
	w, asked := h.known[file]
	if !asked {
		ctx, cancel := context.WithTimeout(ctx, wroteTime)
		defer cancel()
		var err error
		if w, err = h.ask(ctx, file); err != nil {
			return w, false
		}
		w.Author, w.Subject = report.Clean(v.last.redact(w.Author)), report.Clean(v.last.redact(w.Subject))
		h.known[file] = w
	}
	return w, w.Author != ""
}
