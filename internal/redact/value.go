package redact

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Value removes secrets from a value of a type to which JSON is decoded. The type stays the same. A key of a map
// is treated as a value, unless own reports that the key is a name of this program. If own is nil, all keys are
// treated as values. Two different keys stay different. A value of another type is returned unchanged, and ok is
// false.
func (r *Redactor) Value(v any, own func(key string) bool) (shown any, ok bool) {
	switch v := v.(type) {
	case nil, bool, int, float64, json.Number:
		return v, true
	case string:
		return r.Text(v), true
	case []string:
		return r.Texts(v), true
	case []any:
		list, all := slices.Clone(v), true
		for i := range list {
			list[i], ok = r.Value(list[i], own)
			all = all && ok
		}
		return list, all
	case map[string]string:
		return inMap(r, v, own, func(text string) (string, bool) { return r.Text(text), true })
	case map[string]any:
		return inMap(r, v, own, func(item any) (any, bool) { return r.Value(item, own) })
	}
	return v, false
}

// Texts returns the texts that may be shown.
func (r *Redactor) Texts(list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = r.Text(list[i])
	}
	return list
}

func inMap[V any](r *Redactor, m map[string]V, own func(string) bool, value func(V) (V, bool)) (map[string]V, bool) {
	if m == nil {
		return nil, true
	}
	out, all := make(map[string]V, len(m)), true
	var hidden []string
	for key, v := range m {
		v, ok := value(v)
		all = all && ok
		if own == nil || !own(key) {
			if !r.Clean(key) {
				hidden = append(hidden, key)
				continue
			}
		}
		out[key] = v
	}
	slices.Sort(hidden)
	for _, key := range hidden {
		out[unused(out, r.Text(key))], _ = value(m[key])
	}
	return out, all
}

// unused returns a key that the map does not contain.
func unused[V any](m map[string]V, key string) string {
	free := key
	for n := 2; ; n++ {
		if _, taken := m[free]; !taken {
			return free
		}
		free = fmt.Sprintf("%s %d", key, n)
	}
}
