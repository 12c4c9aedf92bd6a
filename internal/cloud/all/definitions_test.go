package all_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// Each example of a user-defined kind is applied unchanged. A second pass writes nothing. The status has the fields
// that the definition declares.
func TestDefinitionsAreMadeAsTheyStand(t *testing.T) {
	for _, c := range []struct {
		name, object string
		fields       []string // of its status
		objects      int      // number of objects that it expands into, including the parts of machines
	}{
		{"bastion", "Bastion/door", []string{"address"}, 6},
		{"web-shop", "WebShop/books", []string{"address", "servers"}, 26},
		{"postgres", "Postgres/orders-db", []string{"primary", "replicas"}, 13},
		{"k3s", "K3sCluster/lab", []string{"nodes", "server"}, 15},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, text := kindtest.NewTarget(t, all.Kinds), example(t, "definitions/"+c.name)
			g.Only(text)
			g.MustSync(text)
			var count kindtest.Counter
			pass := g.SyncThrough(text, count.Wrap)
			if len(pass.Results) > 0 || count.Writes.Load() > 0 || pass.Outcome() != plan.InSync {
				t.Errorf("the second pass wrote %d times: %v", count.Writes.Load(), pass.Results)
			}
			seen, parts := false, 0
			statuses := status.Of(pass.Last, all.Kinds(nil, defaults.Defaults{}))
			parents := map[string]string{}
			for _, o := range statuses {
				if owners := o.Metadata.OwnerReferences; len(owners) > 0 {
					parents[o.Kind+"/"+o.Metadata.Name] = owners[0].Kind + "/" + owners[0].Name
				}
			}
			for _, o := range statuses {
				name := o.Kind + "/" + o.Metadata.Name
				for up := parents[name]; up != "" && o.Status.Action != ""; up = parents[up] {
					if up == c.object {
						parts++
					}
				}
				if available := o.Status.Conditions[0]; available.Status != "True" {
					t.Errorf("%s: %+v", name, available)
				}
				if name != c.object {
					continue
				}
				seen = true
				resource, _ := o.Status.Resource.(map[string]any)
				for _, field := range c.fields {
					if resource[field] == nil || len(resource) != len(c.fields) {
						t.Errorf("the status of %s is %v, want fields %v", name, resource, c.fields)
					}
				}
			}
			if !seen || parts != c.objects {
				t.Errorf("%s stands for %d objects (seen: %t), want %d", c.object, parts, seen, c.objects)
			}
		})
	}
}

// Templates can contain everything that a manifest can contain, not only a spec. An annotation in a template applies
// only to that one object. An annotation of the user's object applies to all its parts. A renamed object keeps its
// parts.
func TestDefinitionsKeepWhatManifestsCanSay(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	text := func(name, annotations, description string) string {
		return `apiVersion: stackreeve.dev/v1alpha1
kind: Definition
metadata: {name: pair}
spec:
  schema: {kind: Pair, apiVersion: v1alpha1, spec: {about: string}}
  resources:
  - id: kept
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: Network
      metadata: {name: "${schema.metadata.name}-kept", annotations: {stackreeve.dev/prune: "false", stackreeve.dev/ignore-fields: spec.resource.description}}
      spec: {resource: {description: "${schema.spec.about}"}}
  - id: gone
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: Network
      metadata: {name: "${schema.metadata.name}-gone"}
      spec: {resource: {description: "${schema.spec.about}"}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: Pair
metadata: {name: ` + name + `, annotations: {` + annotations + `}}
spec: {about: ` + description + `}
`
	}
	g.Only(text("pair", "", "a"))
	g.MustSync(text("pair", "", "a"))
	var changed []string
	for _, s := range g.Plan(text("pair", "", "b")).Steps {
		for _, c := range s.Changes {
			changed = append(changed, s.Key.Name+" "+c.Field)
		}
	}
	if got := strings.Join(changed, ", "); got != "pair-kept owner mark, pair-gone spec.resource.description, pair-gone owner mark" {
		t.Errorf("a change that one network leaves alone: %s", got)
	}
	for _, s := range g.Plan(text("pair", "stackreeve.dev/suspend: \"true\"", "b")).Steps {
		if s.Action != plan.Keep {
			t.Errorf("of an object that is suspended: %s %s", s.Action, s.Key)
		}
	}
	for _, s := range g.Plan(text("couple", "stackreeve.dev/moved-from: Pair/pair", "a")).Steps {
		if s.Action != plan.Update || !strings.HasPrefix(s.Key.Name, "couple-") {
			t.Errorf("of an object that has another name: %s %s", s.Action, s.Key)
		}
	}
	var left []string
	for _, s := range g.Plan("").Steps {
		left = append(left, s.Key.Name+" "+string(s.Action))
	}
	if got := strings.Join(left, ", "); got != "pair-gone delete, pair-kept keep" && got != "pair-kept keep, pair-gone delete" {
		t.Errorf("without the object: %s", got)
	}
	g.MustSync(strings.ReplaceAll(text("pair", "stackreeve.dev/prune: \"true\"", "a"), "stackreeve.dev/prune: \"false\", ", ""))
}

