package definition_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// resource returns a resource that is a network. The argument more contains further fields of the resource.
func resource(more, spec string) string {
	return "  - id: net\n" + more + "    template:\n      apiVersion: openstack.k-orc.cloud/v1alpha1\n      kind: Network\n      metadata: {name: \"${schema.metadata.name}-net\"}\n      spec: {resource: " + spec + "}\n"
}

// TestRefusedDefinitions checks that a mistake in a definition is reported at the line of the mistake.
func TestRefusedDefinitions(t *testing.T) {
	const other = "  - id: sub\n    template:\n      apiVersion: openstack.k-orc.cloud/v1alpha1\n      kind: Subnet\n      metadata: {name: sub}\n      spec: {resource: {networkRef: "
	of := func(more, spec string) string { return definitionOf(" {a: string}", resource(more, spec)) }
	for _, c := range []struct{ name, text, want string }{
		{"type", definitionOf(" {a: strin}", resource("", "{}")), "def.yaml:8: Definition/team: spec.schema.spec.a: has the unknown type \"strin\"; did you mean string?"},
		{"marker", definitionOf(" {a: string | requird=true}", resource("", "{}")), "did you mean required?"},
		{"marker of another type", definitionOf(" {a: string | minimum=1}", resource("", "{}")), "is for a number, not for string"},
		{"default", definitionOf(" {a: integer | default=x}", resource("", "{}")), "default=x: is not integer"},
		{"pattern", definitionOf(` {a: 'string | pattern="("'}`, resource("", "{}")), "error parsing regexp"},
		{"infinite bound", definitionOf(" {a: integer | maximum=+Inf}", resource("", "{}")), "maximum=+Inf: is no number"},
		{"part of a character", definitionOf(" {a: string | minLength=1.5}", resource("", "{}")), "minLength=1.5: is not a whole number from 0 to 1000000"},
		{"huge length", definitionOf(" {a: '[]string | maxItems=1e30'}", resource("", "{}")), "maxItems=1e30: is not a whole number from 0 to 1000000"},
		{"negative length", definitionOf(" {a: string | minLength=-1}", resource("", "{}")), "minLength=-1: is not a whole number from 0 to 1000000"},
		{"default that JSON lacks", definitionOf(" {a: float | default=NaN}", resource("", "{}")), "default=NaN: is not float"},
		{"default beyond a bound", definitionOf(" {a: integer | default=10 maximum=9}", resource("", "{}")), "spec.schema.spec.a: default: 10 is more than 9"},
		{"default that is no choice", definitionOf(` {a: 'string | default=c enum="a,b"'}`, resource("", "{}")), "default: the value \"c\" is not one of a, b"},
		{"default of another type within", definitionOf(" {a: '[]integer | default=[1, \"b\"]'}", resource("", "{}")), "default[1]: wants a number, found the string \"b\""},
		{"default with more behind", definitionOf(" {a: 'object | default={}{}'}", resource("", "{}")), "is not a marker"},
		{"default without end", definitionOf(" {a: '[]string | default=[\"]\"'}", resource("", "{}")), "the bracket of default is not closed"},
		{"field name", definitionOf(" {a-b: string}", resource("", "{}")), "is not a valid name of a field"},
		{"type in itself", "apiVersion: stackreeve.dev/v1alpha1\nkind: Definition\nmetadata: {name: team}\nspec:\n  schema:\n    kind: Team\n    apiVersion: v1alpha1\n    types: {A: {b: A}}\n    spec: {a: A}\n  resources:\n" + resource("", "{}"), "contains itself: A -> A"},
		{"no such field of the spec", of("", "{description: '${schema.spec.b}'}"), "undefined field 'b'"},
		{"near field of the spec", definitionOf(" {about: string}", resource("", "{description: '${schema.spec.abuot}'}")), "did you mean about?"},
		{"no expression", of("", "{description: '${}'}"), "has the expression \"\""},
		{"no end", of("", "{description: '${schema.spec.a'}"), "has no closing }"},
		{"nested", of("", "{description: '${schema.spec.a + ${schema.spec.a}}'}"), "contains another expression"},
		{"list in a text", definitionOf(` {a: "[]string"}`, resource("", "{description: 'x ${schema.spec.a}'}")), "its type is list(string)"},
		{"not boolean", of("    includeWhen: ['${schema.spec.a}']\n", "{}"), "must be an expression of type bool, found string"},
		{"not a list", of("    forEach: [{x: '${schema.spec.a}'}]\n", "{}"), "found string"},
		{"unknown field of a kind", of("", "{desription: x}"), "def.yaml:15: Definition/team: spec.resources[0].template.spec.resource.desription: is not a field of Network; did you mean description?"},
		{"unknown kind", strings.Replace(of("", "{}"), "kind: Network", "kind: Netwrk", 1), "did you mean Network?"},
		{"wrong version", strings.Replace(of("", "{}"), "cloud/v1alpha1", "cloud/v1", 1), "write openstack.k-orc.cloud/v1alpha1"},
		{"kind as expression", strings.Replace(of("", "{}"), "kind: Network", "kind: '${schema.spec.a}'", 1), "as constants"},
		{"a definition", strings.Replace(strings.Replace(of("", "{}"), "kind: Network", "kind: Definition", 1), "openstack.k-orc.cloud/v1alpha1", "stackreeve.dev/v1alpha1", 1), "a definition cannot make definitions"},
		{"built-in kind", strings.Replace(of("", "{}"), "kind: Team", "kind: Network", 1), "which is a kind of the agent's own"},
		{"built-in kind in other letters", strings.Replace(of("", "{}"), "kind: Team", "kind: NetWork", 1), "which is a kind of the agent's own"},
		{"kind of the configuration", strings.Replace(of("", "{}"), "kind: Team", "kind: Stack", 1), "is Stack, which is a reserved name"},
		{"policies", strings.Replace(of("", "{}"), "kind: Team", "kind: Policy", 1), "is Policy, which is a reserved name"},
		{"notifications", strings.Replace(of("", "{}"), "kind: Team", "kind: Notification", 1), "is Notification, which is a reserved name"},
		{"agents", strings.Replace(of("", "{}"), "kind: Team", "kind: agents", 1), "is agents, which is a reserved name"},
		{"plans of the read API", strings.Replace(of("", "{}"), "kind: Team", "kind: Plan", 1), "is Plan, which is a reserved name"},
		{"passes of the read API", strings.Replace(of("", "{}"), "kind: Team", "kind: Pass", 1), "is Pass, which is a reserved name"},
		{"another group", strings.Replace(of("", "{}"), "kind: Team", "kind: Team\n    group: acme.example", 1), "is not one of stackreeve.dev, kro.run"},
		{"no template", definitionOf(" {a: string}", "  - {id: net}\n"), "neither template nor externalRef"},
		{"same ID", of("", "{}") + resource("", "{}"), "is net, which another resource has, too"},
		{"reserved ID", strings.Replace(of("", "{}"), "id: net", "id: schema", 1), "has another meaning in expressions"},
		{"no name", strings.Replace(of("", "{}"), "{name: \"${schema.metadata.name}-net\"}", "{}", 1), "metadata.name: is missing"},
		{"namespace", strings.Replace(of("", "{}"), "{name: \"$", "{namespace: other, name: \"$", 1), "is not the namespace of the object"},
		{"finalizers", strings.Replace(of("", "{}"), "{name: \"$", "{finalizers: [a], name: \"$", 1), "is not for templates"},
		{"observed", of("", "{}") + other + "'${net.status.id}'}}\n", "reads the state of net in the cloud"},
		{"the spec of another", of("", "{}") + other + "'${net.spec.resource.mtu}'}}\n", "which reads the spec of net"},
		{"named where that is not seen", of("    includeWhen: ['${net.metadata.name == \"x\"}']\n", "{}"), "reads the state of net in the cloud"},
		{"another mistake beside a name", definitionOf(" {about: string}", resource("", "{}")+other+"'${net.metadata.name + schema.spec.abuot}'}}\n"), "undefined field 'abuot'; did you mean about?"},
		{"observed in includeWhen", of("    includeWhen: ['${net.status.state == \"InSync\"}']\n", "{}"), "reads the state of net in the cloud"},
		{"observed in forEach", of("    forEach: [{x: '${net.status.addresses}'}]\n", "{}"), "reads the state of net in the cloud"},
		{"observed in a name", strings.Replace(of("", "{}"), "${schema.metadata.name}-net", "${net.status.id}", 1), "reads the state of net in the cloud"},
		{"a clock", of("", "{description: '${string(now())}'}"), "undeclared reference to 'now'"},
		{"a time", of("", "{description: '${string(timestamp(\"2020-01-01T00:00:00Z\").getHours(\"Europe/Berlin\"))}'}"), "undeclared reference to 'timestamp'"},
		{"chance", of("", "{description: '${random.seededString(3, \"x\")}'}"), "undeclared reference to 'random'"},
		{"regular expression", of("", "{description: '${string(schema.spec.a.matches(\"a\"))}'}"), "undeclared reference to 'matches'"},
		{"annotation unknown", strings.Replace(of("", "{}"), "{name: \"$", "{annotations: {stackreeve.dev/prun: \"false\"}, name: \"$", 1), "is an unknown annotation; did you mean stackreeve.dev/prune?"},
		{"annotation of one object", strings.Replace(of("", "{}"), "{name: \"$", "{annotations: {stackreeve.dev/adopt: \"true\"}, name: \"$", 1), "names one object"},
		{"annotation as expression", strings.Replace(of("", "{}"), "{name: \"$", "{annotations: {stackreeve.dev/replace: '${schema.spec.a}'}, name: \"$", 1), "contains an expression"},
		{"annotation's value", strings.Replace(of("", "{}"), "{name: \"$", "{annotations: {stackreeve.dev/replace: always}, name: \"$", 1), "use allow or refuse"},
		{"annotation's field", strings.Replace(of("", "{}"), "{name: \"$", "{annotations: {stackreeve.dev/ignore-fields: spec.resource.color}, name: \"$", 1), "which is not a field of Network"},
		{"unknown field of a definition", of("", "{}") + "  extra: 1\n", "extra: unknown field"},
		{"no kind", strings.Replace(of("", "{}"), "    kind: Team\n", "", 1), "spec.schema.kind: missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := problems(map[string]string{"def.yaml": c.text})
			if !strings.Contains(strings.Join(got, "\n"), c.want) {
				t.Errorf("problems are\n%s\nwant\n%s", strings.Join(got, "\n"), c.want)
			}
		})
	}
}

