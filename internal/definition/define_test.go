package definition_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// definitionOf returns a Definition of a kind Team with a spec and resources.
func definitionOf(spec, resources string) string {
	return "apiVersion: stackreeve.dev/v1alpha1\nkind: Definition\nmetadata: {name: team}\nspec:\n  schema:\n    kind: Team\n    apiVersion: v1alpha1\n    spec:" +
		spec + "\n  resources:\n" + resources
}

const team = "apiVersion: stackreeve.dev/v1alpha1\nkind: Team\nmetadata: {name: red}\n"

func reading(files map[string]string) (resolve.Reading, error) {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{})}.Read(context.Background(), fsys)
}

// wanted returns the JSON of a kind's objects by their names.
func wanted(want []kind.Desired, of string) map[string]string {
	found := map[string]string{}
	for _, d := range want {
		if d.Key.Kind == of {
			text, err := json.Marshal(d.Spec)
			if err != nil {
				text = []byte(err.Error())
			}
			found[d.Key.Name] = string(text)
		}
	}
	return found
}

const network = `  - id: net
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: Network
      metadata: {name: "${schema.metadata.name}-net"}
      spec: {resource: {mtu: "${schema.spec.mtu}", description: "${schema.spec.about}"}}
`

func TestExpands(t *testing.T) {
	got, err := reading(map[string]string{
		"a/red.yaml": team + "spec: {about: x}",
		"z/def.yaml": definitionOf("\n      mtu: integer | default=1450\n      about: string", network),
	})
	if err != nil {
		t.Fatal(err)
	}
	nets := wanted(got.Want, "Network")
	if want := `{"description":"x","mtu":1450}`; nets["red-net"] != want {
		t.Errorf("networks are %v, want red-net %s", nets, want)
	}
	i := slices.IndexFunc(got.Want, func(d kind.Desired) bool { return d.Key.Kind == "Network" })
	if d := got.Want[i]; d.Parent.String() != "Team/red" || d.Origin.File != "a/red.yaml" || d.Definition.ID != "net" {
		t.Errorf("the network is part %q of %s at %s", d.Definition.ID, d.Parent, d.Origin)
	}
}

// problems returns the problems of files, one line for each.
func problems(files map[string]string) []string {
	_, err := reading(files)
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// TestMappingsHaveAnOrder checks that mappings are walked in the order of their keys, so that an object always
// expands to the same objects.
func TestMappingsHaveAnOrder(t *testing.T) {
	for _, c := range []struct{ name, expr, want string }{
		{"of texts", "schema.spec.env.map(k, k + '=' + schema.spec.env[k]).join(' ')", "a=1 b=2 c=3 d=4"},
		{"of anything", "schema.spec.any.map(k, k).join(' ')", "a b c d"},
		{"within one", "schema.spec.any.b.map(k, k).join(' ')", "u w x z"},
		{"written out", "{'z': 1, 'y': 2, 'x': 3, 'w': 4}.map(k, k).join(' ')", "w x y z"},
		{"of several types", "{dyn(10): 1, dyn('a'): 2, dyn(2u): 3, dyn(true): 4, dyn('b'): 5}.map(k, string(k)).join(' ')", "true 2 10 a b"},
		{"as keys", "{dyn({'a': 1}): 1, dyn(['b']): 2}.map(k, string(dyn(k).size())).join(' ')", "1 1"},
		{"labels", "schema.metadata.labels.map(k, k).join(' ')", "a b c d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 20 {
				got, err := reading(map[string]string{
					"def.yaml": definitionOf(` {env: "map[string]string", any: object}`, resource("", `{description: "${`+c.expr+`}"}`)),
					"red.yaml": strings.Replace(team, "red}", "red, labels: {d: x, c: x, b: x, a: x}}", 1) + "spec: {env: {d: '4', c: '3', b: '2', a: '1'}, any: {d: 4, c: 3, b: {z: 1, u: 2, x: 3, w: 4}, a: 1}}",
				})
				if err != nil {
					t.Fatal(err)
				}
				if net := wanted(got.Want, "Network")["red-net"]; net != `{"description":"`+c.want+`"}` {
					t.Fatalf("the network is %s, want %s", net, c.want)
				}
			}
		})
	}
}

