package readapi

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
)

// failing returns a run in which one object failed.
func failing(name string, n int) report.Run {
	return report.Run{Stack: "prod", Started: time.Unix(int64(1000+n), 0), Pass: &engine.Pass{Failures: []engine.Failure{{Key: manifest.Key{Kind: "Server", Name: name}, Causes: cause.List{cause.Of(cause.Tried, "no")}}}}}
}

// process returns the store of a process that has just started, with its history in a folder.
func process(t *testing.T, dir string) *Store {
	t.Helper()
	s := NewStore(nil, nil, time.Unix(1, 0))
	s.Keeps = NewHistory(dir, time.Unix(2000, 0), slog.New(slog.DiscardHandler))
	s.Add("prod", About{History: "prod-1"}, time.Unix(1, 0))
	return s
}

func (s *Store) past() (names []string) {
	for _, e := range s.views["prod"].events {
		names = append(names, e.Key.Name)
	}
	return names
}

func TestEventsOutliveAProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "events")
	s := process(t, dir)
	s.Ran(failing("a", 0))
	s.Ran(failing("b", 1))
	s.Ran(failing("a", 2))
	s = process(t, dir)
	if got := s.views["prod"].events; strings.Join(s.past(), " ") != "b a" || got[1].Count != 2 || got[1].First.Unix() != 1000 || got[1].Last.Unix() != 1002 {
		t.Errorf("after a restart: %+v", got)
	}
	if n := len(s.views["prod"].items[eventGVK]); n != 2 {
		t.Errorf("%d events are shown, want 2", n)
	}
	s.Ran(failing("a", 3))
	if got := process(t, dir).views["prod"].events; len(got) != 2 || got[1].Count != 3 {
		t.Errorf("counted on: %+v", got)
	}
	info, err := os.Stat(filepath.Join(dir, "prod-1.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is for everybody: %v, %v", info.Mode(), err)
	}
	many := failing("many", 4)
	for n := range maxEvents {
		many.Pass.Failures = append(many.Pass.Failures, failing("many-"+strconv.Itoa(n), 4).Pass.Failures...)
	}
	s.Ran(many)
	if n := len(process(t, dir).past()); n != maxEvents {
		t.Errorf("%d events are kept, want %d", n, maxEvents)
	}
	s.Remove("prod")
	if _, err := os.Stat(filepath.Join(dir, "prod-1.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file of a stack that is gone: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// The store works with any content of the folder, and shows only valid events.
func TestAttackHistory(t *testing.T) {
	one := `{"Key":{"Kind":"Server","Name":"a"},"Reason":"Failed","Message":"no","First":"2026-01-01T00:00:00Z","Last":"2026-01-01T00:00:00Z","Count":1}`
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"whole":            {`{"version":1,"events":[` + one + `]}`, "a"},
		"cut":              {`{"version":1,"events":[` + one, ""},
		"empty":            {"", ""},
		"another version":  {`{"version":2,"events":[` + one + `]}`, ""},
		"too long":         {strings.Repeat(" ", longestHistory) + `{"version":1,"events":[` + one + `]}`, ""},
		"no name":          {`{"version":1,"events":[` + strings.Replace(one, `"a"`, `""`, 1) + `]}`, ""},
		"counts nothing":   {`{"version":1,"events":[` + strings.Replace(one, `"Count":1`, `"Count":-1`, 1) + `]}`, ""},
		"moves the cursor": {`{"version":1,"events":[` + strings.Replace(one, `"no"`, `"\u001b[2J"`, 1) + `]}`, "a"},
		"too many":         {`{"version":1,"events":[` + strings.Repeat(one+",", maxEvents) + strings.Replace(one, `"a"`, `"b"`, 1) + `]}`, strings.Repeat("a ", maxEvents-1) + "b"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "prod-1.json"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := process(t, dir)
		if got := strings.Join(s.past(), " "); got != c.want {
			t.Errorf("%s: %.40q, want %.40q", name, got, c.want)
		}
		for _, e := range s.views["prod"].events {
			if strings.Contains(e.Message, "\x1b") {
				t.Errorf("%s: %q", name, e.Message)
			}
		}
		s.Ran(failing("z", 0))
		if got := process(t, dir).past(); len(got) == 0 || got[len(got)-1] != "z" {
			t.Errorf("%s: after a run %v", name, got)
		}
	}
	for name, dir := range map[string]string{"no folder": "/dev/null/events", "a file in its place": filepath.Join(t.TempDir(), "file")} {
		if name != "no folder" {
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := process(t, dir)
		s.Ran(failing("a", 0))
		if len(s.past()) != 1 {
			t.Errorf("%s: %v", name, s.past())
		}
	}
}

// The files of stacks without events for a long time are removed.
func TestOldHistoryGoes(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"old.json": oldestHistory + time.Hour, "new.json": time.Hour} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_000_000_000, 0).Add(-age)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	NewHistory(dir, time.Unix(1_000_000_000, 0), slog.New(slog.DiscardHandler))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "new.json" {
		t.Errorf("left: %v, %v", left, err)
	}
}
