package table

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// pairsOf is the map for a list of pairs: structs whose first field is the name and whose second
// one is the value. It is never nil.
func pairsOf(list reflect.Value) map[string]string {
	out := make(map[string]string, list.Len())
	for i := range list.Len() {
		pair := list.Index(i)
		out[pair.Field(0).String()] = pair.Field(1).String()
	}
	return out
}

// decodePairs reads a map into a list of pairs, sorted by name.
func decodePairs(text json.RawMessage, into reflect.Value) error {
	var all map[string]string
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	into.Set(reflect.MakeSlice(into.Type(), len(all), len(all)))
	for i, name := range slices.Sorted(maps.Keys(all)) {
		into.Index(i).Field(0).SetString(name)
		into.Index(i).Field(1).SetString(all[name])
	}
	return nil
}
