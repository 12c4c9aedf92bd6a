package manifest_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

const substituteBy = "stackreeve.dev/substitute"

// withValues loads manifests with values.
func withValues(text string, used map[string]bool) (manifest.Loaded, error) {
	opts := kinds()
	opts.Annotations = append(opts.Annotations, substituteBy)
	opts.Schemas = func(string, string) manifest.Type { return manifest.TypeFor[networkBody]() }
	opts.Values = manifest.Values{"env": {Text: "prod"}, "n": {Text: "1500"}, "nested": {Text: "${env}"}, "pass": {Text: "hidden-word", Secret: true}}
	opts.Substitute, opts.Used = substituteBy, used
	return manifest.Load(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, opts)
}

func TestValues(t *testing.T) {
	for name, c := range map[string]struct{ mode, spec, field, want string }{
		"a text":                   {"spec", `description: "in ${env} and ${env}"`, "description", `"in prod and prod"`},
		"a number":                 {"spec", `mtu: "${n}"`, "mtu", "1500"},
		"a number as text":         {"spec", `description: "${n}"`, "description", `"1500"`},
		"a default":                {"spec", `mtu: "${m:-70}"`, "mtu", "70"},
		"an empty default":         {"spec", `description: "a${m:-}b"`, "description", `"ab"`},
		"an escape":                {"spec", `description: "a $${env} $x $ {y}"`, "description", `"a ${env} $x $ {y}"`},
		"a value with a name":      {"spec", `description: "${nested}"`, "description", `"${env}"`},
		"a list":                   {"spec", `tags: [a, "${env}"]`, "tags", `["a","prod"]`},
		"a map":                    {"spec", `options: {"${env}": "${env}"}`, "options", `{"${env}":"prod"}`},
		"any form, in quotes":      {"spec", `extra: {a: "${n}"}`, "extra", `{"a":"1500"}`},
		"any form, without quotes": {"spec", "extra:\n      a: ${n}", "extra", `{"a":1500}`},
		"a secret field":           {"spec", `credentials: {password: "${env}"}`, "credentials", `{"password":"${env}"}`},
		"a secret field, with all": {"all", `credentials: {password: "${env}"}`, "credentials", `{"password":"prod"}`},
		"none":                     {"none", `description: "${env}"`, "description", `"${env}"`},
		"an alias":                 {"spec", "description: &d \"$${env} ${env}\"\n    name: *d", "name", `"${env} prod"`},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := withValues("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: a, annotations: {stackreeve.dev/substitute: "+c.mode+"}}\n"+
				"spec:\n  resource:\n    cidr: 10.0.0.0/24\n    "+c.spec+"\n", nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // after Release, the values are put in again
				if got := fieldOf(t, &loaded.Objects[0], c.field); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
				loaded.Objects[0].Release()
			}
		})
	}
}

func TestValuesOfNames(t *testing.T) {
	used := map[string]bool{}
	loaded, err := withValues("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: \"web-${env}\", labels: {a: \"${env}\"}}\nspec: {resource: {cidr: 10.0.0.0/24, description: \"${pass}\"}}", used)
	if err != nil {
		t.Fatal(err)
	}
	o := loaded.Objects[0]
	if o.Key.Name != "web-prod" || o.Labels["a"] != "${env}" || len(o.Secrets()) != 1 || o.Secrets()[0] != "hidden-word" {
		t.Errorf("got %s, %v, %v", o.Key, o.Labels, o.Secrets())
	}
	if !used["env"] || !used["pass"] || used["n"] {
		t.Errorf("got %v", used)
	}
}

// A mistake in a field with a secret value does not show the value.
func TestSecretValues(t *testing.T) {
	for _, spec := range []string{`mtu: "${pass}"`, `mac: "${pass}"`, `gateway: "${pass}"`, `direction: "${pass}"`, `dns: ["x ${pass}"]`, `tags: ["${pass}"]`} {
		loaded, err := withValues(net("a")+"spec: {resource: {cidr: 10.0.0.0/24, "+spec+"}}", nil)
		if err != nil {
			t.Fatal(err)
		}
		problems := loaded.Objects[0].Decode(&networkBody{})
		if len(problems) == 0 || strings.Contains(manifest.Problems(problems).Error(), "hidden") {
			t.Errorf("%s: got %v", spec, problems)
		}
	}
	if _, err := withValues("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: \"a-${pass}\"}\n", nil); err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}

func TestValuesThatAreWrong(t *testing.T) {
	for text, fix := range map[string]string{"${evn}": "did you mean env?", "${env": "", "${env:=x}": "", "${a b}": "", "a ${env%x}": ""} {
		_, err := withValues(net("a")+"spec: {resource: {cidr: 10.0.0.0/24, description: '"+text+"'}}", nil)
		var problems manifest.Problems
		if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Origin.Line != 4 || problems[0].Field != "spec.resource.description" || !strings.HasPrefix(problems[0].Fix, fix) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// A message about a secret text quotes no part of it.
func TestMessagesQuoteNoSecretText(t *testing.T) {
	for _, text := range []string{"${hunter2:=very-secret}", "${hunter2}"} {
		_, err := withValues(net("a")[:len(net("a"))-2]+", annotations: {stackreeve.dev/substitute: all}}\nspec: {resource: {cidr: 10.0.0.0/24, credentials: {password: \""+text+"\"}}}\n", nil)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// The annotation may be merged into the metadata.
func TestMergedAnnotation(t *testing.T) {
	loaded, err := withValues("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: a, annotations: {<<: {stackreeve.dev/substitute: none}}}\n"+
		"spec: {resource: {cidr: 10.0.0.0/24, description: \"${env}\"}}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fieldOf(t, &loaded.Objects[0], "description"); got != `"${env}"` {
		t.Errorf("got %s", got)
	}
}