// TestRefusedObjects checks that a mistake in an object of a defined kind is reported at the object's line, with the
// line of the template.
func TestRefusedObjects(t *testing.T) {
	of := func(spec, more, resourceSpec string) string { return definitionOf(spec, resource(more, resourceSpec)) }
	for _, c := range []struct{ name, definition, spec, want string }{
		{"unknown field", of(" {about: string}", "", "{}"), "{abuot: x}", "red.yaml:4: Team/red: spec.abuot: unknown field; did you mean about?"},
		{"missing field", of(" {a: string | required=true}", "", "{}"), "{}", "red.yaml:4: Team/red: spec.a: missing"},
		{"type", of(" {a: integer}", "", "{}"), "{a: x}", "wants a number, found the string \"x\""},
		{"enum", of(` {a: 'string | enum="x,y"'}`, "", "{}"), "{a: z}", "is not one of x, y"},
		{"maximum", of(" {a: integer | maximum=3}", "", "{}"), "{a: 4}", "4 is more than 3"},
		{"pattern", of(` {a: 'string | pattern="^a+$"'}`, "", "{}"), "{a: b}", "does not match ^a+$"},
		{"child", of(" {a: integer}", "", "{mtu: '${schema.spec.a}'}"), "{a: 3}", "red.yaml:1: Network/red-net: spec.resource.mtu: 3 is less than 68 (from the template at def.yaml:15)"},
		{"child's type", of(" {a: string}", "", "{mtu: '${schema.spec.a}'}"), "{a: '9'}", "(from the template at def.yaml:15)"},
		{"reference", definitionOf(" {a: string}", "  - id: sub\n    template:\n      apiVersion: openstack.k-orc.cloud/v1alpha1\n      kind: Subnet\n      metadata: {name: sub}\n      spec: {resource: {networkRef: nowhere, ipVersion: 4, cidr: 10.0.0.0/24}}\n"), "{}", "refers to Network/nowhere, which is not in the repository (from the template at def.yaml:15)"},
		{"name", strings.Replace(of(" {a: string}", "", "{}"), "${schema.metadata.name}-net", "${schema.spec.a}", 1), "{a: 'A B'}", "the name of net would be \"A B\", which is not a valid name"},
		{"long name", strings.Replace(of(" {a: string}", "", "{}"), "${schema.metadata.name}-net", "${schema.spec.a}", 1), "{a: " + strings.Repeat("a", 300) + "}", "which is not a valid name"},
		{"absent", of(" {a: string}", "", "{description: 'x ${schema.spec.a}'}"), "{}", "has no value: no such key: a (from the template at def.yaml:15)"},
		{"twice", of(` {a: "[]string"}`, "    forEach: [{x: '${schema.spec.a}'}]\n", "{}"), "{a: [x, z]}", "Network/red-net: is declared twice: here and at red.yaml:1, as part of Team/red (from the template at def.yaml:12)"},
		{"too many", strings.Replace(of(" {a: integer}", "    forEach: [{x: '${lists.range(500)}'}, {y: '${lists.range(3)}'}]\n", "{}"), "-net\"", "-${x}-${y}\"", 1), "{}", "forEach makes more than 1000 objects"},
		{"a mark", of(" {a: string}", "", "{description: '${schema.spec.a}'}"), "{a: 'stackreeve:v1:x'}", "owner mark"},
		{"a mark in two halves", of(" {a: string, b: string}", "", "{description: '${schema.spec.a}reeve:x'}"), "{a: stack}", "owner mark"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := problems(map[string]string{"def.yaml": c.definition, "red.yaml": team + "spec: " + c.spec})
			if !strings.Contains(strings.Join(got, "\n"), c.want) {
				t.Errorf("problems are\n%s\nwant\n%s", strings.Join(got, "\n"), c.want)
			}
		})
	}
}