// TestDefaults checks that a default has the same effect as its value in a manifest.
func TestDefaults(t *testing.T) {
	for _, c := range []struct{ name, fields, expr, want string }{
		{"what is below", " {size: 'Size | default={}'}", "${schema.spec.size.cpu}", "2"},
		{"what is below, beside others", " {size: 'Size | default={\"memory\": 8}'}", "${schema.spec.size.cpu}/${schema.spec.size.memory}", "2/8"},
		{"what is below in a list", " {sizes: '[]Size | default=[{\"memory\": 4}, {}]'}", "${schema.spec.sizes.map(s, s.cpu)[1] + schema.spec.sizes[0].memory}", "6"},
		{"a whole number of anything", " {ports: 'object | default={\"http\": 80}'}", "${schema.spec.ports.http + 1}", "81"},
		{"more than a double holds", " {ids: '[]integer | default=[9007199254740993]'}", "${schema.spec.ids[0]}", "9007199254740993"},
		{"brackets in what follows", " {names: '[]string | default=[\"a]\"] description=\"lists [of] {things}\"'}", "${schema.spec.names[0]}", "a]"},
		{"an integer's choices", " {a: 'integer | enum=\"+1,02\" default=2'}", "${schema.spec.a}", "2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(definitionOf(c.fields, resource("", `{description: "x`+c.expr+`"}`)),
				"    spec:", "    types: {Size: {cpu: integer | default=2, memory: integer}}\n    spec:", 1)
			got, err := reading(map[string]string{"def.yaml": text, "red.yaml": team})
			if err != nil {
				t.Fatal(err)
			}
			if net := wanted(got.Want, "Network")["red-net"]; net != `{"description":"x`+c.want+`"}` {
				t.Errorf("the network is %s, want x%s", net, c.want)
			}
		})
	}
}

// TestManyObjectsCalledLikeDefinitions checks that definitions are found among many objects of a kind with a
// similar name.
func TestManyObjectsCalledLikeDefinitions(t *testing.T) {
	var objects strings.Builder
	for i := range 1100 {
		fmt.Fprintf(&objects, "---\napiVersion: stackreeve.dev/v1alpha1\nkind: TeamDefinition\nmetadata: {name: t%d}\n", i)
	}
	got, err := reading(map[string]string{"a.yaml": objects.String(), "def.yaml": strings.Replace(definitionOf(" {}", resource("", "{}")), "kind: Team\n", "kind: TeamDefinition\n", 1)})
	if err != nil {
		t.Fatalf("%.500s", err)
	}
	if n := len(wanted(got.Want, "Network")); n != 1100 {
		t.Errorf("there are %d networks", n)
	}
}

// An expression could show a value of a Secret letter by letter, so the value is refused in an object of a defined kind.
func TestSecretValuesAreRefused(t *testing.T) {
	files := fstest.MapFS{
		"red.yaml": {Data: []byte(team + "spec: {about: \"${word}\"}")},
		"def.yaml": {Data: []byte(definitionOf("\n      mtu: integer | default=1450\n      about: string", network))},
	}
	for kind, refused := range map[string]bool{"Secret": true, "ConfigMap": false} {
		from, data := resolve.ValueSource{Secret: "hush"}, "stringData"
		if kind == "ConfigMap" {
			from, data = resolve.ValueSource{ConfigMap: "hush"}, "data"
		}
		files["secret.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: v1\nkind: " + kind + "\nmetadata: {name: hush}\n" + data + ": {word: very-secret}\n")}
		reader := resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{}), Values: resolve.Values{From: []resolve.ValueSource{from}}}
		_, err := reader.Read(t.Context(), files)
		var problems manifest.Problems
		errors.As(err, &problems)
		if found := slices.ContainsFunc(problems, func(p manifest.Problem) bool { return p.Key.Kind == "Team" && p.Field == "spec.about" }); found != refused {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}
