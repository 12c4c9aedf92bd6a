package image_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []kind.Kind { return []kind.Kind{image.Kind(c)} }

const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {name: os}\nspec: "

func TestImport(t *testing.T) {
	tests := []struct{ name, spec, reason string }{
		{"by name", `{managementPolicy: unmanaged, import: {filter: {name: centos79}}}`, ""},
		{"by name and visibility", `{managementPolicy: unmanaged, import: {filter: {name: centos79, visibility: public}}}`, ""},
		{"of another visibility", `{managementPolicy: unmanaged, import: {filter: {name: centos79, visibility: community}}}`, "no image named centos79"},
		{"misspelt", `{managementPolicy: unmanaged, import: {filter: {name: centos97}}}`, "the nearest are centos79"},
		{"by a tag nobody has", `{managementPolicy: unmanaged, import: {filter: {tags: [no-such-tag]}}}`, "correct the filter"},
		{"by ID", `{managementPolicy: unmanaged, import: {id: 00000000-0000-0000-0000-000000000000}}`, "no image with ID"},
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
	files := head + `{resource: {content: {diskFormat: qcow2, download: {url: "https://example.org/os.img"}}}}`
	g := kindtest.NewTarget(t, kinds)
	if _, err := g.TryResolve(files); err == nil || !strings.Contains(err.Error(), "managementPolicy: unmanaged") {
		t.Errorf("error is %v, want advice to import", err)
	}
}
