package kindtest

import (
	"encoding/json"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// Shown is the status.resource of an object as JSON.
func (g *Target) Shown(manifests string, key manifest.Key) (shown map[string]any) {
	g.t.Helper()
	for _, o := range status.Of(g.Plan(manifests), g.open(nil)) {
		if o.Kind != key.Kind || o.Metadata.Name != key.Name {
			continue
		}
		text, err := json.Marshal(o.Status.Resource)
		if err == nil {
			err = json.Unmarshal(text, &shown)
		}
		if err != nil {
			g.t.Fatal(err)
		}
		return shown
	}
	g.t.Fatalf("no status of %s", key)
	return nil
}
