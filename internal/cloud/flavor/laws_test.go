package flavor_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/flavor"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []kind.Kind { return []kind.Kind{flavor.Kind(c)} }

const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Flavor\nmetadata: {name: os}\nspec: "

func TestImport(t *testing.T) {
	tests := []struct{ name, spec, reason string }{
		{"by name", `{managementPolicy: unmanaged, import: {filter: {name: n3-1vcpu-2gb}}}`, ""},
		{"by all there is", `{managementPolicy: unmanaged, import: {filter: {name: n3-1vcpu-2gb, ram: 2048, vcpus: 1, disk: 20}}}`, ""},
		{"of another size", `{managementPolicy: unmanaged, import: {filter: {name: n3-1vcpu-2gb, ram: 4096}}}`, "no flavor named n3-1vcpu-2gb"},
		{"misspelt", `{managementPolicy: unmanaged, import: {filter: {name: n3-1vpcu-2gb}}}`, "the nearest are n3-1vcpu-2gb"},
		{"by a size that no flavor has", `{managementPolicy: unmanaged, import: {filter: {vcpus: 4001}}}`, "correct the filter"},
		{"by ID", `{managementPolicy: unmanaged, import: {id: no-such-flavor}}`, "no flavor with ID"},
	}
	g := kindtest.NewTarget(t, kinds)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			step := g.Plan(head + tt.spec).Steps[0]
			if tt.reason == "" && step.Action != plan.Keep || !strings.Contains(step.Reason, tt.reason) {
				t.Errorf("%s: %q, want %q", step.Action, step.Reason, tt.reason)
			}
		})
	}
}

func TestManagedIsRefused(t *testing.T) {
	files := head + `{resource: {ram: 1, vcpus: 1, disk: 0}}`
	g := kindtest.NewTarget(t, kinds)
	if _, err := g.TryResolve(files); err == nil || !strings.Contains(err.Error(), "managementPolicy: unmanaged") {
		t.Errorf("error is %v, want advice to import", err)
	}
}
