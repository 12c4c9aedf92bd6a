package manifest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Body is a document without its head that is in no file. Several objects can share one Body.
type Body struct {
	root *yaml.Node
	// Values is the number of its values; Bytes is their total length.
	Values, Bytes int
}

// NewBody makes the document of a struct or a map, as in struct{ Spec NetworkSpec `json:"spec"` }. The document has the
// fields that encoding/json would write. Its strings are shared with from, not copied. The line of every value is the
// given line.
func NewBody(from any, line int) (*Body, error) {
	b := bodyMaker{line: line}
	root, err := b.node(reflect.ValueOf(from))
	if err != nil {
		return nil, err
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("the body must be a struct or a map, got %T", from)
	}
	b.made.root = root
	return &b.made, nil
}

// Object makes an object whose document is the body.
func (b *Body) Object(key Key, apiVersion string, origin Origin, annotations map[string]string) Object {
	return Object{Key: key.normal(), APIVersion: apiVersion, Origin: origin, Annotations: annotations, body: b.root}
}

type bodyMaker struct {
	line int
	made Body
}

var (
	jsonMarshalerType = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// node returns the node that the JSON parser would return for the value's JSON. Common types are converted directly,
// without JSON.
func (b *bodyMaker) node(v reflect.Value) (*yaml.Node, error) {
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	if v.IsValid() && (v.Type().Implements(jsonMarshalerType) || v.Type().Implements(textMarshalerType)) {
		return b.encoded(v)
	}
	switch v.Kind() {
	case reflect.Invalid:
		return b.scalar(tagNull, "null", 0), nil
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return b.scalar(tagNull, "null", 0), nil
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return b.node(v.Elem())
	case reflect.String:
		if utf8.ValidString(v.String()) {
			return b.scalar(tagString, v.String(), yaml.DoubleQuotedStyle), nil
		}
	case reflect.Bool:
		return b.scalar(tagBool, strconv.FormatBool(v.Bool()), 0), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return b.scalar(tagInt, strconv.FormatInt(v.Int(), 10), 0), nil
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return b.list(v)
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String && !v.Type().Key().Implements(textMarshalerType) {
			return b.mapping(v)
		}
	case reflect.Struct:
		if fields, ok := plainFields(v.Type(), nil); ok {
			return b.structure(v, fields)
		}
	}
	return b.encoded(v)
}

func (b *bodyMaker) scalar(tag, value string, style yaml.Style) *yaml.Node {
	b.made.Values++
	b.made.Bytes += len(value)
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value, Style: style, Line: b.line}
}

func (b *bodyMaker) list(v reflect.Value) (*yaml.Node, error) {
	b.made.Values++
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: tagSeq, Line: b.line, Content: make([]*yaml.Node, v.Len())}
	for i := range v.Len() {
		item, err := b.node(v.Index(i))
		if err != nil {
			return nil, err
		}
		n.Content[i] = item
	}
	return n, nil
}

func (b *bodyMaker) mapping(v reflect.Value) (*yaml.Node, error) {
	b.made.Values++
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: tagMap, Line: b.line, Content: make([]*yaml.Node, 0, 2*v.Len())}
	byName := make(map[string]reflect.Value, v.Len())
	for key, value := range v.Seq2() {
		byName[key.String()] = value
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if err := b.entry(n, name, byName[name]); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (b *bodyMaker) entry(n *yaml.Node, name string, v reflect.Value) error {
	value, err := b.node(v)
	if err != nil {
		return err
	}
	n.Content = append(n.Content, b.scalar(tagString, name, yaml.DoubleQuotedStyle), value)
	return nil
}

func (b *bodyMaker) structure(v reflect.Value, fields []plainField) (*yaml.Node, error) {
	b.made.Values++
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: tagMap, Line: b.line, Content: make([]*yaml.Node, 0, 2*len(fields))}
	for _, f := range fields {
		field := v.FieldByIndex(f.index)
		if f.omitempty && isEmpty(field) {
			continue
		}
		if err := b.entry(n, f.name, field); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// encoded converts a value to JSON and parses that.
func (b *bodyMaker) encoded(v reflect.Value) (*yaml.Node, error) {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, err
	}
	roots, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	b.count(roots[0])
	return roots[0], nil
}

func (b *bodyMaker) count(n *yaml.Node) {
	n.Line = b.line
	b.made.Values++
	b.made.Bytes += len(n.Value)
	for _, c := range n.Content {
		b.count(c)
	}
}

// plainField is a field as encoding/json writes it.
type plainField struct {
	name      string
	index     []int
	omitempty bool
}

// plainFields lists the fields of a struct. The fields of embedded structs are part of the list. ok is false if
// encoding/json has additional rules for the struct: two fields with one name, embedded pointers, other options.
func plainFields(t reflect.Type, index []int) (fields []plainField, ok bool) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		at := append(slices.Clip(index), i)
		switch {
		case sf.Tag.Get("json") == "-" || !sf.IsExported() && !sf.Anonymous:
			continue
		case sf.Anonymous && name == "":
			if sf.Type.Kind() != reflect.Struct {
				return nil, false
			}
			below, ok := plainFields(sf.Type, at)
			if !ok {
				return nil, false
			}
			fields = append(fields, below...)
			continue
		case options != "" && options != "omitempty":
			return nil, false
		case name == "":
			name = sf.Name
		}
		fields = append(fields, plainField{name, at, options == "omitempty"})
	}
	names := make(map[string]bool, len(fields))
	for _, f := range fields {
		names[f.name] = true
	}
	return fields, len(names) == len(fields)
}

// isEmpty reports whether the option omitempty leaves the value out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
