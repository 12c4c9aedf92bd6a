package resolve

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// refsOf collects the references of a desired object: every string field of its spec (or import filter) that has a
// `ref:"Kind"` tag, in the order of the struct. The tag may have options:
//   - "order": the target only has to exist first.
//   - "late": the reference may be set after both objects exist.
//   - "reads": the object only reads values that the target shows.
//   - "credentials": the object is created with the target's entry of clouds.yaml.
//   - "restricts": for exports only.
//
// An expansion sets fields that no manifest can have (`json:"-"`). Their tag `from` names the field of the same struct that people have to change
// instead; "." is the struct itself. All references in such a field have the path of the named one.
//
// A reference is fixed if a field on the path to it has the rule "immutable". A reference of an object to itself is left out if it can be
// changed. The object need not wait for itself, and its driver sets the ID as soon as it is known.
func refsOf(d *kind.Desired, groups map[string]string) []kind.RefSpec {
	c := refCollector{namespace: d.Key.Namespace, groups: groups}
	if d.Spec != nil {
		c.walk(reflect.ValueOf(d.Spec), d.SpecPath, "", false, false)
	}
	if d.Import != nil && d.Import.Filter != nil {
		c.walk(reflect.ValueOf(d.Import.Filter), "spec.import.filter", "", false, false)
	}
	return slices.DeleteFunc(c.refs, func(r kind.RefSpec) bool { return r.Key == d.Key && !r.Fixed })
}

type refCollector struct {
	namespace string
	groups    map[string]string
	refs      []kind.RefSpec
}

func (c *refCollector) walk(v reflect.Value, path, tag string, fixed, derived bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			c.walk(v.Elem(), path, tag, fixed, derived)
		}
	case reflect.Slice:
		for i := range v.Len() {
			at := fmt.Sprintf("%s[%d]", path, i)
			if derived {
				at = path
			}
			c.walk(v.Index(i), at, tag, fixed, derived)
		}
	case reflect.Struct:
		c.walkStruct(v, path, fixed)
	case reflect.String:
		kindName, options, _ := strings.Cut(tag, ",")
		if kindName != "" && v.String() != "" {
			key := manifest.Key{Group: c.groups[kindName], Kind: kindName, Namespace: c.namespace, Name: v.String()}
			c.refs = append(c.refs, kind.RefSpec{Field: path, Key: key, Fixed: fixed, Order: manifest.HasOption(options, "order"), Credentials: manifest.HasOption(options, "credentials"), Reads: manifest.HasOption(options, "reads"), Late: manifest.HasOption(options, "late") && !fixed})
		}
	}
}

func (c *refCollector) walkStruct(v reflect.Value, path string, fixed bool) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		derived := name == "-"
		if derived {
			name = f.Tag.Get("from")
		}
		below := path
		if !f.Anonymous && name != "." {
			below += "." + name
		}
		c.walk(v.Field(i), below, f.Tag.Get("ref"), fixed || manifest.HasOption(f.Tag.Get("rule"), "immutable"), derived)
	}
}