// TestAnnotationsOfTemplates uses templates of a kind that expands to other kinds. They may have the annotations
// that a manifest of the kind may have, about fields of those other kinds.
func TestAnnotationsOfTemplates(t *testing.T) {
	machine := func(name, value string) string {
		return definitionOf(" {a: string}", "  - id: vm\n    template:\n      apiVersion: stackreeve.dev/v1alpha1\n      kind: VirtualMachine\n      metadata: {name: \"${schema.metadata.name}\", annotations: {stackreeve.dev/"+name+": '"+value+"'}}\n      spec: {image: a, flavor: b, network: c}\n")
	}
	outer := func(name, value string) map[string]string {
		return map[string]string{"a.yaml": strings.Replace(nest("Outer", "Team"), "-x\"", "-x\", annotations: {stackreeve.dev/"+name+": '"+value+"'}", 1),
			"b.yaml": strings.Replace(machine(name, value), ", annotations: {stackreeve.dev/"+name+": '"+value+"'}", "", 1), "c.yaml": strings.Replace(team, "Team", "Outer", 1)}
	}
	for _, c := range []struct{ name, value, want string }{
		{"ignore-fields", "spec.resource.userData,spec.resource.description", ""},
		{"ignore-fields", "spec.image", "names \"spec.image\", which is not a field of the parts of a %s; name a field"},
		{"ignore-fields", "spec.resource.metadata[0].key", "names \"spec.resource.metadata[0].key\", but spec.resource.metadata is compared and written as a whole; name spec.resource.metadata to have the agent ignore all of it"},
		{"change-policy", "flavorRef=resize, imageRef=rebuild", ""},
		{"change-policy", "flavorRef=rsize", "has \"flavorRef=rsize\", which is not a possible choice for the parts of a %s; use one of ignore, next, replace, resize"},
		{"change-policy", "flvorRef=resize", "has \"flvorRef=resize\", which is not a possible choice for the parts of a %s; did you mean flavorRef?"},
	} {
		t.Run(c.name+" "+c.value, func(t *testing.T) {
			for of, files := range map[string]map[string]string{"VirtualMachine": {"a.yaml": machine(c.name, c.value), "b.yaml": team}, "Team": outer(c.name, c.value)} {
				want := strings.Replace(c.want, "%s", of, 1)
				if got := strings.Join(problems(files), "\n"); (got == "") != (want == "") || !strings.Contains(got, want) {
					t.Errorf("problems are\n%s\nwant\n%s", got, want)
				}
			}
		})
	}
}

