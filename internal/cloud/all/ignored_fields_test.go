package all_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// An annotation that matches no field is refused, and the message names the field that was probably meant. An
// annotation of a workload applies to the objects that it expands into.
func TestIgnoredFieldsAreFields(t *testing.T) {
	group := func(replicas, field string) string {
		return "apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata:\n  name: web\n  annotations:\n    stackreeve.dev/ignore-fields: " + field +
			"\nspec: {replicas: " + replicas + ", template: {image: debian, flavor: small}}\n"
	}
	network := func(field string) string {
		return "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: net, annotations: {stackreeve.dev/ignore-fields: \"" + field + "\"}}\nspec: {resource: {}}\n"
	}
	of := func(kind, spec, field string) string {
		group := "openstack.k-orc.cloud"
		if kind == "LoadBalancer" {
			group = "stackreeve.dev"
		}
		return "apiVersion: " + group + "/v1alpha1\nkind: " + kind + "\nmetadata: {name: x, annotations: {stackreeve.dev/ignore-fields: \"" + field + "\"}}\nspec: " + spec + "\n"
	}
	port := func(field string) string {
		return of("Port", "{resource: {networkRef: net}}", field) + "---\n" + network("spec.resource.mtu")
	}
	balancer := func(field string) string {
		return of("LoadBalancer", "{vipNetwork: net, ports: [{port: 80, protocol: http, realServers: {addresses: [10.0.0.1]}}]}", field) + "---\n" + network("spec.resource.mtu")
	}
	for name, c := range map[string]struct{ manifest, problem string }{
		"a field":            {network("spec.resource.description, spec.resource.tags"), ""},
		"an entry of a list": {port("spec.resource.allowedAddressPairs[0].mac"), `name spec.resource.allowedAddressPairs to have`},
		"without a place":    {port("spec.resource.allowedAddressPairs.mac"), `name spec.resource.allowedAddressPairs to have`},
		"one of several":     {network("spec.resource.tags[0]"), `name spec.resource.tags to have`},
		"an entry of a security group by its place": {of("SecurityGroup", "{resource: {}}", "spec.resource.rules[0].protocol"), `name spec.resource.rules to have`},
		"one by its ID":              {of("SecurityGroup", "{resource: {}}", "spec.resource.rules[4ba1a586]"), ""},
		"a route":                    {of("Subnet", "{resource: {networkRef: net, ipVersion: 4, cidr: 10.0.0.0/24}}", "spec.resource.hostRoutes[1].nextHop") + "---\n" + network("spec.resource.mtu"), `name spec.resource.hostRoutes to have`},
		"a structure that is one":    {of("Subnet", "{resource: {networkRef: net, ipVersion: 4, cidr: 10.0.0.0/24}}", "spec.resource.gateway.ip") + "---\n" + network("spec.resource.mtu"), `name spec.resource.gateway to have`},
		"an attribute of a listener": {balancer("spec.ports[0].algorithm, spec.ports.timeouts.client, spec.ports[0].l7Policies[1].redirectURL, spec.ports[0].monitors[0].delay"), ""},
		"a member by its ID":         {balancer("spec.ports[0].realServers.members[6ac06f0d]"), ""},
		"a member by its place":      {balancer("spec.ports[0].realServers.members[0].weight"), `name spec.ports[0].realServers to have`},
		"a gateway of a router":      {of("Router", "{resource: {}}", "spec.resource.externalGateways[0].networkRef"), ""},
		"misspelt":                   {network("spec.resource.descriptoin"), ` spec.resource.description?`},
		"too short":                  {network("mtu"), ` spec.resource.mtu?`},
		"not compared":               {network("spec.import.id"), `names "spec.import.id"`},
		"of the parts":               {group("2", "spec.resource.metadata,spec.resource.securityGroupRefs"), ""},
		"of members yet to come":     {group("0", "spec.resource.metadata"), ""},
		"of the workload":            {group("2", "spec.template.flavor"), `a.yaml:6: VirtualMachineGroup/web: metadata.annotations[stackreeve.dev/ignore-fields]: names "spec.template.flavor"`},
		"of nothing that it expands": {group("2", "spec.resource.cidr"), `names "spec.resource.cidr"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := resolve.Read(file(c.manifest), all.Kinds(nil, defaults.Defaults{Network: "private"}))
			switch {
			case c.problem == "" && err != nil:
				t.Error(err)
			case c.problem != "" && (!kindtest.Refuses(err, "metadata.annotations[stackreeve.dev/ignore-fields]") || !strings.Contains(err.Error(), c.problem)):
				t.Errorf("got %v, want %s", err, c.problem)
			}
		})
	}
}

// If a path in the annotation names an element of a list by its ID, the positions before it in the path do not matter.
// They are removed when the annotation is read.
func TestIgnoredElementsLosePlaces(t *testing.T) {
	want, _, err := resolve.Read(file(`
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: x, annotations: {stackreeve.dev/ignore-fields: "spec.ports[0].realServers.members[6ac06f0d], spec.ports[1].algorithm, spec.ports[f2d9a54e]"}}
spec: {vipNetwork: net, ports: [{port: 80, protocol: http, realServers: {addresses: [10.0.0.1]}}]}
`), all.Kinds(nil, defaults.Defaults{}))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key.Kind == "LoadBalancer" })
	if got := want[i].Options.Ignore; !slices.Equal(got, []string{"spec.ports.realServers.members[6ac06f0d]", "spec.ports[1].algorithm", "spec.ports[f2d9a54e]"}) {
		t.Errorf("read as %q", got)
	}
}

// Validation stays fast with a hundred wrong fields on each of many objects.
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
