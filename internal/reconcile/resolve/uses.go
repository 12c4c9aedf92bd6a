package resolve

import (
	"reflect"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// UsesOf are the kinds of which objects of a kind can use some, as the `ref` tags of its manifests say, and
// whether by a fixed reference. What only reads the address of another object, as `ref:"Kind,reads"` says, does
// not use it; nor does what must only be there later (`ref:"Kind,order"`), except of a kind that judges others.
func UsesOf(k *kind.Kind) (fixed map[string]bool) {
	t := tags{uses: map[string]bool{}, seen: map[tagged]bool{}, judges: k.Info.ReportsHealth}
	t.walk(tagged{of: k.Body.Go()})
	return t.uses
}

type tags struct {
	uses   map[string]bool
	seen   map[tagged]bool // types can hold themselves
	judges bool
}

// tagged is a type as a field has it.
type tagged struct {
	of    reflect.Type
	tag   string
	fixed bool
}

func (t tags) walk(at tagged) {
	if at.of == nil || t.seen[at] {
		return
	}
	t.seen[at] = true
	switch at.of.Kind() {
	case reflect.Pointer, reflect.Slice:
		t.walk(tagged{at.of.Elem(), at.tag, at.fixed})
	case reflect.String:
		to, options, _ := strings.Cut(at.tag, ",")
		if to != "" && !manifest.HasOption(options, "reads") && (t.judges || !manifest.HasOption(options, "order")) {
			t.uses[to] = t.uses[to] || at.fixed && !manifest.HasOption(options, "order")
		}
	case reflect.Struct:
		for i := range at.of.NumField() {
			if f := at.of.Field(i); f.IsExported() {
				t.walk(tagged{f.Type, f.Tag.Get("ref"), at.fixed || manifest.HasOption(f.Tag.Get("rule"), "immutable")})
			}
		}
	}
}
