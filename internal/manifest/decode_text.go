package manifest

import (
	"encoding"
	"encoding/json"
	"reflect"

	"go.yaml.in/yaml/v3"
)

func (d *decoder) jsonText(n *yaml.Node, s spot, v reflect.Value) {
	value, ok := d.free(n, s)
	if !ok {
		return
	}
	text, ok := d.encode(value, s)
	if !ok {
		return
	}
	if err := v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text); err != nil {
		d.refused(s, n, err)
	}
}

func (d *decoder) textual(n *yaml.Node, s spot, v reflect.Value) {
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Value)); err != nil {
		d.refused(s, n, err)
	}
}

func (d *decoder) encode(value any, s spot) ([]byte, bool) {
	text, err := json.Marshal(value)
	if err != nil {
		d.wrong(s, "cannot be written as JSON", "")
	}
	return text, err == nil
}
