package resolve

import (
	"reflect"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// NameField is a field of a kind that contains the name of an object.
type NameField struct {
	Group, Kind string // the kind with the field; Group may be an alias group
	// Path is the path of the field in a document: spec/resource/networkRef. Lists have no part of their own in it.
	Path                    string
	TargetGroup, TargetKind string
}

// NameFields returns the fields of kinds that have a tag `ref:"…"`. Other tools need them to rename references. Kinds that are
// built at run time have no tags.
func NameFields(kinds []*kind.Kind) (list []NameField) {
	groups := map[string]string{}
	for _, k := range kinds {
		groups[k.Info.Kind] = k.Info.Group
	}
	for _, k := range kinds {
		if k.Body.Go() == nil {
			continue
		}
		collect := func(path, target string) {
			for _, gvk := range k.Info.Spellings() {
				f := NameField{gvk.Group, gvk.Kind, path, groups[target], target}
				if !slices.Contains(list, f) {
					list = append(list, f)
				}
			}
		}
		nameFields(k.Body.Go(), "", "", nil, collect)
	}
	return list
}

func nameFields(t reflect.Type, path, tag string, within []reflect.Type, found func(path, target string)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		nameFields(t.Elem(), path, tag, within, found)
	case reflect.String:
		if target, _, _ := strings.Cut(tag, ","); target != "" {
			found(path, target)
		}
	case reflect.Struct:
		if slices.Contains(within, t) {
			return
		}
		within = append(slices.Clip(within), t)
		for f := range fieldsIn(t) {
			below, name := path, strings.Split(f.Tag.Get("json"), ",")[0]
			if !f.Anonymous || name != "" {
				below = strings.TrimPrefix(path+"/"+name, "/")
			}
			if name != "-" && below != "status" {
				nameFields(f.Type, below, f.Tag.Get("ref"), within, found)
			}
		}
	}
}

func fieldsIn(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && !yield(f) {
				return
			}
		}
	}
}
