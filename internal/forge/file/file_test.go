package file

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

func TestStatusesAreLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.jsonl")
	if list, err := New(path).Statuses(t.Context(), "c"); len(list) != 0 || err != nil {
		t.Errorf("a file that there is not: %v, %v", list, err)
	}
	for _, s := range []forge.Status{
		{Context: "stackreeve/prod/sync", State: forge.Pending, Description: "1 to create"},
		{Context: "stackreeve/prod/drift", State: forge.Success},
		{Context: "stackreeve/prod/sync", State: forge.Success, Description: "in sync: 1 object"},
	} {
		if err := New(path).SetStatus(t.Context(), "c", s); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); err != nil || len(lines) != 3 || !strings.Contains(lines[2], `"context":"stackreeve/prod/sync","state":"success","description":"in sync: 1 object"}`) {
		t.Errorf("%s %v", text, err)
	}
	if list, err := New(path).Statuses(t.Context(), "c"); err != nil || len(list) != 2 {
		t.Errorf("read back: %+v, %v", list, err)
	}
	for _, s := range must(New(path).Statuses(t.Context(), "c")) {
		if s.State != forge.Success {
			t.Errorf("read back: %+v", s)
		}
	}
	if list := must(New(path).Statuses(t.Context(), "another")); len(list) != 0 {
		t.Errorf("another commit's: %+v", list)
	}
}

func must(list []forge.Status, _ error) []forge.Status { return list }

func TestAFolderThatIsGoneIsTriedAgain(t *testing.T) {
	err := New(filepath.Join(t.TempDir(), "no", "prod.jsonl")).SetStatus(t.Context(), "c", forge.Status{})
	if err == nil || !strings.Contains(err.Error(), "unavailable") {
		t.Errorf("%v", err)
	}
}

// If the disk is full or the process is killed, the last line is cut. The next line must not be joined with it.
func TestALineAfterOneThatWasCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.jsonl")
	if err := os.WriteFile(path, []byte(`{"time":"2026-01-02T03:04:05Z","commit":"c","context":"stackr`), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := New(path).SetStatus(t.Context(), "c", forge.Status{Context: "stackreeve/prod/sync", State: forge.Success}); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := New(path).Statuses(t.Context(), "c"); err != nil || len(list) != 1 || list[0].State != forge.Success {
		t.Errorf("read back: %+v, %v", list, err)
	}
	text, err := os.ReadFile(path)
	if lines := strings.Split(string(text), "\n"); err != nil || len(lines) != 4 || lines[1][:1] != "{" || lines[3] != "" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestNothingWaitsForAPipe checks that a file that cannot be read back is refused without waiting, whether or not
// the other end of a pipe is open.
func TestNothingWaitsForAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{pipe, "/dev/null", t.TempDir()} {
		for range 2 {
			if list, err := New(path).Statuses(t.Context(), "c"); err == nil {
				t.Errorf("%s is read: %v", path, list)
			}
			if err := New(path).SetStatus(t.Context(), "c", forge.Status{}); err == nil {
				t.Errorf("%s is written", path)
			}
			reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
		}
	}
}