// TestRefusedOnce checks that a reference to a missing object is not reported if the definition or the object
// that would make the missing object is refused.
func TestRefusedOnce(t *testing.T) {
	const subnet = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: sub}\nspec: {resource: {networkRef: red-net, ipVersion: 4, cidr: 10.0.0.0/24}}\n"
	fine := definitionOf(" {a: string}", resource("", "{description: 'x ${schema.spec.a}'}"))
	for _, c := range []struct{ name, definition, spec, want string }{
		{"definition", strings.Replace(fine, "a: string", "a: strin", 1), "{a: x}", "has the unknown type"},
		{"template", strings.Replace(fine, "description", "desription", 1), "{a: x}", "is not a field of Network"},
		{"object", fine, "{a: x, b: y}", "spec.b: unknown field"},
		{"expansion", fine, "{}", "no such key: a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := problems(map[string]string{"def.yaml": c.definition, "red.yaml": team + "spec: " + c.spec, "sub.yaml": subnet})
			if len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("problems are\n%s\nwant one: %s", strings.Join(got, "\n"), c.want)
			}
		})
	}
}

// nest returns a Definition of a kind that expands to one object of another kind.
func nest(name, uses string) string {
	return fmt.Sprintf("apiVersion: stackreeve.dev/v1alpha1\nkind: Definition\nmetadata: {name: %s}\nspec:\n  schema: {kind: %s, apiVersion: v1alpha1}\n  resources:\n  - id: x\n    template: {apiVersion: stackreeve.dev/v1alpha1, kind: %s, metadata: {name: \"${schema.metadata.name}-x\"}, spec: {}}\n",
		strings.ToLower(name), name, uses)
}

