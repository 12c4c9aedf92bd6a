package readapi

import "slices"

// intOrString is the name that clients of Kubernetes use for the schema of a value that is a number or a text.
const intOrString = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"

// toOpenAPI translates a JSON Schema to OpenAPI 3.0. The type must be one word, a constant becomes an enumeration with one value, and base64
// becomes a format. It does not change its argument.
func toOpenAPI(schema map[string]any) map[string]any {
	out := make(map[string]any, len(schema))
	for word, value := range schema {
		switch word {
		case "$schema":
		case "const":
			out["enum"] = []any{value}
		case "contentEncoding":
			out["format"] = "byte"
		case "type":
			typed(out, value)
		case "properties":
			out[word] = each(value)
		default:
			out[word] = valueToOpenAPI(value)
		}
	}
	return out
}

// each translates the schemas in a map. The keys of the map are names, which are not translated.
func each(value any) any {
	named, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := make(map[string]any, len(named))
	for name, schema := range named {
		out[name] = valueToOpenAPI(schema)
	}
	return out
}

func valueToOpenAPI(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return toOpenAPI(v)
	case []map[string]any:
		return valueToOpenAPI(anys(v))
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = valueToOpenAPI(one)
		}
		return out
	}
	return value
}

// typed writes the type of a value, or a choice among several types.
func typed(out map[string]any, value any) {
	var names []string
	switch v := value.(type) {
	case []string:
		names = v
	case []any:
		for _, one := range v {
			if name, ok := one.(string); ok {
				names = append(names, name)
			}
		}
	default:
		out["type"] = value
		return
	}
	slices.Sort(names)
	if slices.Equal(names, []string{"integer", "string"}) {
		out["allOf"] = []any{map[string]any{"$ref": "#/components/schemas/" + intOrString}}
		return
	}
	out["oneOf"] = types(names...)
}

func types(names ...string) []any {
	var list []any
	for _, name := range names {
		list = append(list, map[string]any{"type": name})
	}
	return list
}

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, one := range list {
		out[i] = one
	}
	return out
}
