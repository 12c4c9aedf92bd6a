package session

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/standin/registry"
)

// TestAnUnverifiedArtifactIsRefusedAsACommit runs a pass: the run is refused, the metric says so, and no file can be read.
func TestAnUnverifiedArtifactIsRefusedAsACommit(t *testing.T) {
	w := registry.New()
	w.Put(registry.Manifest{Layers: []registry.Descriptor{w.Blob(registry.LayerType, []byte("nobody unpacks this"))}}, "prod")
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	key := filepath.Join(t.TempDir(), "cosign.pub")
	if err := os.WriteFile(key, []byte("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &config.Stack{Name: "prod"}
	s.Spec.Source.URL, s.Spec.Source.Tag = strings.Replace(server.URL, "http://", "oci://", 1)+"/team/config", "prod"
	s.Spec.Source.Verify = &config.Verify{CosignKeyFiles: []string{key}}
	o := Opener{Log: slog.New(slog.DiscardHandler), Shared: &Shared{}}
	from, err := o.Source(s)
	if err != nil {
		t.Fatal(err)
	}
	run := agent.New(o.LoopConfig(s, from, nil)).Pass(t.Context())
	if run.Refused == nil || !run.Refused.Unverified || run.Outcome() != plan.Invalid || run.FetchErr != nil || run.Pass != nil {
		t.Errorf("%+v", run)
	}
	m := report.NewMetrics("test")
	m.Ran(run)
	families, err := m.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range families {
		if f.GetName() == "stackreeve_verified" {
			found = len(f.GetMetric()) == 1 && f.GetMetric()[0].GetGauge().GetValue() == 0
		}
	}
	if !found {
		t.Error("the metric does not say that the artifact is refused")
	}
	rev, _, err := from.Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.ReadDir(rev.Files, "."); !errors.As(err, new(*source.Unverified)) {
		t.Errorf("the files: %v", err)
	}
	if _, err := o.Read(s)(t.Context(), rev.Files, ""); err == nil {
		t.Error("the manifests were read")
	}
}
