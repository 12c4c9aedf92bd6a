package all_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// An annotation that would have nothing ignored is refused, with the field that
// was meant; those of a workload are about what it stands for.
func TestIgnoredFieldsAreFields(t *testing.T) {
	group := func(replicas, field string) string {
		return "apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata:\n  name: web\n  annotations:\n    stackreeve.dev/ignore-fields: " + field +
			"\nspec: {replicas: " + replicas + ", template: {image: debian, flavor: small}}\n"
	}
	network := func(field string) string {
		return "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: net, annotations: {stackreeve.dev/ignore-fields: \"" + field + "\"}}\nspec: {resource: {}}\n"
	}
	for name, c := range map[string]struct{ manifest, problem string }{
		"a field":                    {network("spec.resource.description, spec.resource.tags[0]"), ""},
		"misspelt":                   {network("spec.resource.descriptoin"), `a.yaml:3: Network/net: metadata.annotations[stackreeve.dev/ignore-fields]: names "spec.resource.descriptoin", which is no field of Network; did you mean spec.resource.description?`},
		"too short":                  {network("mtu"), `names "mtu", which is no field of Network; did you mean spec.resource.mtu?`},
		"not compared":               {network("spec.import.id"), `names "spec.import.id"`},
		"of the parts":               {group("2", "spec.resource.metadata,spec.resource.securityGroupRefs"), ""},
		"of members yet to come":     {group("0", "spec.resource.metadata"), ""},
		"of the workload":            {group("2", "spec.template.flavor"), `a.yaml:6: VirtualMachineGroup/web: metadata.annotations[stackreeve.dev/ignore-fields]: names "spec.template.flavor", which is no field of what a VirtualMachineGroup stands for; name a field as a manifest has it`},
		"of nothing that it expands": {group("2", "spec.resource.cidr"), `names "spec.resource.cidr"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := resolve.Read(file(c.manifest), all.Kinds(nil, defaults.Defaults{Network: "private"}))
			switch {
			case c.problem == "" && err != nil:
				t.Error(err)
			case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
				t.Errorf("got %v, want %s", err, c.problem)
			}
		})
	}
}

// A hundred wrong fields on each of many objects do not keep validation busy.
func TestAttackIgnoredFields(t *testing.T) {
	var text strings.Builder
	wrong := strings.Repeat("spec.resource.descriptoins.which.is.none,", 100)
	for i := range 500 {
		fmt.Fprintf(&text, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: net%d, annotations: {stackreeve.dev/ignore-fields: %q}}\nspec: {resource: {}}\n", i, wrong)
	}
	var err error
	total := testcost.Allocated(func() { _, err = reader(resolve.Bounds{}).Read(t.Context(), file(text.String())) }) >> 20
	var problems manifest.Problems
	if !errors.As(err, &problems) || len(problems) > 1001 || total > 256 {
		t.Errorf("it took %d MiB: %d problems: %.300v", total, len(problems), err)
	}
}
