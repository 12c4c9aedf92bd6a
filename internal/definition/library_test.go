package definition_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

func folder(name, definition string) manifest.Part {
	const example = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: web}\nspec: {resource: {}}\n"
	return manifest.Part{Name: name, Files: fstest.MapFS{"def.yaml": {Data: []byte(definition)}, "example.yaml": {Data: []byte(example)}}}
}

// TestLibrariesAmongThemselves checks that several libraries may use the same names for their
// objects, but that a kind has only one definition.
func TestLibrariesAmongThemselves(t *testing.T) {
	one := definitionOf(" {}", resource("", "{}"))
	other := strings.Replace(one, "kind: Team", "kind: Crew", 1)
	for _, c := range []struct{ name, second, want string }{
		{"equal names", other, ""},
		{"equal kinds", one, "b@2/def.yaml:6: Definition/team: spec.schema.kind: is Team, which Definition/team defines (a@1/def.yaml:1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{}), Libraries: []manifest.Part{folder("a@1", one), folder("b@2", c.second)}}
			got, err := r.Read(context.Background(), fstest.MapFS{"red.yaml": {Data: []byte(team + "---\n" + strings.ReplaceAll(strings.Replace(team, "red", "blue", 1), "Team", "Crew"))}})
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error is %v, want %s", err, c.want)
				}
				return
			}
			if nets := wanted(got.Want, "Network"); err != nil || nets["red-net"] == "" || nets["blue-net"] == "" || len(nets) != 2 {
				t.Errorf("networks are %v, %v", nets, err)
			}
		})
	}
}
