package virtualmachinegroup_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// named is a group with records in a zone of the test's own.
func named(stack, replicas, dns string) string {
	return `
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: zone}
spec: {resource: {name: ` + strings.ToLower(stack) + `.example., email: admin@example.org}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec:
  replicas: ` + replicas + `
  dns: {zoneRef: zone` + dns + `}
  template: {image: cirros, flavor: m1.nano, network: private}
`
}

// records are those of the stack's record sets, by name.
func records(t *testing.T, p plan.Plan) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, s := range p.Steps {
		if s.Key.Kind != "DNSRecordSet" || s.Have() == nil {
			continue
		}
		text, err := json.Marshal(s.Have().State)
		if err != nil {
			t.Fatal(err)
		}
		var state struct{ Spec struct{ Records []string } }
		if err := json.Unmarshal(text, &state); err != nil {
			t.Fatal(err)
		}
		slices.Sort(state.Spec.Records)
		out[strings.SplitN(s.Have().Name, ".", 2)[0]] = state.Spec.Records
	}
	return out
}

// A group has a record of all its machines' addresses, and one of each; they follow as the group grows and
// shrinks.
func TestRecordsFollowAGroup(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(named(g.Stack, "3", ""))
	for _, c := range []struct {
		replicas int
		dns      string
		name     string
		members  bool
	}{{3, "", "web", true}, {2, "", "web", true}, {2, ", name: shop, members: false, ttl: 60", "shop", false}} {
		pass := g.MustSync(named(g.Stack, fmt.Sprint(c.replicas), c.dns))
		want := map[string][]string{}
		for i := range c.replicas {
			one := address(pass.Last, fmt.Sprintf("web-%d", i))
			want[c.name] = append(want[c.name], one)
			if c.members {
				want[fmt.Sprintf("%s-%d", c.name, i)] = []string{one}
			}
		}
		slices.Sort(want[c.name])
		if got := records(t, pass.Last); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("of %d machines: %v, want %v", c.replicas, got, want)
		}
	}
}
