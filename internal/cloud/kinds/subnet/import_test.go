package subnet_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func TestImport(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: private}\n" +
		"spec: {managementPolicy: unmanaged, import: {filter: {name: private}}}\n---\n" +
		"apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: private}\nspec: {managementPolicy: unmanaged, import: {filter: {"
	for filter, code := range map[string]cause.Code{
		"name: private-subnet":                   "",
		"networkRef: private, ipVersion: 4":      "",
		"cidr: 10.0.0.0/24":                      "",
		"name: private-subnte":                   cause.NearestNames,
		"networkRef: private, ipVersion: 6":      cause.NoMatch,
		"name: private-subnet, tags: [no-tag]":   cause.NoName,
		"cidr: 10.0.0.0/24, gatewayIP: 10.9.9.9": cause.NoMatch,
	} {
		steps := g.Plan(head + filter + "}}}").Steps
		step := steps[len(steps)-1]
		if code == "" && step.Action != plan.Keep || code != "" && !step.Causes.Has(code) {
			t.Errorf("%s: %s: %q, want %s", filter, step.Action, step.FullCause(), code)
		}
	}
}
