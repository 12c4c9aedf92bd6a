package export

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// leftOut splits the path of a refused value into the part that is left out and the rest. The part that is left
// out is the innermost list item that contains the value, or else the field of the spec.
func (i *item) leftOut(path string) (at, within string) {
	for end := len(path); end >= 0; end = strings.LastIndexByte(path[:end], ']') {
		at, within = path[:end], strings.TrimPrefix(path[end:], "]")
		if end < len(path) {
			at += "]"
		}
		if _, isItem := listOf(at); isItem && i.value(at).IsValid() {
			return at, strings.TrimPrefix(within, ".")
		}
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}

// listOf returns the list of an item such as dns[1]. ok is false if the path is not that of an item.
func listOf(at string) (list string, ok bool) {
	open := strings.LastIndexByte(at, '[')
	if open < 0 || !strings.HasSuffix(at, "]") {
		return "", false
	}
	_, err := strconv.ParseUint(at[open+1:len(at)-1], 10, 31)
	return at[:open], err == nil
}

// value returns the value at a path of the spec, or the zero value if there is none.
func (i *item) value(path string) reflect.Value {
	v := reflect.ValueOf(i.spec)
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		number, isItem := strings.CutPrefix(step, "[")
		at, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
		switch {
		case isItem && v.Kind() == reflect.Slice && err == nil && at < v.Len():
			v = v.Index(at)
		case !isItem && v.Kind() == reflect.Struct:
			v = called(v, step)
		default:
			return reflect.Value{}
		}
	}
	return v
}

// called returns the field of a struct that has this name in manifests, or the zero value if there is none.
func called(v reflect.Value, name string) reflect.Value {
	for _, f := range reflect.VisibleFields(v.Type()) {
		if as, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && as == name {
			if field, err := v.FieldByIndexErr(f.Index); err == nil {
				return field
			}
		}
	}
	return reflect.Value{}
}

// idAt returns the ID of the cloud object that a list element describes, or "" if its kind does not report the
// ID.
func (i *item) idAt(at string) string {
	list, _ := listOf(at)
	n, err := strconv.Atoi(at[len(list)+1 : len(at)-1])
	if ids := i.export.IDs[i.kind.SpecPath+"."+list]; err == nil && n < len(ids) {
		return ids[n]
	}
	return ""
}

// ignored returns the value of the annotation ignore-fields: fields, and list elements with their IDs. If there
// are more paths than an annotation may contain, it contains the outermost lists instead.
func (i *item) ignored() []string {
	paths := slices.Concat(i.ignore, i.without)
	for _, left := range i.export.LeftToCloud {
		paths = append(paths, left.Field)
	}
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) <= resolve.MaxIgnored {
		return paths
	}
	spec := i.kind.SpecPath + "."
	for n, path := range paths {
		if at := strings.IndexAny(strings.TrimPrefix(path, spec), ".["); at > 0 && strings.Contains(path, "[") {
			paths[n] = path[:len(path)-len(strings.TrimPrefix(path, spec))+at]
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// takeOut removes from the lists of the spec the items that are left out.
func (x *exporter) takeOut(one *item) {
	if len(one.without) == one.known {
		one.takeOut()
		return
	}
	x.ask(one)
	x.replaceIDs(one)
	one.faulty = nil
	placed := func(field string) bool { return strings.Contains(field, "[") } // the indexes of such fields have changed
	x.notes = slices.DeleteFunc(x.notes, func(n Note) bool {
		return n.ID == one.live.ID && placed(n.Field) && slices.Contains(one.ignore, n.Field)
	})
	one.ignore = slices.DeleteFunc(one.ignore, placed)
}

// takeOut removes the faulty items from the lists of the spec, the last item of a list first.
func (i *item) takeOut() {
	slices.SortFunc(i.faulty, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(b, a)
	})
	for _, at := range i.faulty {
		path, _ := listOf(at)
		list := i.value(path)
		n, err := strconv.Atoi(at[len(path)+1 : len(at)-1])
		if err != nil || !list.IsValid() || n >= list.Len() {
			continue // the item was removed together with another one
		}
		list.Set(reflect.AppendSlice(list.Slice3(0, n, n), list.Slice(n+1, list.Len())))
	}
	i.faulty = nil
}
