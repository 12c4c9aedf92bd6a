package cloud

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// errNoID makes a list fail. If the object were left out, it would count as missing, and the agent would create another one.
var errNoID = errors.New("the answer has an object without an ID")

// idCheck returns a function that returns [errNoID] for an object of a list whose attribute id is null or empty. It looks at the type, so it is called once
// for a list. Types without the attribute need no ID. A map of attributes need not have it, but its value must not be empty.
func idCheck[T any]() func(T) error {
	lost := losesID[T]()
	return func(item T) error {
		if lost(item) {
			return errNoID
		}
		return nil
	}
}

func losesID[T any]() func(T) bool {
	t := reflect.TypeFor[T]()
	if t.Kind() == reflect.Map && t.Key().Kind() == reflect.String && t.Elem() == reflect.TypeFor[json.RawMessage]() {
		key := reflect.ValueOf("id").Convert(t.Key())
		return func(item T) bool {
			id := reflect.ValueOf(item).MapIndex(key)
			return id.IsValid() && (string(id.Bytes()) == "null" || string(id.Bytes()) == `""`)
		}
	}
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Type.Kind() == reflect.String && (name == "id" || name == "" && strings.EqualFold(f.Name, "id")) {
				return func(item T) bool { return reflect.ValueOf(item).FieldByIndex(f.Index).Len() == 0 }
			}
		}
	}
	return func(T) bool { return false }
}
