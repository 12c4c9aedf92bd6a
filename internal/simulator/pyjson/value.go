// Package pyjson parses JSON as the Python services do. Objects preserve the order of their keys, and values are
// formatted as in Python. The errors of schemas have the texts of the library jsonschema, because Nova and
// Cinder show them to their clients.
//
// The package contains nothing about a single service or about HTTP.
package pyjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Object is a JSON object that remembers the order of its keys.
type Object struct {
	keys []string
	at   map[string]any
}

// Get finds a member; a nil object has none.
func (o *Object) Get(key string) (any, bool) {
	if o == nil {
		return nil, false
	}
	v, ok := o.at[key]
	return v, ok
}

// Keys are the names of the members in their order.
func (o *Object) Keys() []string {
	if o == nil {
		return nil
	}
	return o.keys
}

// Object returns a member that is an object, or nil.
func (o *Object) Object(key string) *Object {
	v, _ := o.Get(key)
	member, _ := v.(*Object)
	return member
}

// List returns a member that is an array, or nil.
func (o *Object) List(key string) []any {
	v, _ := o.Get(key)
	list, _ := v.([]any)
	return list
}

// Text returns a member as text: strings unchanged, numbers as written,
// anything else as "".
func (o *Object) Text(key string) string {
	v, _ := o.Get(key)
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// Has reports whether a member exists, even if it is null.
func (o *Object) Has(key string) bool {
	_, ok := o.Get(key)
	return ok
}

// Parse reads one JSON value: nil, bool, json.Number, string, []any or *Object.
func Parse(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := read(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// depthLimit is about the depth at which Python's decoder fails.
const depthLimit = 900

func read(d *json.Decoder, depth int) (any, error) {
	if depth > depthLimit {
		return nil, errors.New("nested too deeply")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return readObject(d, depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := read(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}

func readObject(d *json.Decoder, depth int) (any, error) {
	o := &Object{at: map[string]any{}}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("key %v is no string", t)
		}
		v, err := read(d, depth+1)
		if err != nil {
			return nil, err
		}
		if _, again := o.at[key]; !again {
			o.keys = append(o.keys, key)
		}
		o.at[key] = v
	}
	_, err := d.Token()
	return o, err
}

// Repr formats a value as Python's repr does.
func Repr(v any) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

// Str formats a value as Python's str does: a string has no quotes.
func Str(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return Repr(v)
}

func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		if v {
			b.WriteString("True")
		} else {
			b.WriteString("False")
		}
	case string:
		quote(b, v)
	case []any:
		writeList(b, v)
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		writeList(b, list)
	case *Object:
		b.WriteByte('{')
		for i, key := range v.keys {
			if i > 0 {
				b.WriteString(", ")
			}
			quote(b, key)
			b.WriteString(": ")
			write(b, v.at[key])
		}
		b.WriteByte('}')
	default:
		fmt.Fprint(b, v)
	}
}

func writeList(b *strings.Builder, list []any) {
	b.WriteByte('[')
	for i, item := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, item)
	}
	b.WriteByte(']')
}

func quote(b *strings.Builder, s string) {
	mark := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = '"'
	}
	b.WriteRune(mark)
	for _, r := range s {
		switch {
		case r == mark || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(b, `\x%02x`, r)
		case !unicode.IsPrint(r) && r <= 0xffff:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteRune(mark)
}

// Plain converts objects to map[string]any, for code that expects the types of encoding/json.
func Plain(v any) any {
	switch v := v.(type) {
	case *Object:
		out := make(map[string]any, len(v.keys))
		for _, key := range v.keys {
			out[key] = Plain(v.at[key])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = Plain(item)
		}
		return out
	}
	return v
}
