package manifest

import (
	"slices"
	"strings"
	"testing"
)

type pathTree struct {
	Spec struct {
		Name  *string           `json:"name"`
		Rules []pathRule        `json:"rules"`
		Data  map[string]string `json:"data"`
		Any   any               `json:"any"`
		Parts []pathRule        `json:"parts" rule:"objects"`
	} `json:"spec"`
}

type pathRule struct {
	Port  int        `json:"port"`
	Inner []pathRule `json:"inner"`
}

func TestHasField(t *testing.T) {
	body := TypeFor[pathTree]()
	for path, want := range map[string]bool{
		"spec": true, "spec.name": true, "spec.rules": true, "spec.rules[3]": true, "spec.rules[3].port": true, "spec.rules.port": true,
		"spec.rules.inner[0].inner.port": true, "spec.data": true, "spec.data.x": true, "spec.data[a.b/c]": true, "spec.any.thing": true,
		"spec.parts[a-1]": true, "spec.parts[0].port": true, "spec.parts[a-1].port": false, "spec.parts[]": false, "spec.parts.inner[a-1]": false,
		"": false, ".": false, "spec.nam": false, "spec.name.x": false, "spec.rules.prt": false, "spec.rules[x]": false, "spec.data.x.y": false, "name": false, "owner mark": false,
	} {
		if HasField(body, path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

func TestNearestPath(t *testing.T) {
	paths := FieldPaths(TypeFor[pathTree]())
	if want := strings.Fields("spec spec.name spec.rules spec.rules.port spec.rules.inner spec.data spec.any spec.parts spec.parts.port spec.parts.inner"); !slices.Equal(paths, want) {
		t.Errorf("got %v, want %v", paths, want)
	}
	for path, want := range map[string]string{"spec.nmae": "spec.name", "name": "spec.name", "spec.resource.prot": "spec.rules.port", "zzzzzzzzzz": ""} {
		if got := NearestPath(path, paths); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
