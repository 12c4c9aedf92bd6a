package resolve

import (
	"reflect"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// UsesOf returns the kinds that objects of a kind can use, according to the `ref` tags of its manifests. The value is true if the reference
// is fixed. An object that only reads values of another one (`ref:"Kind,reads"`) does not use it. If the target only has to exist first
// (`ref:"Kind,order"`), only kinds that report the health of others use it.
func UsesOf(k *kind.Kind) (fixed map[string]bool) {
	t := tags{uses: map[string]bool{}, seen: map[tagged]bool{}, judges: k.Info.ReportsHealth}
	t.walk(tagged{of: k.Body.Go()})
	return t.uses
}

type tags struct {
	uses   map[string]bool
	seen   map[tagged]bool // types that were visited, because types can contain themselves
	judges bool
}

// tagged is the type of a field, with its tags.
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
