package typed

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Other objects depend on some fields, such as rules that allow traffic. A change that removes all or most of
// such a field harms those objects as much as a deletion of this object would. The tag `cuts:"…"` of the field
// says what no longer works after such a change:
//
//	Rules []Rule `json:"rules,omitempty" … cuts:"no traffic is allowed any more"`

// setCuts sets Cuts of the changes, from the tags of the spec's fields; path is the path of the spec.
func setCuts(changes []kind.Change, spec reflect.Type, path string) {
	for i := range changes {
		change := &changes[i]
		name, below := strings.CutPrefix(change.Field, path+".")
		if !below || change.Cuts != "" || change.Secret {
			continue
		}
		if text := cutText(spec, name); text != "" {
			change.Cuts = emptiedText(change.Have, change.Want, text)
		}
	}
}

// cutText returns the text of the tag `cuts:"…"` of the field at a path in a spec. It returns "" if the field has no such tag, or does not exist.
func cutText(spec reflect.Type, path string) string {
	for spec.Kind() == reflect.Pointer || spec.Kind() == reflect.Slice {
		spec = spec.Elem()
	}
	if spec.Kind() != reflect.Struct {
		return ""
	}
	first, rest, below := strings.Cut(path, ".")
	name, _, _ := strings.Cut(first, "[")
	for i := range spec.NumField() {
		f := spec.Field(i)
		json, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case json == name && below:
			return cutText(f.Type, rest)
		case json == name && name == first:
			return f.Tag.Get("cuts")
		case f.Anonymous && json == "":
			if text := cutText(f.Type, path); text != "" {
				return text
			}
		}
	}
	return ""
}

// emptiedText returns text, which says what no longer works, if a value loses all or most of its content;
// otherwise "".
func emptiedText(have, want any, text string) string {
	h, w := valueOf(have), valueOf(want)
	switch {
	case !h.IsValid() || h.IsZero():
		return ""
	case h.Kind() == reflect.Bool:
		if w.IsValid() && w.Kind() == reflect.Bool && !w.Bool() {
			return text
		}
	case h.Kind() == reflect.String:
		if !w.IsValid() || w.Kind() == reflect.String && w.Len() == 0 {
			return text
		}
	case h.Kind() == reflect.Slice && h.Len() > 0:
		if !w.IsValid() || w.Kind() == reflect.Slice && w.Len() == 0 {
			return text
		}
		if w.Kind() != reflect.Slice {
			return ""
		}
		if lost := h.Len() - countCommon(h, w); lost*2 > h.Len() && w.Len()*2 < h.Len() {
			return fmt.Sprintf("%d of %d removed, which %s for most users", lost, h.Len(), text)
		}
	}
	return ""
}

func valueOf(x any) reflect.Value {
	v := reflect.ValueOf(x)
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// countCommon counts the items of list that other contains, too.
func countCommon(list, other reflect.Value) (n int) {
	there := map[string]int{}
	for i := range other.Len() {
		there[fmt.Sprint(other.Index(i).Interface())]++
	}
	for i := range list.Len() {
		if text := fmt.Sprint(list.Index(i).Interface()); there[text] > 0 {
			there[text]--
			n++
		}
	}
	return n
}
