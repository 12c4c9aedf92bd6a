package service

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A warning is logged about each file with credentials that everybody can read, as for the files in the configuration.
func TestFilesThatEverybodyCanReadAreWarnedOf(t *testing.T) {
	dir, said := t.TempDir(), &strings.Builder{}
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("OS_CLIENT_CONFIG_FILE", file("clouds.yaml", 0o644))
	file("secure.yaml", 0o604)
	svc := &service{log: slog.New(slog.NewTextHandler(said, nil))}
	svc.warnExposed(Options{
		ControlToken: file("control", 0o644), APIToken: file("api", 0o646), WebhookSecret: file("hook", 0o644), TracesHeaders: file("headers", 0o640),
		Listen: Listener{Cert: file("cert.pem", 0o644), Key: file("key.pem", 0o644)},
	})
	for name, want := range map[string]bool{"clouds.yaml": true, "secure.yaml": true, "control": true, "api": true, "hook": true, "key.pem": true, "headers": false, "cert.pem": false} {
		if got := strings.Contains(said.String(), filepath.Join(dir, name)); got != want {
			t.Errorf("%s is warned of: %v", name, got)
		}
	}
}
