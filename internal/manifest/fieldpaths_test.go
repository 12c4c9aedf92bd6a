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

// TestWhole uses paths into values that are compared as one value: lists whose elements are not compared one by
// one, and structures with the rule whole.
func TestWhole(t *testing.T) {
	body := TypeFor[struct {
		Spec struct {
			Name  string
			Rules []struct{ Port int } `json:"rules"`
			Parts []struct {
				Port int `json:"port"`
				Time struct {
					From int `json:"from"`
				} `json:"time" rule:"whole"`
				Inner []struct {
					ID   string `json:"id"`
					Port int    `json:"port"`
				} `json:"inner" rule:"objects"`
			} `json:"parts" rule:"apart"`
			Gate struct {
				IP string `json:"ip"`
			} `json:"gate" rule:"whole"`
			Host struct {
				ID string `json:"id"`
			} `json:"host"`
		} `json:"spec"`
	}]()
	for path, want := range map[string]string{
		"spec.rules": "", "spec.rules[0]": "spec.rules", "spec.rules[0].port": "spec.rules", "spec.rules.port": "spec.rules",
		"spec.parts": "", "spec.parts[0]": "", "spec.parts[0].port": "", "spec.parts.port": "", "spec.parts[1].inner": "", "spec.parts[1].inner[a-1]": "",
		"spec.parts[1].inner[0].port": "spec.parts[1].inner", "spec.parts.inner.port": "spec.parts.inner", "spec.parts[2].time.from": "spec.parts[2].time",
		"spec.gate": "", "spec.gate.ip": "spec.gate", "spec.host.id": "", "spec.unknown.x": "",
	} {
		if got := Whole(body, path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{"spec.parts[1].inner[a-1]": "spec.parts.inner[a-1]", "spec.parts[1].inner[0]": "", "spec.rules[x]": "", "spec.parts.inner[a-1]": "spec.parts.inner[a-1]"} {
		if got := Element(body, path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
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
