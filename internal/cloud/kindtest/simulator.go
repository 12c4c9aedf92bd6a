package kindtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// startSimulator starts a simulator whose machines and load balancers need some time until they are
// ready, but less than real ones.
func startSimulator(t *testing.T, options simulator.Options) (*simulator.Server, cloud.Config) {
	t.Helper()
	if options.BuildDelay == 0 {
		options.BuildDelay = 20 * time.Millisecond
	}
	if options.PendingDelay == 0 {
		options.PendingDelay = 10 * time.Millisecond
	}
	server, err := simulator.Start(context.WithoutCancel(t.Context()), "127.0.0.1:0", options)
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
