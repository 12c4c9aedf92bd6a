package export

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// replaceIDs replaces the IDs in a spec by names. If a referenced object is not adopted, it becomes an import. A
// reference to an object that the cloud does not show is left out. If the reference restricts its list element
// (`ref:"Kind,restricts"`), or if the element requires it, the whole element is left out. If such an element has
// an ID, the annotation ignore-fields then contains it.
func (x *exporter) replaceIDs(one *item) {
	for {
		before := len(one.without)
		x.walk(one, reflect.ValueOf(one.spec).Elem(), "", one.kind.SpecPath)
		if len(one.without) == before {
			return
		}
		x.ask(one)
	}
}

// walk reports whether a value can stay in the spec, which a reference without a target cannot. The argument to is the tag of
// the reference, or "" if the value is not a reference.
func (x *exporter) walk(one *item, v reflect.Value, to, path string) (stands bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !x.walk(one, v.Elem(), to, path) {
			v.SetZero()
			return false
		}
	case reflect.Slice:
		kept, ids := v.Len(), slices.Clone(one.export.IDs[path])
		for i := 0; i < kept; {
			if x.walk(one, v.Index(i), to, fmt.Sprintf("%s[%d]", path, i)) {
				i++
				continue
			}
			if i < len(ids) {
				x.ignoreElement(one, path, ids[i], "it names an object that the cloud does not show")
				ids = slices.Delete(ids, i, i+1)
			}
			reflect.Copy(v.Slice(i, kept), v.Slice(i+1, kept))
			kept--
		}
		if kept < v.Len() {
			v.SetLen(kept)
		}
	case reflect.Struct:
		return x.walkStruct(one, v, path)
	case reflect.String:
		if to == "" || v.String() == "" {
			return true
		}
		of, options, _ := strings.Cut(to, ",")
		name, ok := x.follow(of, v.String())
		switch {
		case !ok && restricts(options):
			x.note(one, path, fmt.Sprintf("names the %s %s, which the cloud does not show; the reference is not written, and neither is the rule that it restricts", of, v.String()))
		case !ok:
			x.note(one, path, fmt.Sprintf("names the %s %s, which the cloud does not show; the reference is not written", of, v.String()))
		}
		v.SetString(name)
		return ok
	}
	return true
}

func (x *exporter) walkStruct(one *item, v reflect.Value, path string) (stands bool) {
	stands = true
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		below := path
		if !f.Anonymous {
			below += "." + name
		}
		to := f.Tag.Get("ref")
		_, options, _ := strings.Cut(to, ",")
		ok := x.walk(one, v.Field(i), to, below)
		required := manifest.HasOption(f.Tag.Get("rule"), "required")
		stands = stands && (ok || !required && !restricts(options))
	}
	return stands
}

// restricts reports whether an element would apply to more objects without its reference.
func restricts(options string) bool { return slices.Contains(strings.Split(options, ","), "restricts") }

// follow returns the name of the manifest for an ID. Some services refer to objects by name, so id may also be a
// name.
func (x *exporter) follow(to, id string) (name string, ok bool) {
	target := x.byID[to][id]
	if target == nil {
		target = x.byName[to][id]
	}
	if target == nil || !target.managed && !importable(target) {
		return "", false
	}
	target.wanted = true
	return target.name, true
}

// importable reports whether an unmanaged manifest can describe an object.
func importable(one *item) bool { return one.kind.SpecPath == "spec.resource" }
