package all_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const tended = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: net, annotations: {stackreeve.dev/ignore-fields: "spec.resource.tags,spec.resource.description"}}
spec: {resource: {name: WORD-net, description: written, tags: [written]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: vol, annotations: {stackreeve.dev/ignore-fields: spec.resource.metadata}}
spec: {resource: {name: WORD-vol, size: 1, metadata: [{name: by, value: written}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: cirros}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: m1.nano}
spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: script}
data: {run: "#!/bin/sh\necho one\n"}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: vm, annotations: {stackreeve.dev/ignore-fields: "spec.resource.metadata,spec.resource.userData"}}
spec:
  resource:
    name: WORD-vm
    imageRef: cirros
    flavorRef: m1.nano
    userData: {configMapRef: {name: script, key: run}}
    metadata: [{key: by, value: written}]
    ports: []
`

// If somebody else manages a field, their value stays, even when the agent updates the object.
func TestCloudIgnoredFieldsSurviveUpdates(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	first := strings.ReplaceAll(tended, "WORD", g.Stack)
	g.Only(first)
	made := g.MustSync(first)
	ids := map[string]string{}
	for _, step := range made.Last.Steps {
		ids[step.Key.Kind] = step.ID()
	}
	c := g.Client(nil)
	do := func(service, method, path string, body any) {
		t.Helper()
		if err := c.Do(t.Context(), cloud.Call{Service: service, Method: method, Path: path, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	do(cloud.Network, http.MethodPut, "networks/"+ids["Network"], map[string]any{"network": map[string]any{"description": "tended"}})
	do(cloud.Network, http.MethodPut, "networks/"+ids["Network"]+"/tags/tended", nil)
	by := map[string]any{"metadata": map[string]string{"by": "tended", "more": "tended"}}
	do(cloud.BlockStorage, http.MethodPost, "volumes/"+ids["Volume"]+"/metadata", by)
	do(cloud.Compute, http.MethodPost, "servers/"+ids["Server"]+"/metadata", by)

	second := strings.NewReplacer(g.Stack+"-", g.Stack+"-new-", "echo one", "echo two").Replace(first)
	if pass := g.MustSync(second); len(pass.Results) != 3 {
		t.Errorf("%d steps, want three updates: %v", len(pass.Results), pass.First.Summary())
	}
	// Without the annotations every difference is reported again.
	plan := g.Plan(strings.ReplaceAll(second, "stackreeve.dev/ignore-fields", "example.org/ignored"))
	want := map[string][]string{"Network": {"spec.resource.tags", "spec.resource.description"}, "Volume": {"spec.resource.metadata"},
		"Server": {"spec.resource.metadata", "spec.resource.userData"}}
	for _, step := range plan.Steps {
		for _, field := range want[step.Key.Kind] {
			if !kind.Has(step.Changes, field) {
				t.Errorf("%s: %s was overwritten", step.Key, field)
			}
		}
	}
}
