package kindtest

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
)

// edits returns the edits of the suite, and derived edits for all other fields whose declaration
// allows it. A derived edit changes the value of a field in the manifest. If the manifest leaves
// the field out, the edit sets a value, and is only planned.
func (s Suite) edits(t *testing.T) []Edit {
	t.Helper()
	edits := slices.Clone(s.Edits)
	if s.Partial {
		return edits
	}
	spec, above := s.spec(t)
	for _, f := range table.Fields(spec) {
		path := above + f.Path
		s.everyWay(t, edits, path, f)
		if s.names(path) {
			continue
		}
		e, ok := s.derived(path, f)
		if !ok {
			t.Errorf("no edit changes %s: none can be derived from its declaration, so write one, or say in Unseen why there is none", path)
			continue
		}
		edits = append(edits, e)
	}
	return edits
}

// names reports whether the suite has an edit of a field, or says in Unseen why there is none.
func (s Suite) names(path string) bool {
	for field := range s.Unseen {
		if strings.HasPrefix(path, field) {
			return true
		}
	}
	return slices.ContainsFunc(s.Edits, func(e Edit) bool { return strings.HasPrefix(path, e.Field) || strings.HasPrefix(e.Field, path) })
}

// spec returns the type of the kind's spec, and the path above its fields.
func (s Suite) spec(t *testing.T) (spec reflect.Type, above string) {
	t.Helper()
	for _, k := range s.Kinds(nil, defaults.Defaults{}) {
		if k.Info.Kind != s.Key.Kind {
			continue
		}
		body, _ := k.Body.Go().FieldByName("Spec")
		if resource, ok := body.Type.FieldByName("Resource"); ok {
			return resource.Type.Elem(), "spec.resource."
		}
		return body.Type, "spec."
	}
	t.Fatalf("no kind %s", s.Key.Kind)
	return nil, ""
}

const resourceLine = "  resource:\n"

func (s Suite) derived(path string, f table.Field) (Edit, bool) {
	e := Edit{Field: path, Replaces: f.Replaces}
	if !f.Plain || !f.Compared || strings.Contains(f.Path, ".") {
		return e, false
	}
	line := regexp.MustCompile(`(?m)^    ` + regexp.QuoteMeta(f.Path) + `: (.*)$`).FindStringSubmatch(s.Object)
	if line == nil {
		value := another(f.Type, f.Default)
		e.Old, e.New, e.PlanOnly = resourceLine, fmt.Sprintf("%s    %s: %s\n", resourceLine, f.Path, value), true
		return e, value != ""
	}
	value := another(f.Type, strings.Trim(line[1], `"`))
	e.Old, e.New = line[0], fmt.Sprintf("    %s: %s", f.Path, value)
	return e, value != ""
}

// another is a YAML value that differs from value; "" if none is known.
func another(t reflect.Type, value string) string {
	switch t.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(value != "true")
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return "1000"
		}
		return strconv.Itoa(n - 1)
	case reflect.String:
		return strings.TrimSpace(value + " another")
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "[" + strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(value, "]")+", another", "["), ", ") + "]"
		}
	}
	return ""
}
