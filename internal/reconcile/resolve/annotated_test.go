package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// Annotations of objects are accepted or refused. The message of a refusal contains the text in want.
func TestWhatAnnotationsMaySay(t *testing.T) {
	many := func(n int, text string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(text, i)
		}
		return strings.Join(list, ",")
	}
	for _, c := range []struct {
		name string
		repo []string
		want string // text of the mistake; "" if there is none
	}{
		{"a name before", []string{"a moved-from=Thing/b"}, ""},
		{"ten names before", []string{"a moved-from=" + many(10, "Thing/b%d")}, ""},
		{"eleven names before", []string{"a moved-from=" + many(11, "Thing/b%d")}, "has 11 names"},
		{"no kind before", []string{"a moved-from=b"}, `is "b"`},
		{"no name before", []string{"a moved-from=Thing/B_B"}, `is "Thing/B_B"`},
		{"another kind before", []string{"a moved-from=Other/b"}, "names another kind"},
		{"its own name before", []string{"a moved-from=Thing/a"}, "is the present name of the object"},
		{"a name that is still there", []string{"a moved-from=Thing/b", "b"}, "still in the repository"},
		{"a name that is only used", []string{"a moved-from=Thing/b", "b import=x"}, ""},
		{"a name that two take over", []string{"a moved-from=Thing/b", "c moved-from=Thing/b"}, "and so does Thing/a"},
		{"a name before, of what is only used", []string{"a import=x moved-from=Thing/b"}, "given for an unmanaged object"},
		{"a field is left alone", []string{"a ignore-fields=spec.resource.colour"}, ""},
		{"a field that is none", []string{"a ignore-fields=spec.resource.color"}, "is not a field of Thing"},
		{"two fields, one of them none", []string{"a ignore-fields=spec.resource.colour,spec.resource.color"}, "is not a field of Thing"},
		{"a field of what is only used", []string{"a import=x ignore-fields=spec.resource.colour"}, ""},
		{"too many fields", []string{"a ignore-fields=" + many(200, "spec.resource.f%d")}, "names more than"},
		{"adopted by its name", []string{"a take=true"}, ""},
		{"not adopted", []string{"a take=false"}, ""},
		{"adopted by nothing", []string{"a take="}, "is empty"},
		{"adopted twice", []string{"a take=true adopt=id-1"}, "given together with spec.import"},
		{"adopted, and only used", []string{"a take=true import=x"}, "given for an unmanaged object"},
		{"a choice that is none", []string{"a suspend=maybe"}, `is "maybe"`},
		{"a way for a field that is none", []string{"a change-policy=nothing=replace"}, "but no field nothing of Thing has such a choice"},
		{"a way that is none", []string{"a change-policy=spec.resource.weight=magic"}, "is not a possible way to change"},
		{"two ways", []string{"a change-policy=spec.resource.weight=magic,spec.resource.weight=sorcery"}, "is not a possible way to change"},
		{"too many ways", []string{"a change-policy=" + many(60, "f%d=x")}, "has more than 50 entries"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := thingtest.New().Wanted(c.repo...)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
