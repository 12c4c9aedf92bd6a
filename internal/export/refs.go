package export

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// refer puts names in place of the IDs that a spec refers to. What it refers to and is not
// to be adopted becomes an import. A reference to what cannot be seen is left out.
// With it goes the element of a list that it restricts (`ref:"Kind,restricts"`), or that
// cannot be without it.
// An element with an ID is left to the cloud then.
func (x *exporter) refer(one *item) {
	for {
		before := len(one.without)
		x.walk(one, reflect.ValueOf(one.spec).Elem(), "", one.kind.SpecPath)
		if len(one.without) == before {
			return
		}
		x.ask(one)
	}
}

// walk reports whether a value stands for something; references that cannot be followed
// do not. to is the tag of the reference, "" for none.
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
				x.leave(one, path, ids[i], "it names what the cloud does not show")
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
			x.note(one, path, fmt.Sprintf("names the %s %s, which the cloud does not show; it is left out, with what it restricts", of, v.String()))
		case !ok:
			x.note(one, path, fmt.Sprintf("names the %s %s, which the cloud does not show; it is left out", of, v.String()))
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

// restricts reports whether what a reference belongs to means more without it.
func restricts(options string) bool { return slices.Contains(strings.Split(options, ","), "restricts") }

// follow is the name of the manifest for what has that ID, or, where services name each
// other's objects instead, that name.
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

// importable reports whether an unmanaged manifest can stand for an object.
func importable(one *item) bool { return one.kind.SpecPath == "spec.resource" }
