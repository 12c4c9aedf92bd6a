package securitygroup_test

import (
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A group with many rules needs as many requests as one with few. The rules are
// deleted with their group, in one request (terraform-provider-openstack#1626,
// #1456).
func TestRulesCostNoRequests(t *testing.T) {
	made := map[int]int64{}
	for _, number := range []int{2, 60} {
		text := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: SecurityGroup\nmetadata: {name: many}\nspec:\n  resource:\n    rules:\n"
		for i := range number {
			text += fmt.Sprintf("    - {direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: %d, max: %d}}\n", 1000+i, 1000+i)
		}
		g := kindtest.NewTarget(t, all.Kinds)
		g.Only(text)
		for _, step := range []struct {
			manifests string
			most      int64
		}{{text, 6}, {text, 0}, {"", 1}} {
			var count kindtest.Counter
			if pass := g.SyncThrough(step.manifests, count.Wrap); pass.Outcome() != plan.InSync || count.Writes.Load() > step.most {
				t.Errorf("%d rules: %s after %d writes: %v", number, pass.Outcome(), count.Writes.Load(), pass.Failures)
			}
			if step.most > 1 {
				made[number] = count.Writes.Load()
			}
		}
	}
	if made[2] != made[60] {
		t.Errorf("writes by rules: %v", made)
	}
}
