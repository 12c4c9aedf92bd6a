package readapi

import (
	"context"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/report"
)

// LastChange is the last change of a file of a stack, in its repository.
type LastChange struct {
	Author  string `json:"author"`
	Commit  string `json:"commit"`
	Subject string `json:"subject"`
	Time    string `json:"time"` // RFC 3339, UTC
}

// lastChangeTime is the time limit for a search in the repository's history.
const lastChangeTime = 15 * time.Second

// authors contains the last changes of a stack's files at a commit, for the files that were requested.
type authors struct {
	ask func(ctx context.Context, file string) (LastChange, error)

	mu     sync.Mutex
	commit string
	known  map[string]LastChange // the keys are paths of files
}

// SetLastChange sets the function that finds the last change of a stack's files. It must be called before the first run.
func (s *Store) SetLastChange(stack string, who func(ctx context.Context, file string) (LastChange, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.authors[stack] = &authors{ask: who}
}

// LastChange returns the last change of a file that contains an object of the stack. ok is false if it is unknown. The repository is searched
// once per file and commit, and never for a file that contains no objects.
func (s *Store) LastChange(ctx context.Context, stack, file string) (w LastChange, ok bool) {
	s.mu.Lock()
	h, v := s.authors[stack], s.views[stack]
	s.mu.Unlock()
	if h == nil || v.last == nil || !v.last.files[file] {
		return w, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.commit != v.last.commit {
		h.commit, h.known = v.last.commit, map[string]LastChange{}
	}
	w, asked := h.known[file]
	if !asked {
		ctx, cancel := context.WithTimeout(ctx, lastChangeTime)
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
