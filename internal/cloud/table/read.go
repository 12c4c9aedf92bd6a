package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Attributes are the undecoded attributes of an object in an answer.
type Attributes map[string]json.RawMessage

// Read fills the struct that into points to from an answer. Fields that the answer does not have
// stay unchanged.
func Read(answer Attributes, into any) error {
	v := reflect.ValueOf(into).Elem()
	return readFields(answer, rowsOf(v.Type()), v)
}

func readFields(answer Attributes, rows []row, into reflect.Value) error {
	for i := range rows {
		r := &rows[i]
		if r.attr == "" || r.unread {
			continue
		}
		text, err := find(answer, r.read)
		if err == nil && text != nil {
			err = r.decode(text, r.place(into))
		}
		if err != nil {
			return fmt.Errorf("attribute %s: %w", r.attr, err)
		}
	}
	return nil
}

// find is the attribute at a path. It is nil if the attribute is absent or null, or if Nova sends
// an empty text in place of an object.
func find(answer Attributes, path []string) (json.RawMessage, error) {
	text := answer[path[0]]
	switch {
	case len(text) == 0 || string(text) == "null" || len(path) > 1 && string(text) == `""`:
		return nil, nil
	case len(path) == 1:
		return text, nil
	}
	var below Attributes
	if err := json.Unmarshal(text, &below); err != nil {
		return nil, err
	}
	return find(below, path[1:])
}

// standsForItself reports whether a value, which is valid JSON, is a text without escapes.
func standsForItself(text json.RawMessage) bool {
	return text[0] == '"' && bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text)
}

// decode reads a value. The fields of a struct have the names of the API in their tags.
func (r *row) decode(text json.RawMessage, into reflect.Value) error {
	if r.pairs {
		return decodePairs(text, into)
	}
	if into.Kind() == reflect.Bool && text[0] == '"' { // a flag in words: "True", "false", ""
		into.SetBool(strings.EqualFold(string(text), `"true"`))
		return nil
	}
	if own, ok := into.Addr().Interface().(*string); ok && standsForItself(text) { // as most texts are: a decoder for each costs more than the rest of a list
		*own = string(text[1 : len(text)-1])
		return nil
	}
	if r.below == nil {
		return json.Unmarshal(text, into.Addr().Interface())
	}
	if into.Kind() == reflect.Struct {
		var fields Attributes
		if err := json.Unmarshal(text, &fields); err != nil {
			return err
		}
		return readFields(fields, r.below, into)
	}
	var list []Attributes
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	into.Set(reflect.MakeSlice(into.Type(), len(list), len(list)))
	for i, fields := range list {
		if err := readFields(fields, r.below, into.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// parse reads a value in a tag.
func (r *row) parse(text string) reflect.Value {
	v := reflect.New(r.typ).Elem()
	switch r.typ.Kind() {
	case reflect.Bool:
		v.SetBool(text == "true")
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			panic(fmt.Sprintf("table: %s: %v", r.path, err))
		}
		v.SetInt(int64(n))
	default:
		v.SetString(text)
	}
	return v
}
