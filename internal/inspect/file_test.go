package inspect_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/file"
)

const anyCommit = "0123456789012345678901234567890123456789"

func TestFile(t *testing.T) {
	dir := t.TempDir()
	at := forge.Sample{Commit: anyCommit}
	check := func(path string, want results) {
		t.Helper()
		same(t, inspected(t, file.New(path), at, "no token"), want)
	}
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(there, results{forge.TaskStatuses: forge.Works, forge.TaskWriteStatuses: forge.Works})
	check(filepath.Join(dir, "later"), results{forge.TaskStatuses: forge.Works, forge.TaskWriteStatuses: forge.NotTried})
	check(dir, results{forge.TaskStatuses: forge.Missing, forge.TaskWriteStatuses: forge.Missing})
	if _, err := os.Stat(filepath.Join(dir, "later")); err == nil {
		t.Error("the file was made")
	}
	if text, err := os.ReadFile(there); string(text) != "{}\n" || err != nil {
		t.Errorf("the file holds %q, %v", text, err)
	}
}
