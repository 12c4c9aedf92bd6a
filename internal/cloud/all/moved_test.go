package all_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// A probe notices what is created, changed and deleted, and nothing while nothing changes.
func TestProbeNoticesChanges(t *testing.T) {
	server, err := simulator.Start(t.Context(), "127.0.0.1:0", simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	file := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(file, server.CloudsYAML(), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo", File: file, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	do := func(service, method, path string, body, into any) {
		t.Helper()
		if err := c.Do(t.Context(), cloud.Call{Service: service, Method: method, Path: path, Body: body, Into: into, Microversion: map[string]string{cloud.Compute: "2.37"}[service]}); err != nil {
			t.Fatal(err)
		}
	}
	p := c.NewProbe()
	moved := func(what string, want bool) {
		t.Helper()
		if got, err := p.Moved(t.Context()); got != want || err != nil {
			t.Errorf("%s: %t, %v", what, got, err)
		}
	}
	moved("the first time", false)
	moved("nothing", false)
	var network struct{ Network struct{ ID string } }
	do(cloud.Network, http.MethodPost, "networks", map[string]any{"network": map[string]any{"name": "n"}}, &network)
	moved("a created network", true)
	moved("nothing after it", false)
	do(cloud.Network, http.MethodDelete, "networks/"+network.Network.ID, nil, nil)
	moved("a deleted network", true)
	do(cloud.BlockStorage, http.MethodPost, "volumes", map[string]any{"volume": map[string]any{"size": 1}}, nil)
	moved("a created volume", true)
	var flavors struct{ Flavors []struct{ ID string } }
	do(cloud.Compute, http.MethodGet, "flavors", nil, &flavors)
	var images struct{ Images []struct{ ID string } }
	do(cloud.Image, http.MethodGet, "images", nil, &images)
	do(cloud.Compute, http.MethodPost, "servers", map[string]any{"server": map[string]any{"name": "s", "flavorRef": flavors.Flavors[0].ID, "imageRef": images.Images[0].ID, "networks": "none"}}, nil)
	moved("a created server", true)
}
