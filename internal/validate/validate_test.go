package validate

import (
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
)

// The manifests are read with the defaults of their stack.
func TestDefaultsOfTheStack(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte(`
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec: {vipType: private, ports: [{port: 80, protocol: tcp, realServers: {addresses: [10.0.0.1]}}]}
`)}}
	for network, want := range map[string]int{"": 0, "inside": 1} {
		s := &config.Stack{Name: "s"}
		if network != "" {
			s.Spec.Defaults = defaults.Defaults{VIPNetworks: map[string]string{"private": network}}
		}
		var checked report.Validation
		err := Parts(t.Context(), session.Opener{}, &checked, s, nil, []manifest.Part{{Files: files}})
		if checked.Objects != want || (err == nil) != (want > 0) {
			t.Errorf("network %q: %d objects, %v", network, checked.Objects, err)
		}
	}
}