// A definition computes the status of its object from the object's parts, from objects of others, and with a
// condition for its readiness.
func TestDefinitionsSayWhatIsReady(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	text := func(ready string) string {
		return `apiVersion: stackreeve.dev/v1alpha1
kind: Definition
metadata: {name: twins}
spec:
  schema:
    kind: Twins
    apiVersion: v1alpha1
    spec: {names: "[]string", beside: string}
    status:
      ids: ${twin.map(t, t.status.id)}
      first: ${schema.spec.names[0]} is ${twin[0].status.state}
      beside: ${beside.status.id}
      none: ${beside.status.nothing}
  resources:
  - id: twin
    forEach: [{name: "${schema.spec.names}"}]
    readyWhen: ["` + ready + `"]
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: Network
      metadata: {name: "twins-${name}"}
      spec: {resource: {}}
  - id: beside
    externalRef: {apiVersion: openstack.k-orc.cloud/v1alpha1, kind: SecurityGroup, metadata: {name: "${schema.spec.beside}"}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: Twins
metadata: {name: twins}
spec: {names: [castor, pollux], beside: twins-group}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: twins-group}
spec: {resource: {}}
`
	}
	status := func(ready string) status.Status {
		pass := g.MustSync(text(ready))
		for _, o := range status.Of(pass.Last, all.Kinds(nil, defaults.Defaults{})) {
			if o.Kind == "Twins" {
				return o.Status
			}
		}
		t.Fatal("there is no status")
		return status.Status{}
	}
	g.Only(text("${true}"))
	g.MustSync(text("${true}"))
	got := status("${each.status.id != ''}")
	fields, _ := got.Resource.(map[string]any)
	if ids, _ := fields["ids"].([]any); len(ids) != 2 || ids[0] == ids[1] || fields["first"] != "castor is in sync" || fields["beside"] == nil || len(fields) != 3 {
		t.Errorf("the status is %v", fields)
	}
	if c := got.Conditions[0]; c.Status != "True" {
		t.Errorf("it is not available: %+v", c)
	}
	got = status("${each.metadata.name == 'twins-castor'}")
	if c := got.Conditions[0]; c.Status != "False" || !strings.Contains(c.Message, "twin[1] ") || got.Message != c.Message {
		t.Errorf("it is available though one twin is not ready, or its message %q does not say why: %+v", got.Message, c)
	}
	if c := status("${each.status.nothing}").Conditions[0]; c.Status != "False" || !strings.Contains(c.Message, ": nothing") {
		t.Errorf("it is available though nobody knows: %+v", c)
	}
	missing := strings.Replace(text("${true}"), "beside: twins-group", "beside: twins-troup", 1)
	if _, err := g.TryResolve(missing); err == nil || !strings.Contains(err.Error(), "SecurityGroup/twins-troup as beside, ") || !strings.Contains(err.Error(), " twins-group?") {
		t.Errorf("error is %v", err)
	}
}

