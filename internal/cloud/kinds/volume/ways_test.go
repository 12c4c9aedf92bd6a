package volume_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func typed(policy, volumeType string) string {
	return needs + `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data, annotations: {stackreeve.dev/change-policy: "volumeType=` + policy + `"}}
spec: {resource: {size: 1, volumeTypeRef: ` + volumeType + `}}
`
}

// If the new type is on other storage, Cinder accepts a retype without migration,
// but leaves the volume unchanged. The pass sends one request and reports that.
func TestRetypeThatTakesAMigration(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("it changes the types that all share")
	}
	g.MustSync(typed("retype", "fast"))
	elsewhere(t, g.Beside("admin").Client(nil), "fake")
	var count kindtest.Counter
	pass := g.SyncThrough(typed("retype", "other"), count.Wrap)
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), " spec.resource.volumeTypeRef by retype, ") || count.Writes.Load() != 1 {
		t.Errorf("%s: %v; %d writes", pass.Outcome(), pass.Failures, count.Writes.Load())
	}
	first := g.MustSync(typed("migrate", "other")).First
	for _, s := range first.Steps {
		if s.Key.Kind == "Volume" && (s.Action != plan.Update || s.Disruption() != kind.InPlace || len(s.Loss) > 0) {
			t.Errorf("%s, %s, loses %v", s.Action, s.Disruption(), s.Loss)
		}
	}
}

// elsewhere gives a type a storage that no other type uses.
func elsewhere(t *testing.T, admin *cloud.Client, name string) {
	t.Helper()
	var list struct {
		Types []struct{ ID, Name string } `json:"volume_types"`
	}
	err := admin.Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodGet, Path: "types", Into: &list})
	for _, v := range list.Types {
		if v.Name == name && err == nil {
			err = admin.Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "types/" + v.ID + "/extra_specs",
				Body: map[string]any{"extra_specs": map[string]string{"volume_backend_name": "elsewhere"}}})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
