package volumetype_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/volumetype"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []kind.Kind { return []kind.Kind{volumetype.Kind(c)} }

const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: VolumeType\nmetadata: {name: fast}\nspec: "

func TestImport(t *testing.T) {
	tests := []struct{ name, spec, reason string }{
		{"by name", `{managementPolicy: unmanaged, import: {filter: {name: ssd}}}`, ""},
		{"by all there is", `{managementPolicy: unmanaged, import: {filter: {name: ssd, isPublic: true}}}`, ""},
		{"that is not public", `{managementPolicy: unmanaged, import: {filter: {name: ssd, isPublic: false}}}`, "no volumetype named ssd"},
		{"misspelt", `{managementPolicy: unmanaged, import: {filter: {name: sdd}}}`, "the nearest are ssd"},
		{"by a description that none has", `{managementPolicy: unmanaged, import: {filter: {description: nothing like it}}}`, "correct the filter"},
		{"by ID", `{managementPolicy: unmanaged, import: {id: 00000000-0000-0000-0000-000000000000}}`, "no volumetype with ID"},
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
	g := kindtest.NewTarget(t, kinds)
	_, err := g.TryResolve(head + `{resource: {isPublic: true}}`)
	if err == nil || !strings.Contains(err.Error(), "asks for a volume type to be made, which is not supported") || !strings.Contains(err.Error(), "managementPolicy: unmanaged") {
		t.Errorf("error is %v, want advice to import", err)
	}
}
