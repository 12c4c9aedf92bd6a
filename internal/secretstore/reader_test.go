package secretstore_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/secretstore"
)

// store counts requests. Its secrets change only when a test changes them.
type store struct {
	mu      sync.Mutex
	secrets map[string]*secretstore.Secret
	err     error
	asked   int
	known   []string // the known versions of all requests
}

func (s *store) Read(_ context.Context, at secretstore.Place, known *secretstore.Secret) (*secretstore.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if known != nil {
		s.known = append(s.known, known.Version)
	}
	switch secret := s.secrets[at.Path]; {
	case s.err != nil:
		return nil, s.err
	case secret == nil:
		return nil, secretstore.ErrMissing
	default:
		return secret, nil
	}
}

func wanted(entries map[string]kind.StoredEntry) *kind.Stored {
	return &kind.Stored{Store: "s", Entries: entries}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestReader: an object has all its values, or none and a reason. A recent value is not read again, and a known version is passed on.
func TestReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &store{secrets: map[string]*secretstore.Secret{
			"a": {Version: "1", Fields: map[string]string{"x": "ax", "y": "ay"}},
			"b": {Version: "1", Fields: map[string]string{"": strings.Repeat("b", secretstore.MaxValue+1)}},
		}}
		r := secretstore.New(map[string]secretstore.Store{"s": s}, quiet())
		read := func(entries map[string]kind.StoredEntry) *kind.Stored {
			of := wanted(entries)
			r.Read(t.Context(), []*kind.Stored{of})
			return of
		}
		both := map[string]kind.StoredEntry{"one": {Path: "a", Field: "x"}, "two": {Path: "a", Field: "y"}}
		if of := read(both); of.Unread != nil || !maps.Equal(of.Data, map[string]string{"one": "ax", "two": "ay"}) {
			t.Errorf("%+v", of)
		}
		read(both)
		if s.asked != 1 {
			t.Errorf("asked %d times for recent values", s.asked)
		}
		time.Sleep(11 * time.Second)
		s.secrets["a"] = &secretstore.Secret{Version: "2", Fields: map[string]string{"x": "new"}}
		if of := read(map[string]kind.StoredEntry{"one": {Path: "a", Field: "x"}}); of.Data["one"] != "new" || len(s.known) != 1 || s.known[0] != "1" {
			t.Errorf("%+v, known %v", of, s.known)
		}
		for name, entries := range map[string]map[string]kind.StoredEntry{
			"a missing field":  both,
			"a missing secret": {"one": {Path: "a", Field: "x"}, "two": {Path: "c"}},
			"a large value":    {"one": {Path: "b"}},
		} {
			if of := read(entries); of.Data != nil || of.Unread == nil || of.Unread.Untried {
				t.Errorf("%s: %+v", name, of)
			}
		}
		of := &kind.Stored{Store: "other", Entries: both}
		if r.Read(t.Context(), []*kind.Stored{of}); of.Unread == nil {
			t.Error("an unknown store has values")
		}
	})
}

// TestPauses: a store that is down is not asked again before a pause has ended, for no place. Pauses grow up to 5 minutes, and end with the
// first answer. The reason for everybody contains no detail.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &store{err: private.Hide("is sealed", fmt.Errorf("%w: https://vault.internal", secretstore.ErrDown))}
		r := secretstore.New(map[string]secretstore.Store{"s": s}, quiet())
		read := func() *kind.Stored {
			of := wanted(map[string]kind.StoredEntry{"one": {Path: "a"}})
			more := wanted(map[string]kind.StoredEntry{"one": {Path: "b"}})
			r.Read(t.Context(), []*kind.Stored{of, more})
			if (of.Unread == nil) != (more.Unread == nil) {
				t.Errorf("%v, %v", of.Unread, more.Unread)
			}
			return of
		}
		if of := read(); of.Unread == nil || of.Unread.Why != "store s: is sealed" || s.asked != 1 {
			t.Errorf("%+v, asked %d times", of.Unread, s.asked)
		}
		for range 20 * 60 {
			read()
			time.Sleep(time.Second)
		}
		if s.asked < 5 || s.asked > 16 {
			t.Errorf("asked %d times in 20 minutes", s.asked)
		}
		s.err, s.secrets = nil, map[string]*secretstore.Secret{"a": {Fields: map[string]string{"": "v"}}, "b": {Fields: map[string]string{"": "v"}}}
		time.Sleep(5 * time.Minute)
		if of := read(); of.Unread != nil || of.Data["one"] != "v" {
			t.Errorf("%+v", of.Unread)
		}
	})
}

// TestFilesInAWorkTree: an empty file is no value, and a folder that everybody can write by pushing is no store.
func TestFilesInAWorkTree(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a"), []byte("value\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := secretstore.Files{Folder: folder}
	got, err := files.Read(t.Context(), secretstore.Place{Path: "a"}, nil)
	if err != nil || got.Fields[""] != "value\n" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := files.Read(t.Context(), secretstore.Place{Path: "b"}, nil); !errors.Is(err, secretstore.ErrMissing) || errors.Is(err, secretstore.ErrDown) {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Read(t.Context(), secretstore.Place{Path: "empty"}, nil); !errors.Is(err, secretstore.ErrMissing) {
		t.Errorf("an empty file: %v", err)
	}
	if err := os.Mkdir(filepath.Join(folder, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Read(t.Context(), secretstore.Place{Path: "a"}, nil); !errors.Is(err, secretstore.ErrDown) || strings.Contains(err.Error(), folder) {
		t.Errorf("in a work tree: %v", err)
	}
}