func TestDefinitionsAmongThemselves(t *testing.T) {
	leaf := strings.NewReplacer("kind: Team", "kind: D", "name: team", "name: d").Replace(definitionOf(" {}", resource("", "{}")))
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // "" if there is none
	}{
		{"itself", map[string]string{"a.yaml": nest("A", "A")}, "a.yaml:8: Definition/a: spec.resources[0].template: makes the kind expand to itself: A -> A"},
		{"by another", map[string]string{"a.yaml": nest("A", "B"), "b.yaml": nest("B", "A")}, "A -> B -> A"},
		{"three deep", map[string]string{"b.yaml": nest("B", "C"), "c.yaml": nest("C", "D"), "d.yaml": leaf}, ""},
		{"four deep", map[string]string{"a.yaml": nest("A", "B"), "b.yaml": nest("B", "C"), "c.yaml": nest("C", "D"), "d.yaml": leaf}, "nests definitions deeper than 3: A -> B -> C -> D"},
		{"one kind twice", map[string]string{"a.yaml": leaf, "b.yaml": strings.Replace(leaf, "name: d}", "name: e}", 1)}, "b.yaml:6: Definition/e: spec.schema.kind: is D, which Definition/d defines (a.yaml:1)"},
		{"one kind in two groups", map[string]string{"a.yaml": leaf, "b.yaml": strings.Replace(strings.Replace(leaf, "kind: Definition", "kind: ResourceGraphDefinition", 1), "stackreeve.dev", "kro.run", 1)}, "which Definition/d defines"},
		{"removed", map[string]string{"a.yaml": strings.ReplaceAll(team, "Team", "D")}, "a.yaml:2: D/red: kind: unknown kind \"D\" in stackreeve.dev; known are "},
		{"removed, kro's", map[string]string{"a.yaml": strings.ReplaceAll(strings.ReplaceAll(team, "Team", "D"), "stackreeve.dev", "kro.run")}, "a kind of the repository needs its ResourceGraphDefinition in the stack's folder or in one of its libraries, as long as there are objects of this kind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.files["o.yaml"] = "apiVersion: stackreeve.dev/v1alpha1\nkind: B\nmetadata: {name: o}\n"
			}
			got := strings.Join(problems(c.files), "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("problems are\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestBombs checks that every expression ends soon, and that the message contains the limit that was exceeded. It
// takes seconds, because each expression may use all of the cost that is allowed.
func TestBombs(t *testing.T) {
	testcost.Long(t)
	chain := func(first, step string, n int) string { return first + strings.Repeat(step, n) }
	for _, c := range []struct{ name, expr, want string }{
		{"loops", "lists.range(1000).map(a, lists.range(1000).map(b, lists.range(1000).map(c, a * b * c))).size() > 0 ? 'x' : 'y'", "costs more than 1000000 units"},
		{"strings", chain("[schema.spec.a]", ".map(s, s + s)", 40) + "[0]", "costs more than"},
		{"replacements", chain("schema.spec.a", ".replace('a', 'aaaaaaaaaa')", 40), "too large"},
		{"lists", chain("[[1]]", ".map(s, s + s)", 40) + "[0].size() > 1 ? 'x' : 'y'", "costs more than"},
		{"lists in lists", chain("[1]", ".map(s, [s, s])", 40) + ".size() > 1 ? 'x' : 'y'", "costs more than"},
		{"lists in lists, equal", "[" + chain("[1]", ".map(s, [s, s])", 45) + "].all(x, x == x) ? 'x' : 'y'", "costs more than"},
		{"dynamic values", chain("[dyn(1)]", ".map(s, dyn([s, s]))", 45) + ".all(x, x == x) ? 'x' : 'y'", "costs more than"},
		{"mappings", chain("[dyn(1)]", ".map(s, dyn({'a': s, 'b': s}))", 45) + ".all(x, x == x) ? 'x' : 'y'", "costs more than"},
		{"a list as a value", chain("[dyn(1)]", ".map(s, dyn([s, s]))", 45), ""},
		{"joins", chain("[[schema.spec.a]]", ".map(s, [s.join('aaaaaaaaaa'), s.join('b')].map(t, t + t + t))", 40) + "[0].join('')", ""},
		{"a large value asked often", "lists.range(1000).map(i, lists.range(150).map(j, schema.spec.many.size())).size() > 0 ? 'x' : 'y'", ""},
		{"a large value mapped", "schema.spec.many.map(x, x + x).map(x, x + x).map(x, x + x).size() > 0 ? 'x' : 'y'", ""},
		{"a large value made of two, asked often", "[['a'] + schema.spec.many].map(s, schema.spec.many.map(i, s.size())).size() > 0 ? 'x' : 'y'", ""},
		{"a large value made in a loop, asked often", "[schema.spec.many.map(x, x)].map(s, schema.spec.many.map(i, s.size())).size() > 0 ? 'x' : 'y'", ""},
		{"a large value in a mapping, asked often", "[{'a': schema.spec.many}].map(s, schema.spec.many.map(i, s.size())).size() > 0 ? 'x' : 'y'", ""},
		{"a large value that was filtered, asked often", "[schema.spec.many.filter(x, true)].map(s, schema.spec.many.map(i, [s].size())).size() > 0 ? 'x' : 'y'", ""},
		{"a large value made again and again", "schema.spec.many.map(i, ['a'] + schema.spec.many).size() > 0 ? 'x' : 'y'", ""},
		{"large values compared", "lists.range(1000).all(i, dyn(schema.spec.many) == dyn(schema.spec.many)) ? 'x' : 'y'", "costs more than"},
		{"a large value searched", "lists.range(1000).all(i, !('b' in schema.spec.many)) ? 'x' : 'y'", "costs more than"},
		{"depth", strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000), ""},
		{"conditions", strings.Repeat("true ? ", 500) + "'a'" + strings.Repeat(" : 'b'", 500), ""},
		{"length", "'" + strings.Repeat("a", 5000) + "'", "longer than 4096 bytes"},
		{"nested macros", strings.Repeat("[1,2,3,4,5,6,7,8].map(x, ", 20) + "1" + strings.Repeat(")", 20), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			text := definitionOf(` {a: string, many: "[]string"}`, resource("", "{description: \"${"+c.expr+"}\"}"))
			got := strings.Join(problems(map[string]string{"def.yaml": text, "red.yaml": team + "spec: {a: aaaaaaaaaa, many: [a" + strings.Repeat(", a", 50_000) + "]}"}), "\n")
			if got == "" && !strings.HasPrefix(c.name, "a large value") || !strings.Contains(got, c.want) {
				t.Errorf("problems are\n%s\nwant\n%s", got, c.want)
			}
			t.Logf("%s: %s", time.Since(begin).Round(time.Millisecond), got)
		})
	}
}

