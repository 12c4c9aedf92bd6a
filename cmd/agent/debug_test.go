package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/session"
)

// The command prints the stored data of stacks, and names a file that cannot be read.
func TestTheMemoryIsPrinted(t *testing.T) {
	dir := t.TempDir()
	m, err := memory.Open(session.MemoryFile(dir, "prod"), "prod", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	m.Forget(memory.LoggedIn{Where: "one/p1"})
	m.NoteBegun([]manifest.Key{{Kind: "Server", Name: "web"}})
	if err := m.Save(time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "memory", "bad.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := &app{dataDir: dir, out: &shared{w: &out}}
	if err := a.printMemory(nil); err == nil || !strings.Contains(err.Error(), "bad.json: unexpected EOF") {
		t.Error(err)
	}
	if want := "stack bad\nstack prod\nof project one/p1\nbegun (1)\n  Server/web\n"; out.String() != want {
		t.Errorf("printed %q", out.String())
	}
	a.dataDir = ""
	if err := a.printMemory(nil); err == nil {
		t.Error("nothing is kept anywhere, and that is no error")
	}
}
