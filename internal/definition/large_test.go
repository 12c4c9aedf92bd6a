package definition_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// config returns a ConfigMap in a template, in which one value is repeated.
func config(value string, times int, more string) string {
	var b strings.Builder
	b.WriteString("  - id: config\n" + more + "    template:\n      apiVersion: v1\n      kind: ConfigMap\n      metadata: {name: \"${schema.metadata.name}\"}\n      data:\n")
	for i := range times {
		fmt.Fprintf(&b, "        k%d: %q\n", i, value)
	}
	return b.String()
}

// TestAttackLargeResults repeats a few kilobytes many times. This must not need gigabytes.
func TestAttackLargeResults(t *testing.T) {
	testcost.Long(t)
	const most = 250 << 20
	text := team + "spec: {a: \"" + strings.Repeat("a", 256<<10) + "\"}\n"
	list := team + "spec: {many: [a" + strings.Repeat(",a", 20_000) + "]}\n"
	half := team + "spec: {many: [a" + strings.Repeat(",a", 499) + "]}\n"
	const schema = ` {a: string, many: "[]string"}`
	for _, c := range []struct{ name, definition, object, want string }{
		{"texts", definitionOf(schema, config("${schema.spec.a}", 1000, "")), text, " 10000000 units "},
		{"texts in texts", definitionOf(schema, config("x ${schema.spec.a}", 1000, "")), text, " 10000000 units "},
		{"lists", definitionOf(schema, config("${schema.spec.many}", 100, "")), list, "spec.many"},
		{"lists of forEach", definitionOf(schema, config("x", 1, "    forEach: [{one: \"${schema.spec.many}\"}, {two: \"${[lists.range(100).map(i, lists.range(450)), [[1]]]}\"}]\n")), half, "is declared twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got string
			took := testcost.Allocated(func() {
				got = strings.Join(problems(map[string]string{"def.yaml": c.definition, "red.yaml": c.object}), "\n")
			})
			if !strings.Contains(got, c.want) {
				t.Errorf("problems are\n%.1000s\nwant\n%s", got, c.want)
			}
			if took > most {
				t.Errorf("%d MiB were allocated", took>>20)
			}
			t.Logf("%d MiB", took>>20)
		})
	}
}

// TestAttackManyValues uses templates with many constants. Their evaluation costs nothing, but they count.
// Labels and annotations also count, even those of the object itself. Nothing is made beyond the limit.
func TestAttackManyValues(t *testing.T) {
	testcost.Long(t)
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, "l%d: x, ", i)
	}
	template := func(metadata, resource string) string {
		return "  - id: net\n    forEach: [{x: '${lists.range(900)}'}]\n    template: {apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: 'n-${x}', " + metadata + "}, spec: {resource: {" + resource + "}}}\n"
	}
	for _, c := range []struct{ name, metadata, resource, object string }{
		{"what is written out", "", "tags: [1" + strings.Repeat(",1", 20_000) + "]", team},
		{"labels", "labels: {" + many.String() + "}", "", team},
		{"annotations", "annotations: {" + many.String() + "}", "", team},
		{"the object's annotations", "annotations: {a: b}", "", strings.Replace(team, "red}", "red, annotations: {"+many.String()+"}}", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := fstest.MapFS{"def.yaml": {Data: []byte(definitionOf(" {a: string}", template(c.metadata, c.resource)))}, "red.yaml": {Data: []byte(c.object)}}
			r := resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{}), Bounds: resolve.Bounds{Objects: 1000}}
			var err error
			took := testcost.Allocated(func() { _, err = r.Read(context.Background(), files) })
			if err == nil || !strings.Contains(err.Error(), " 100000 values") {
				t.Errorf("error is %.1000v", err)
			}
			if took > 200<<20 {
				t.Errorf("%d MiB were allocated", took>>20)
			}
			t.Logf("%d MiB", took>>20)
		})
	}
}

// TestAttackLargeStatus uses many objects with a large status, and one large object that is shown in many
// statuses. Both stay within the limits. It takes seconds, because it needs objects that reach the limits.
func TestAttackLargeStatus(t *testing.T) {
	testcost.Long(t)
	var fields strings.Builder
	for i := range 400 {
		fmt.Fprintf(&fields, "\n      f%d: \"${schema.spec.many}\"", i)
	}
	external := "  - id: net\n    externalRef: {apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: big}}\n"
	list := team + "spec: {many: [a" + strings.Repeat(",a", 20_000) + "]}\n"
	var teams strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&teams, "---\napiVersion: stackreeve.dev/v1alpha1\nkind: Team\nmetadata: {name: t%d}\nspec: {}\n", i)
	}
	big := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: big, labels: {" + strings.Repeat("a", 60) + ": b"
	for i := range 5000 {
		big += fmt.Sprintf(", l%d: x", i)
	}
	big += "}}\nspec: {resource: {}}\n"
	for _, c := range []struct {
		name, definition, objects string
		most                      int64 // allocated bytes, including those that were freed
	}{
		{"fields", definitionOf(` {many: "[]string"}`+"\n    status:"+fields.String(), resource("", "{}")), list, 250 << 20},
		{"one that many show", definitionOf(" {a: string}\n    status: {x: \"${net.metadata.name}\"}", external), teams.String(), 800 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			kinds := all.Kinds(nil, defaults.Defaults{})
			got, err := reading(map[string]string{"def.yaml": c.definition, "red.yaml": c.objects, "big.yaml": big})
			if err != nil {
				t.Fatalf("%.1000s", err)
			}
			p := decide.Compute(world.Input{Stack: "s", Kinds: kinds, Want: got.Want})
			took := testcost.Allocated(func() { status.Of(p, kinds) })
			if took > c.most {
				t.Errorf("%d MiB were allocated", took>>20)
			}
			t.Logf("%d MiB", took>>20)
		})
	}
}

// TestAttackWrongExpressions uses thousands of wrong expressions. Only the first ones are shown.
func TestAttackWrongExpressions(t *testing.T) {
	testcost.Long(t)
	var resources, fields strings.Builder
	resources.WriteString("  - id: config\n    template:\n      apiVersion: v1\n      kind: ConfigMap\n      metadata: {name: a}\n      data:\n")
	for i := range 2_000 {
		fmt.Fprintf(&resources, "        k%d: \"${EXPR}\"\n", i)
	}
	for i := range 99 {
		fmt.Fprintf(&resources, "  - {id: r%d, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}\n", i)
	}
	for i := range 900 {
		fmt.Fprintf(&fields, "\n      field%d: string", i)
	}
	for _, c := range []struct {
		expr, want string
		most       int64 // MiB
	}{
		{"x", "undeclared reference to 'x'", 200},
		{"schema.spec.fieldx", "undefined field 'fieldx'", 70},
	} {
		text := definitionOf(fields.String(), strings.ReplaceAll(resources.String(), "EXPR", c.expr))
		var got string
		took := testcost.Allocated(func() { got = strings.Join(problems(map[string]string{"def.yaml": text}), "\n") })
		if !strings.Contains(got, c.want) || !strings.Contains(got, " more problems") {
			t.Errorf("problems are\n%.1000s", got)
		}
		if took > c.most<<20 {
			t.Errorf("%s: %d MiB were allocated", c.expr, took>>20)
		}
		t.Logf("%s: %d MiB", c.expr, took>>20)
	}
}
