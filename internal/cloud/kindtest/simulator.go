package kindtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/simulator"
)

// startSimulator starts a simulator whose machines and load balancers take
// their time, as the real ones do, only less of it.
func startSimulator(t *testing.T) (*simulator.Server, cloud.Config) {
	t.Helper()
	server, err := simulator.Start(context.WithoutCancel(t.Context()), "127.0.0.1:0",
		simulator.Options{BuildDelay: 20 * time.Millisecond, PendingDelay: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	file := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(file, server.CloudsYAML(), 0o600); err != nil {
		t.Fatal(err)
	}
	return server, cloud.Config{Cloud: "demo", File: file}
}
