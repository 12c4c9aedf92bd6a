package subnet_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func TestImport(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: private}\n" +
		"spec: {managementPolicy: unmanaged, import: {filter: {name: private}}}\n---\n" +
		"apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: private}\nspec: {managementPolicy: unmanaged, import: {filter: {"
	for filter, reason := range map[string]string{
		"name: private-subnet":                   "",
		"networkRef: private, ipVersion: 4":      "",
		"cidr: 10.0.0.0/24":                      "",
		"name: private-subnte":                   "the nearest are private-subnet",
		"networkRef: private, ipVersion: 6":      "correct the filter",
		"name: private-subnet, tags: [no-tag]":   "no subnet named private-subnet",
		"cidr: 10.0.0.0/24, gatewayIP: 10.9.9.9": "correct the filter",
	} {
		steps := g.Plan(head + filter + "}}}").Steps
		step := steps[len(steps)-1]
		if reason == "" && step.Action != plan.Keep || !strings.Contains(step.Reason(), reason) {
			t.Errorf("%s: %s: %q, want %q", filter, step.Action, step.Reason(), reason)
		}
	}
}
