package resolve

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// findForgedMarks finds the fields of an object that would look like a mark, or like a part of one, in the cloud. With such fields, a manifest could
// create an object that another stack would mistake for its own. Secrets are not checked, because they are not stored where marks are
// searched. Import filters are not checked, because they only find objects.
func findForgedMarks(d *kind.Desired) []manifest.Problem {
	f := forgedMarks{}
	f.text("metadata.name", d.Key.Name, "another name")
	if d.Spec != nil {
		f.walk(reflect.ValueOf(d.Spec), d.SpecPath)
	}
	return f.report.Problems(d.Object)
}

type forgedMarks struct{ report kind.Report }

func (f *forgedMarks) text(field, text, fix string) {
	if ownertext.LooksLikeMark(text) {
		f.report.Problem(field, fmt.Sprintf("looks like an owner mark (%s…:), by which stacks find their objects", ownertext.Word), "use "+fix+" without "+ownertext.Prefix)
	}
}

// walk checks every text below v, which may be of any type.
func (f *forgedMarks) walk(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			f.walk(v.Elem(), path)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			f.text(path, string(v.Bytes()), "a value")
			break
		}
		for i := range v.Len() {
			f.walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		f.walkMap(v, path)
	case reflect.Struct:
		f.walkStruct(v, path)
	case reflect.String:
		f.text(path, v.String(), "a value")
	}
}

func (f *forgedMarks) walkMap(v reflect.Value, path string) {
	fields := v.Type() == reflect.TypeFor[manifest.Fields]()
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		below := path
		if fields {
			below += "." + key.String()
		} else if key.Kind() == reflect.String {
			below += "[" + key.String() + "]"
			if ownertext.ReservedKey(key.String()) {
				f.report.Problem(below, "is reserved for the owner mark", "choose another key")
			}
			f.text(below, key.String(), "a key")
		}
		f.walk(v.MapIndex(key), below)
	}
}

func (f *forgedMarks) walkStruct(v reflect.Value, path string) {
	t := v.Type()
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() || manifest.HasOption(field.Tag.Get("rule"), "secret") {
			continue
		}
		below := path
		if !field.Anonymous {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			below += "." + name
		}
		f.walk(v.Field(i), below)
	}
}