// If a suspended object of a defined kind loses a part in a commit, that part stays, whatever name the definition
// gave it.
func TestWhatASuspendedObjectHasNoMoreStays(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	text := func(annotations, backed string) string {
		return `apiVersion: stackreeve.dev/v1alpha1
kind: Definition
metadata: {name: pair}
spec:
  schema: {kind: Pair, apiVersion: v1alpha1, spec: {backed: boolean}}
  resources:
  - id: front
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: Network
      metadata: {name: "${schema.metadata.name}"}
      spec: {resource: {}}
  - id: back
    includeWhen: ["${schema.spec.backed}"]
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: Network
      metadata: {name: "back-of-${schema.metadata.name}-0"}
      spec: {resource: {}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: Pair
metadata: {name: twin, annotations: {` + annotations + `}}
spec: {backed: ` + backed + `}
`
	}
	const other = "---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: twins}, spec: {resource: {}}}\n"
	g.Only(text("", "true"), other)
	g.MustSync(text("", "true") + other)
	var did []string
	for _, s := range g.Plan(text(`stackreeve.dev/suspend: "true"`, "false")).Steps {
		did = append(did, string(s.Action)+" "+s.Key.Name)
	}
	if got := strings.Join(did, ", "); got != "keep twin, keep back-of-twin-0, delete twins" {
		t.Errorf("suspended, it does %s", got)
	}
	if got := g.Plan(text("", "false")).Summary(); got.Delete != 2 {
		t.Errorf("not suspended, it does %v", got)
	}
}

// With forEach, a status lists the objects in the order of forEach, not in the order in which they are created.
func TestDefinitionsShowPartsInTheirOrder(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	const text = `apiVersion: stackreeve.dev/v1alpha1
kind: Definition
metadata: {name: tiers}
spec:
  schema:
    kind: Tiers
    apiVersion: v1alpha1
    spec: {names: "[]string"}
    status: {names: "${tier.map(t, t.metadata.name)}"}
  resources:
  - id: tier
    forEach: [{name: "${schema.spec.names}"}]
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: SecurityGroup
      metadata: {name: "tiers-${name}"}
      spec:
        resource:
          rules: "${name == 'b' ? [{'direction': 'ingress', 'ethertype': 'IPv4', 'remoteGroupRef': 'tiers-a'}] : []}"
---
apiVersion: stackreeve.dev/v1alpha1
kind: Tiers
metadata: {name: tiers}
spec: {names: [c, b, d, a]}
`
	resource, _ := statusOf(t, g.Plan(text), "Tiers").Resource.(map[string]any)
	if got := fmt.Sprint(resource["names"]); got != "[tiers-c tiers-b tiers-d tiers-a]" {
		t.Errorf("the status names %s", got)
	}
}

// A status that reads another object by externalRef works for every defined kind, and waits until that object is
// ready.
func TestDefinitionsShowOthersOfDefinedKinds(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	definition := func(kind, resource string) string {
		return `apiVersion: stackreeve.dev/v1alpha1
kind: Definition
metadata: {name: def-` + strings.ToLower(kind) + `}
spec:
  schema: {kind: ` + kind + `, apiVersion: v1alpha1, status: {seen: "${it.status.resource.seen}x"}}
  resources:
  - id: it
` + resource + `---
apiVersion: stackreeve.dev/v1alpha1
kind: ` + kind + `
metadata: {name: one}
---
`
	}
	external := func(kind, ready string) string {
		return "    readyWhen: [\"${" + ready + "}\"]\n    externalRef: {apiVersion: stackreeve.dev/v1alpha1, kind: " + kind + ", metadata: {name: one}}\n"
	}
	network := "    template: {apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: shown}, spec: {resource: {}}}\n"
	last := strings.Replace(definition("C", network), "${it.status.resource.seen}", "", 1)
	for _, c := range []struct{ name, text, seen, available string }{
		{"a chain", definition("A", external("B", "it.status.resource.seen == 'xx'")) + definition("B", external("C", "it.status.resource.seen == 'x'")) + last, "xxx", "True"},
		{"not ready", definition("A", external("B", "it.status.resource.seen == 'y'")) + definition("B", external("C", "true")) + last, "xxx", "False"},
		{"a circle", definition("A", external("B", "it.status.resource.seen == 'x'")) + definition("B", external("A", "it.status.resource.seen == 'x'")), "", "False"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g.Only(c.text)
			got := statusOf(t, g.MustSync(c.text).Last, "A")
			resource, _ := got.Resource.(map[string]any)
			if seen, _ := resource["seen"].(string); seen != c.seen || got.Conditions[0].Status != c.available {
				t.Errorf("the status is %v, available %+v", resource, got.Conditions[0])
			}
		})
	}
}

func statusOf(t *testing.T, p plan.Plan, kind string) status.Status {
	for _, o := range status.Of(p, all.Kinds(nil, defaults.Defaults{})) {
		if o.Kind == kind {
			return o.Status
		}
	}
	t.Fatalf("there is no status of %s", kind)
	return status.Status{}
}
