package resolve

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// AnnotationValues lists exactly the values that are accepted.
func TestAnnotationValues(t *testing.T) {
	values := AnnotationValues()
	for name := range Annotations() {
		read := func(value string) []manifest.Problem {
			obj, err := manifest.NewObject(manifest.Key{Kind: "Thing", Name: "a"}, "v1", manifest.Origin{}, map[string]string{name: value}, map[string]any{})
			if err != nil {
				t.Fatal(err)
			}
			d := kind.NewDesired(&obj)
			return readOptions(&d)
		}
		for _, value := range values[name] {
			if problems := read(value); len(problems) > 0 {
				t.Errorf("%s: %s is refused: %v", name, value, problems)
			}
		}
		if free := len(read("spec.some.thing")) == 0; free != (values[name] == nil) {
			t.Errorf("%s takes any text: %v; a choice is listed: %v", name, free, values[name] != nil)
		}
	}
}