// TestBombsTogether uses many expressions that each have a low cost. Together they end within the limit of a
// revision.
func TestBombsTogether(t *testing.T) {
	testcost.Long(t)
	const dear = "lists.range(1000).map(a, lists.range(40).map(b, a * b)).size() > 0 ? 'x' : 'y'"
	var children strings.Builder
	for i := range 30 {
		children.WriteString(strings.NewReplacer("id: net", fmt.Sprintf("id: net%d", i), "-net\"", fmt.Sprintf("-net%d\"", i)).Replace(resource("", "{description: \"${"+dear+"}\"}")))
	}
	var teams strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&teams, "---\napiVersion: stackreeve.dev/v1alpha1\nkind: Team\nmetadata: {name: t%d}\n", i)
	}
	for _, c := range []struct{ name, definition, objects, want string }{
		{"in one object", definitionOf(" {a: string}", children.String()), team, " 10000000 units "},
		{"in many objects", definitionOf(" {a: string}", resource("", "{description: \"${"+dear+"}\"}")), teams.String(), " 20000000 units "},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			got := strings.Join(problems(map[string]string{"def.yaml": c.definition, "red.yaml": c.objects}), "\n")
			if !strings.Contains(got, c.want) {
				t.Errorf("problems are\n%.1000s\nwant\n%s", got, c.want)
			}
			t.Logf("%s", time.Since(begin))
		})
	}
}

// TestLargeDefinitions checks that the schemas and expressions of all definitions together are limited.
func TestLargeDefinitions(t *testing.T) {
	var fields, expressions strings.Builder
	for i := range 1100 {
		fmt.Fprintf(&fields, "\n      f%d: string", i)
	}
	for i := range 70 {
		expressions.WriteString(strings.NewReplacer("id: net", fmt.Sprintf("id: net%d", i), "-net\"", fmt.Sprintf("-net%d\"", i)).Replace(
			resource("", "{description: \"${'"+strings.Repeat("a", 4000)+"'}\"}")))
	}
	for _, c := range []struct{ name, text, want string }{
		{"fields", definitionOf(fields.String(), resource("", "{}")), " 1000 fields"},
		{"expressions", definitionOf(" {a: string}", expressions.String()), " 256 KiB"},
	} {
		if got := strings.Join(problems(map[string]string{"def.yaml": c.text}), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s: problems are\n%.1000s\nwant\n%s", c.name, got, c.want)
		}
	}
}
