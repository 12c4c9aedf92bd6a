package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Schemer is a type that parses its own JSON and declares which JSON it accepts.
type Schemer interface {
	// JSONSchema returns the type's part of a schema.
	JSONSchema() map[string]any
}

var schemerType = reflect.TypeFor[Schemer]()

// Schema returns the JSON Schema of a whole document of a kind, from the struct that Decode fills. It uses draft-07,
// because that is the newest draft that the YAML language servers of the common editors support completely.
func Schema(body Type, gvk GroupVersionKind) (map[string]any, error) {
	s := schemas{}
	doc, err := s.structure(body, rules{})
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", gvk.Kind, err)
	}
	meta, err := s.structure(TypeFor[metadata](), rules{})
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", gvk.Kind, err)
	}
	properties := doc["properties"].(map[string]any)
	delete(meta["properties"].(map[string]any), "generateName")
	properties["apiVersion"] = map[string]any{"type": "string", "const": gvk.APIVersion(), "description": "The group of the kind, and its version."}
	properties["kind"] = map[string]any{"type": "string", "const": gvk.Kind, "description": "The kind of the object."}
	meta["description"] = "Name, labels and annotations of the object."
	properties["metadata"] = meta
	if spec, ok := properties["spec"].(map[string]any); ok && spec["description"] == nil {
		spec["description"] = "The desired state of the object."
	}
	properties["status"] = map[string]any{"description": "Written by the agent; ignored in a manifest."}
	required, _ := doc["required"].([]string)
	doc["required"] = append([]string{"apiVersion", "kind", "metadata"}, required...)
	doc["$schema"] = "http://json-schema.org/draft-07/schema#"
	doc["title"] = gvk.Kind
	return doc, nil
}

// Annotate adds the schemas of known annotations, by name, to the schema of a kind. The values of other annotations may be
// any text.
func Annotate(schema map[string]any, known map[string]any) error {
	at := schema
	for _, name := range []string{"metadata", "annotations"} {
		properties, _ := at["properties"].(map[string]any)
		next, ok := properties[name].(map[string]any)
		if !ok {
			return fmt.Errorf("the schema has no %s", name)
		}
		at = next
	}
	at["properties"] = known
	return nil
}

// schemas builds schemas. open contains the structs that contain the current one, to refuse structs that contain
// themselves.
type schemas struct {
	open []Type
}

func (s *schemas) of(t Type, r rules) (map[string]any, error) {
	if t.of != nil && reflect.PointerTo(t.of).Implements(schemerType) {
		return reflect.New(t.of).Interface().(Schemer).JSONSchema(), nil
	}
	out := map[string]any{}
	switch t.shape() {
	case anything, jsonText:
	case stringShape, textual:
		out["type"] = "string"
		stringRules(out, r)
	case bytesShape:
		out["type"], out["contentEncoding"] = "string", "base64"
	case boolShape:
		out["type"] = "boolean"
	case intShape, uintShape:
		out["type"] = "integer"
		numberRules(out, r)
		if t.shape() == uintShape && r.min == nil {
			out["minimum"] = 0
		}
	case floatShape:
		out["type"] = "number"
		numberRules(out, r)
	case listShape:
		return s.list(t, r)
	case mapShape:
		return s.mapping(t, r)
	case structShape:
		return s.structure(t, r)
	default:
		return nil, fmt.Errorf("type %s is not supported", t)
	}
	return out, nil
}

func (s *schemas) list(t Type, r rules) (map[string]any, error) {
	items, err := s.of(t.elem(), r.ofElement())
	out := map[string]any{"type": "array", "items": items}
	bounds(out, r, "minItems", "maxItems")
	if r.unique {
		out["uniqueItems"] = true
	}
	return out, err
}

func (s *schemas) mapping(t Type, r rules) (map[string]any, error) {
	values, err := s.of(t.elem(), r.ofElement())
	out := map[string]any{"type": "object", "additionalProperties": values}
	bounds(out, r, "minProperties", "maxProperties")
	return out, err
}

func (s *schemas) structure(t Type, r rules) (map[string]any, error) {
	if t.shape() != structShape {
		return nil, fmt.Errorf("type %s is not a struct", t)
	}
	if slices.Contains(s.open, t) {
		return nil, fmt.Errorf("type %s contains itself", t)
	}
	s.open = append(s.open, t)
	defer func() { s.open = s.open[:len(s.open)-1] }()
	known := t.fields()
	if known.err != nil {
		return nil, known.err
	}
	properties := make(map[string]any, len(known.list))
	var required []string
	for _, f := range known.list {
		property, err := s.of(f.typ, f.rules)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		annotate(property, f)
		properties[f.name] = property
		if f.rules.required {
			required = append(required, f.name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		out["required"] = required
	}
	bounds(out, r, "minProperties", "maxProperties")
	if r.oneof {
		out["oneOf"] = alternatives(known)
	}
	return out, nil
}

// alternatives returns the schema which requires that exactly one part of a struct is set.
func alternatives(known *fields) []any {
	var each []any
	for _, f := range known.list {
		if f.part {
			each = append(each, map[string]any{"required": []string{f.name}})
		}
	}
	return each
}

// annotate adds those parts of a schema that check nothing: the description, the default and writeOnly.
func annotate(property map[string]any, f field) {
	description := f.doc
	if f.rules.immutable {
		description = sentence(description, "Immutable.")
	}
	if said := f.waysSaid(); said != "" {
		description = sentence(description, strings.ToUpper(said[:1])+said[1:]+".")
	}
	if description != "" {
		property["description"] = description
	}
	if f.rules.secret {
		property["writeOnly"] = true
	}
	if f.rules.def != "" {
		property["default"] = typedDefault(f)
	}
}

func sentence(text, more string) string {
	if text == "" {
		return more
	}
	return text + " " + more
}

// typedDefault returns the default in the JSON type of the field.
func typedDefault(f field) any {
	switch f.typ.shape() {
	case boolShape, intShape, uintShape, floatShape:
		if json.Valid([]byte(f.rules.def)) {
			return json.RawMessage(f.rules.def)
		}
	}
	return f.rules.def
}

func stringRules(out map[string]any, r rules) {
	bounds(out, r, "minLength", "maxLength")
	if r.enum != nil {
		out["enum"] = r.enum
	}
	switch {
	case r.pattern != nil:
		out["pattern"] = r.pattern.String()
	case formats[r.format].pattern != "":
		out["pattern"] = formats[r.format].pattern
	case formats[r.format].schema != "":
		out["format"] = formats[r.format].schema
	}
}

func numberRules(out map[string]any, r rules) {
	if r.min != nil {
		out["minimum"] = *r.min
	}
	if r.max != nil {
		out["maximum"] = *r.max
	}
	if r.enum == nil {
		return
	}
	values := make([]any, 0, len(r.enum))
	for _, e := range r.enum {
		if n, err := strconv.ParseFloat(e, 64); err == nil {
			values = append(values, n)
		}
	}
	out["enum"] = values
}

func bounds(out map[string]any, r rules, least, most string) {
	if r.min != nil {
		out[least] = int(*r.min)
	}
	if r.max != nil {
		out[most] = int(*r.max)
	}
}
