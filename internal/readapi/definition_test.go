package readapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/report"
)

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// Programs that show only kinds with a CustomResourceDefinition find one for each kind. They can read the kind by the names in it.
func TestDefinitions(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	newer := thingNamed("b", "in sync")
	newer.gvk = manifest.GroupVersionKind{Group: thing.Group, Version: "v2", Kind: thing.Kind}
	s.shows(thingNamed("a", "in sync"), newer)
	ask := served(t, s)
	code, text := ask(http.MethodGet, definitionsPath, "")
	var list struct {
		Items []struct {
			Metadata struct{ Name, Namespace, UID string }
			Spec     struct {
				Group, Scope string
				Names        struct{ Plural, Singular, Kind string }
				Versions     []struct {
					Name            string
					Served, Storage bool
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil || code != http.StatusOK {
		t.Fatal(code, err)
	}
	stored, seen := 0, map[string]bool{}
	for _, i := range list.Items {
		seen[i.Metadata.Name] = true
		if i.Metadata.Name != i.Spec.Names.Plural+"."+i.Spec.Group || i.Metadata.Namespace != "" || i.Metadata.UID == "" || i.Spec.Scope != "Namespaced" {
			t.Errorf("%+v", i)
		}
		for _, v := range i.Spec.Versions {
			if v.Storage {
				stored++
			}
			if code, _ := ask(http.MethodGet, "/apis/"+i.Spec.Group+"/"+v.Name+"/namespaces/prod/"+i.Spec.Names.Plural, ""); code != http.StatusOK || !v.Served {
				t.Errorf("%s of %s is answered %d", v.Name, i.Metadata.Name, code)
			}
		}
	}
	if len(seen) != len(list.Items) || stored != len(list.Items) || len(list.Items) != 4 || !seen["things.example.com"] || !seen["stacks.stackreeve.dev"] {
		t.Errorf("%d versions are stored of %v", stored, seen)
	}
	if code, text := ask(http.MethodGet, definitionsPath+"/things.example.com", ""); code != http.StatusOK || !strings.Contains(text, `"v2"`) {
		t.Errorf("%d %s", code, text)
	}
	if _, ok := s.Index(everywhere); ok {
		t.Error("definitions are taken for a stack")
	}
}

// Definitions are added and removed together with the kinds that revisions define. All other definitions are
// unchanged.
func TestDefinitionsStay(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	before := s.items(s.at(""), definitionGVK)
	s.shows(thingNamed("a", "in sync"))
	with := s.items(s.at(""), definitionGVK)
	s.Ran(report.Run{Stack: "prod", Started: time.Unix(2, 0), Pass: nil})
	after := s.items(s.at(""), definitionGVK)
	if len(before) != 3 || len(with) != 4 || len(after) != 4 {
		t.Fatalf("there are %d, %d and %d", len(before), len(with), len(after))
	}
	for n := range after {
		if with[n].version != after[n].version {
			t.Errorf("%s has changed", after[n].name)
		}
	}
	s.shows()
	if left := s.items(s.at(""), definitionGVK); len(left) != 3 || left[0].version != before[0].version {
		t.Errorf("%d are left", len(left))
	}
}

// If the plural of a kind is already used, the kind gets another plural. So the author of a Definition cannot
// take the plural of another kind.
func TestAttackAKindTakesThePlural(t *testing.T) {
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	list := []string{}
	var items []draft
	for _, k := range []string{"Passe", "Pass", "Berrie", "Berry"} {
		i := thingNamed(strings.ToLower(k), "in sync")
		i.gvk = manifest.GroupVersionKind{Group: thing.Group, Version: thing.Version, Kind: k}
		items = append(items, i)
	}
	s.shows(items...)
	ask := served(t, s)
	seen := map[string]string{}
	for _, r := range s.resources() {
		if r.Group != thing.Group {
			continue
		}
		if other, taken := seen[r.plural]; taken {
			t.Errorf("%s and %s are both %s", r.Kind, other, r.plural)
		}
		seen[r.plural] = r.Kind
		code, text := ask(http.MethodGet, "/apis/"+r.APIVersion()+"/namespaces/prod/"+r.plural, "")
		if code != http.StatusOK || !strings.Contains(text, `"kind":"`+r.Kind+`List"`) {
			t.Errorf("%s: %d %s", r.plural, code, text)
		}
		list = append(list, r.plural)
	}
	if seen["passes"] != "Pass" || seen["berries"] != "Berrie" || len(list) != 4 {
		t.Errorf("%v", seen)
	}
}
